package worker

import (
	"context"

	"iemesh/api"
	"iemesh/worker/page"
)

var _ = bind(api.FillForm, fillForm)

func fillForm(ctx context.Context, op *operation, in api.FillFormInput) (api.FillFormResult, error) {
	if err := op.enter(ctx, in.Frame); err != nil {
		return api.FillFormResult{}, err
	}
	form, results := page.NewForm(in.Fields), make([]api.FieldResult, len(in.Fields))
	for i, field := range in.Fields {
		results[i] = api.FieldResult{Target: field.Target, Status: api.FieldSkipped}
	}
	for i, field := range in.Fields {
		done, err := op.fillField(ctx, form, i, field)
		if err != nil {
			failure := api.AsError(op.failure(ctx, err))
			if i == 0 && failure.Code == api.Cancelled || unanswerable(failure.Code) {
				return api.FillFormResult{}, err
			}
			results[i].Status, results[i].Error = api.FieldFailed, failure
			break
		}
		results[i].Status = api.FieldOK
		if !done {
			return api.FillFormResult{Fields: results, PageState: api.PageState{Loading: true}}, nil
		}
	}
	state, err := op.review(ctx, func(ctx context.Context) (page.Doc, error) {
		return form.Review(ctx, op.session.driver, op.guard)
	})
	for i := range results {
		if entry := form.Entry(i); results[i].Status == api.FieldOK {
			results[i].Method, results[i].Differs = entry.Method, entry.Differs
		}
	}
	return api.FillFormResult{Fields: results, PageState: state}, err
}

// unanswerable tells the failures that are not one field's: no page can be told
// of after them, whatever was filled in before.
func unanswerable(code api.Code) bool {
	switch code {
	case api.DriverLost, api.SessionClosing, api.URLNotAllowed, api.InternalError:
		return true
	}
	return false
}

// fillField fills in one field. done is false when that was delivered and the
// driver still works on it.
func (op *operation) fillField(ctx context.Context, form *page.Form, i int, field api.FormField) (done bool, err error) {
	for {
		var step page.Step
		element, err := op.await(ctx, field.Target, func(ref page.Ref) (_ page.Found, err error) {
			step, err = form.Ready(ctx, op.session.driver, op.guard, i, ref)
			return step.Found, err
		})
		if err != nil {
			return false, err
		}
		var refused bool
		switch {
		case step.Set:
			done = true
		case step.Kind == page.SelectField, step.Kind == page.BoxField:
			done, refused, err = op.clickOnce(ctx, element)
		default:
			done, err = op.enterText(ctx, step.Field, element, field.Value.Text, true)
		}
		if err == nil && !refused {
			form.Filled(i)
		}
		if !refused {
			return done, err
		}
	}
}
