package worker

import (
	"context"

	"iemesh/api"
	"iemesh/worker/page"
)

var _ = bind(api.Inspect, inspect)

func inspect(ctx context.Context, op *operation, in api.InspectInput) (api.InspectResult, error) {
	if err := op.enter(ctx, in.Frame); err != nil {
		return api.InspectResult{}, err
	}
	var result api.InspectResult
	var doc page.Doc
	err := answered(func() (err error) {
		result, doc, err = page.Inspect(ctx, op.session.driver, op.guard, in)
		return err
	})
	op.origin = doc.Origin
	return result, err
}
