package worker

import (
	"context"

	"iemesh/api"
	"iemesh/worker/page"
)

var _ = bind(api.SelectOption, selectOption)

func selectOption(ctx context.Context, op *operation, in api.SelectInput) (api.SelectResult, error) {
	if err := op.enter(ctx, in.Frame); err != nil {
		return api.SelectResult{}, err
	}
	var option page.Choice
	done, err := op.press(ctx, in.Target, func(ref page.Ref) (_ page.Found, err error) {
		option, err = page.Option(ctx, op.session.driver, op.guard, in.Target, ref, in.By, string(in.Value))
		return option.Found, err
	})
	result := api.SelectResult{Text: option.Text, Value: option.Value, Index: option.Index}
	if err != nil || !done {
		result.Loading = err == nil
		return result, err
	}
	after, cancel := op.afterwards(ctx)
	defer cancel()
	seen, err := page.Selected(after, op.session.driver, op.guard)
	if elsewhere(err) {
		result.PageState, err = op.state(ctx)
		return result, err
	}
	if err != nil {
		result.PageState, err = op.unreadable(after, err)
		return result, err
	}
	if !seen.Gone {
		result.Text, result.Value, result.Index = seen.Text, seen.Value, seen.Index
	}
	result.PageState, err = op.stateOf(after, seen.Doc)
	return result, err
}
