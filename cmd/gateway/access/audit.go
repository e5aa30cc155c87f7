package access

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"iemesh/api"
)

// audit writes one line for each call that a tool made, of what [api.Entry.Audit]
// lets out. A panic below becomes an INTERNAL_ERROR, so that it has its line too.
func audit(next api.Worker, log *slog.Logger) api.Worker {
	return api.WorkerFunc(func(ctx context.Context, call *api.Call) (reply *api.Reply, err error) {
		start := time.Now()
		defer func() {
			if p := recover(); p != nil {
				reply, err = nil, api.AsError(panicked(p))
			}
			if call.Tool != "" {
				write(ctx, log, call, err, time.Since(start))
			}
		}()
		return next.Do(ctx, call)
	})
}

// panicked says where a panic began. What it says is left out, unless it is the
// runtime that says it: the rest may be built from the content of a page.
func panicked(value any) error {
	what := fmt.Sprintf("%T", value)
	if err, ok := value.(runtime.Error); ok {
		what = err.Error()
	}
	callers := make([]uintptr, 32)
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers)]) // from the recovering function on
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "runtime.") || !more {
			return fmt.Errorf("panic: %s at %s:%d", what, f.Function, f.Line)
		}
	}
}

// maxCause bounds what a driver may write into the log, in runes.
const maxCause = 300

func write(ctx context.Context, log *slog.Logger, call *api.Call, err error, took time.Duration) {
	var input map[string]any
	entry, unknown := api.Lookup(call.Operation)
	if unknown == nil {
		input = entry.Audit(call.Input)
	}
	attrs := []slog.Attr{slog.String("tool", call.Tool)}
	for _, key := range slices.Sorted(maps.Keys(input)) {
		attrs = append(attrs, slog.Any(key, input[key]))
	}
	level := slog.LevelInfo
	if err != nil {
		level = slog.LevelError
		hide := hider(entry, call.Input, input)
		e := api.AsError(err)
		attrs = append(attrs, slog.String("error", string(e.Code)), slog.String("message", hide(e.Message)))
		if e.Reason != "" {
			attrs = append(attrs, slog.String("reason", e.Reason))
		}
		if cause := causeOf(e); cause != "" {
			attrs = append(attrs, slog.String("cause", shorten(hide(cause))))
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

// causeOf is the hidden cause of errors whose remedy is in the log. The causes
// of all others describe pages.
func causeOf(e *api.Error) string {
	if e.Cause == nil {
		return ""
	}
	switch e.Code {
	case api.InternalError, api.BrowserError, api.DesktopUnavailable, api.DriverLost, api.WorkerUnavailable, api.OutcomeUnknown, api.Unauthorized:
		text := e.Cause.Error()
		// An error that wraps another of ours carries its cause in turn.
		if inner, ok := errors.AsType[*api.Error](e.Cause); ok && inner.Cause != nil {
			text += ": " + inner.Cause.Error()
		}
		return text
	}
	return ""
}
