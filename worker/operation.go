package worker

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"iemesh/api"
	"iemesh/api/origin"
)

// operation is one execution of one operation: what its function works with.
type operation struct {
	worker   *Worker
	session  *session // nil in scope None
	window   *window  // the page of the call; in scope Session the current one, nil if none is
	call     *api.Call
	policy   origin.Policy
	deadline time.Time

	target  *api.Locator // the element at hand, for errors
	heading string       // the URL that a navigation asked for
	done    bool         // the action has had, or may have had, its effect
	blobs   []api.Blob
	origin  string // of the page that was read last
}

// functions holds what each operation does, by name.
var functions = map[string]func(context.Context, *operation) (*api.Reply, error){}

// bind attaches the function that carries out an operation. It is called while
// the package's variables are initialised, next to the function.
func bind[In, Out any](declared *api.Operation[In, Out], do func(context.Context, *operation, In) (Out, error)) struct{} {
	functions[declared.Name] = func(ctx context.Context, op *operation) (*api.Reply, error) {
		in, err := declared.Decode(op.call.Input)
		if err != nil {
			return nil, err
		}
		out, err := do(ctx, op, in)
		if err != nil {
			return nil, err
		}
		result, err := json.Marshal(out)
		if err != nil {
			return nil, api.Errorf(api.InternalError, "The result of %s could not be encoded.", declared.Name).Because(err)
		}
		return &api.Reply{Result: result, Blobs: op.blobs, Origin: op.origin}, nil
	}
	return struct{}{}
}

// grace is how long after its deadline an operation may still look at what it
// did; callers are released at the latest 400 ms after it.
const grace = 300 * time.Millisecond

// afterwards is the time to look at what an action did: until the deadline, or
// shortly past it. A cancelled caller does not look.
func (op *operation) afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	return op.beyond(ctx, grace)
}

// beyond is ctx with so much more time. It ends at once when ctx is cancelled.
func (op *operation) beyond(ctx context.Context, more time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithDeadline(context.WithoutCancel(ctx), op.deadline.Add(more))
	stop := context.AfterFunc(ctx, func() {
		if !errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
			cancel()
		}
	})
	return longer, func() { stop(); cancel() }
}

// poll calls try until it says that it is done or fails, at first every 20 ms,
// then up to 200 ms apart. It returns false when ctx ends first.
func poll(ctx context.Context, try func() (done bool, err error)) (bool, error) {
	pause := 20 * time.Millisecond
	timer := time.NewTimer(0)
	defer timer.Stop()
	<-timer.C
	for {
		done, err := try()
		if done || err != nil {
			return done, err
		}
		timer.Reset(pause)
		select {
		case <-ctx.Done():
			return false, nil
		case <-timer.C:
		}
		pause = min(pause*3/2, 200*time.Millisecond)
	}
}
