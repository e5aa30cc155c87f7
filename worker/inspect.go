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
	err := answered(func() (err error) {
		result, _, err = page.Inspect(ctx, op.session.driver, op.guard, in)
		return err
	})
	return result, err
}
