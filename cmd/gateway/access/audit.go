package access

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"iemesh/api"
	"iemesh/cmd/config"
)

// audit writes one line for each call that a tool made, of what [api.Entry.Audit]
// lets out. A panic below becomes an INTERNAL_ERROR, so that it has its line too.
func audit(next api.Worker, log *slog.Logger) api.Worker {
	return api.WorkerFunc(func(ctx context.Context, call *api.Call) (reply *api.Reply, err error) {
		start := time.Now()
		defer func() {
			if p := recover(); p != nil {
				reply, err = nil, api.Panicked(p)
			}
			if call.Tool != "" {
				write(ctx, log, call, err, time.Since(start))
			}
		}()
		return next.Do(ctx, call)
	})
}

func write(ctx context.Context, log *slog.Logger, call *api.Call, err error, took time.Duration) {
	var input map[string]any
	if entry, unknown := api.Lookup(call.Operation); unknown == nil {
		input = entry.Audit(call.Input)
	}
	attrs := []slog.Attr{slog.String("tool", call.Tool)}
	for _, key := range slices.Sorted(maps.Keys(input)) {
		attrs = append(attrs, slog.Any(key, input[key]))
	}
	level := slog.LevelInfo
	if err != nil {
		level = slog.LevelError
		e := api.AsError(err)
		attrs = append(attrs, slog.String("error", string(e.Code)), slog.String("message", config.Scrubber(call)(e.Message)))
		if e.Reason != "" {
			attrs = append(attrs, slog.String("reason", e.Reason))
		}
		if cause := config.Cause(call, e); cause != "" {
			attrs = append(attrs, slog.String("cause", cause))
		}
	}
	attrs = append(attrs, slog.Int64("durationMs", took.Milliseconds()))
	for _, a := range []slog.Attr{
		slog.String("session", call.SessionID),
		slog.String("operationId", call.ID),
		slog.String("principal", call.Caller.Principal),
	} {
		if a.Value.String() != "" {
			attrs = append(attrs, a)
		}
	}
	log.LogAttrs(ctx, level, "", attrs...)
}
