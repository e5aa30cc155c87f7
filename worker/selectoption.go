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
	done, err := op.clickWhen(ctx, in.Target, func(ref page.Ref) (_ page.Found, err error) {
		option, err = page.Option(ctx, op.session.driver, op.guard, in.Target, ref, in.By, string(in.Value))
		return option.Found, err
	})
	result := api.SelectResult{Text: option.Text, Value: option.Value, Index: option.Index}
	if err != nil || !done {
		result.Loading = err == nil
		return result, err
	}
	result.PageState, err = op.review(ctx, func(ctx context.Context) (page.Doc, error) {
		seen, err := page.Selected(ctx, op.session.driver, op.guard)
		if err == nil && !seen.Gone {
			result.Text, result.Value, result.Index = seen.Text, seen.Value, seen.Index
		}
		return seen.Doc, err
	})
	return result, err
}
