package worker

import (
	"context"

	"iemesh/api"
	"iemesh/worker/doctor"
)

var _ = bind(api.Doctor, examine)

func examine(ctx context.Context, op *operation, _ api.Empty) (api.DoctorReport, error) {
	w := op.worker
	return doctor.Examine(ctx, doctor.Config{Browser: w.cfg.Browser, Sessions: w.Stats().Sessions}).Report, nil
}
