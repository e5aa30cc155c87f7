// Package access is policy above the browsers: who is calling, how fast, to
// which sites, and what of it is recorded. Each rule is a small [api.Worker]
// around the next; [Wrap] holds their order.
package access

import (
	"log/slog"

	"iemesh/api"
	"iemesh/api/origin"
)

// Options configures [Wrap].
type Options struct {
	Policy  origin.Policy               // the zero value allows no site
	Own     origin.Own                  // addresses of this system itself, which no policy can allow
	Rate    float64                     // tool calls per second of each principal; 0 = no limit
	Burst   int                         // tool calls that may come at once, at least 1 with a Rate
	Measure func(api.Worker) api.Worker // puts measuring around a worker; nil = none
	Log     *slog.Logger                // for the audit; required
}

// Wrap puts all rules around next. The outermost comes first: a call that is
// refused by any rule is audited and measured, one that comes too fast is not
// looked at further.
func Wrap(next api.Worker, o Options) api.Worker {
	next = allowlist(next, o.Policy, o.Own)
	if o.Rate > 0 {
		next = rateLimit(next, o.Rate, o.Burst)
	}
	if o.Measure != nil {
		next = o.Measure(next)
	}
	return audit(next, o.Log)
}
