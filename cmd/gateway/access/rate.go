package access

import (
	"context"
	"time"

	"iemesh/api"
)

// maxPrincipals bounds the table of the rate limit.
const maxPrincipals = 10_000

// rateLimit answers RATE_LIMITED to the calls that a principal's tools make too
// fast. What ends a session is never refused: it frees what others wait for.
// Calls that no tool made are the gateway's own work and cost nothing.
func rateLimit(next api.Worker, perSecond float64, burst int) api.Worker {
	limits := newLimiter(perSecond, burst, maxPrincipals)
	return api.WorkerFunc(func(ctx context.Context, call *api.Call) (*api.Reply, error) {
		if call.Tool != "" && !endsSession(call.Operation) {
			if wait := limits.take(call.Caller.Principal, time.Now()); wait > 0 {
				e := api.Errorf(api.RateLimited, "Too many calls: at most %g per second. Nothing was done; try again in %d ms.",
					perSecond, millis(wait))
				e.RetryAfterMs = millis(wait)
				return nil, e
			}
		}
		return next.Do(ctx, call)
	})
}

func endsSession(operation string) bool {
	entry, err := api.Lookup(operation)
	return err == nil && entry.Scope == api.Session && entry.Lane == api.Overtake
}

// millis rounds up: who waits that long finds the limit over.
func millis(d time.Duration) int64 {
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}
