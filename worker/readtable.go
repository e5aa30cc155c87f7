package worker

import (
	"context"

	"iemesh/api"
	"iemesh/worker/page"
)

var _ = bind(api.ReadTable, readTable)

func readTable(ctx context.Context, op *operation, in api.ReadTableInput) (api.ReadTableResult, error) {
	if err := op.enter(ctx, in.Frame); err != nil {
		return api.ReadTableResult{}, err
	}
	var table page.Table
	_, err := op.await(ctx, in.Target, func(ref page.Ref) (_ page.Found, err error) {
		table, err = page.ReadTable(ctx, op.session.driver, op.guard, in, ref)
		return table.Found, err
	})
	return table.ReadTableResult, err
}
