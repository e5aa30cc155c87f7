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
	f := form{op: op, entries: make([]page.Entry, len(in.Fields)), results: make([]api.FieldResult, len(in.Fields))}
	for i, field := range in.Fields {
		f.entries[i] = page.Entry{Target: field.Target, Value: field.Value}
		f.results[i] = api.FieldResult{Target: field.Target, Status: api.FieldSkipped}
	}
	for i := range f.entries {
		done, err := f.fill(ctx, i)
		if err != nil {
			failure := api.AsError(op.failure(ctx, err))
			if i == 0 && failure.Code == api.Cancelled || unanswerable(failure.Code) {
				return api.FillFormResult{}, err
			}
			f.results[i].Status, f.results[i].Error = api.FieldFailed, failure
			break
		}
		f.results[i].Status = api.FieldOK
		if !done {
			return api.FillFormResult{Fields: f.results, PageState: api.PageState{Loading: true}}, nil
		}
	}
	state, err := op.review(ctx, func(ctx context.Context) (page.Doc, error) {
		step, err := f.step(ctx, nil, nil)
		return step.Doc, err
	})
	return api.FillFormResult{Fields: f.results, PageState: state}, err
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

// form is a form that is being filled in. The script that makes a field ready also
// looks what became of the one before, so that a field costs two commands.
type form struct {
	op      *operation
	entries []page.Entry
	results []api.FieldResult
	before  int // the field that is yet to be looked at, counted from 1; 0 = none
}

// fill fills in one field. done is false when that was delivered and the driver
// still works on it.
func (f *form) fill(ctx context.Context, i int) (done bool, err error) {
	op, entry, result := f.op, &f.entries[i], &f.results[i]
	for {
		var step page.Step
		element, err := op.await(ctx, entry.Target, func(ref page.Ref) (_ page.Found, err error) {
			step, err = f.step(ctx, entry, ref)
			return step.Found, err
		})
		if err != nil {
			return false, err
		}
		entry.Kind = step.Kind
		var refused bool
		switch {
		case entry.Kind == page.TextField, entry.Kind == page.ScriptField:
			result.Method = api.Keys
			done, err = op.enterText(ctx, step.Field, element, entry.Value.Text, true)
		case step.Set:
			return true, nil
		default:
			done, refused, err = op.clickOnce(ctx, element)
		}
		switch {
		case refused:
			continue
		case err != nil:
			result.Method = ""
			return false, err
		}
		f.before = i + 1
		return done, nil
	}
}

// step makes next ready, if there is one, and notes what became of the field before.
func (f *form) step(ctx context.Context, next *page.Entry, ref page.Ref) (page.Step, error) {
	var before *page.Entry
	if f.before > 0 {
		before = &f.entries[f.before-1]
	}
	step, err := page.FormStep(ctx, f.op.session.driver, f.op.guard, before, next, ref)
	if err == nil && step.Before != nil {
		if !step.Before.Gone {
			result := &f.results[f.before-1]
			result.Method, result.Differs = step.Before.Method, step.Before.Differs
		}
		f.before = 0
	}
	return step, err
}
