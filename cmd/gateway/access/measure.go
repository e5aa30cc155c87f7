package access

import (
	"context"

	"iemesh/api"
)

// Recorder measures calls. Begin is called with the name of the tool, or of the
// operation for calls that no tool made; end with the code of the error, or "".
type Recorder interface {
	Begin(name string) (end func(code api.Code))
}

// Measure tells r of every call.
func Measure(next api.Worker, r Recorder) api.Worker {
	return api.WorkerFunc(func(ctx context.Context, call *api.Call) (*api.Reply, error) {
		code := api.InternalError // what a panic leaves
		end := r.Begin(nameOf(call))
		defer func() { end(code) }()
		reply, err := next.Do(ctx, call)
		code = ""
		if err != nil {
			code = api.AsError(err).Code
		}
		return reply, err
	})
}

// nameOf is one of a bounded set: the names of operations can come from outside.
func nameOf(call *api.Call) string {
	if call.Tool != "" {
		return call.Tool
	}
	if _, err := api.Lookup(call.Operation); err != nil {
		return "unknown"
	}
	return call.Operation
}
