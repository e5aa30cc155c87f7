package worker

import (
	"context"
	"time"

	"iemesh/api"
	"iemesh/worker/driver"
	"iemesh/worker/page"
)

var _ = bind(api.Wait, wait)

// steady is how long a page must stay loaded to count as ready.
const steady = 100 * time.Millisecond

func wait(ctx context.Context, op *operation, in api.WaitInput) (api.WaitResult, error) {
	start := time.Now()
	if in.Target != nil {
		op.target = in.Target
	}
	w := waiter{op: op, in: in}
	holds, err := poll(ctx, func() (bool, error) { return w.try(ctx) })
	if err != nil {
		return api.WaitResult{}, err
	}
	if !holds {
		return api.WaitResult{}, w.timeout(ctx)
	}
	result := api.WaitResult{Type: in.Type, WaitedMs: time.Since(start).Milliseconds()}
	if w.doc.TopURL == nil || w.doc.TopTitle == nil {
		result.PageState, err = op.state(ctx)
		return result, err
	}
	op.origin = w.doc.Origin
	result.PageState = op.described(*w.doc.TopURL, *w.doc.TopTitle)
	result.NewWindows = op.announce()
	return result, nil
}

// waiter looks at a condition again and again.
type waiter struct {
	op      *operation
	in      api.WaitInput
	doc     page.Doc
	entered bool      // the driver is in the frame
	since   time.Time // when the page was first seen loaded
	at      string    // its URL then
}

// try is one look. What was there a moment ago may be gone (a frame, its
// document, the element): the next look starts from the top.
func (w *waiter) try(ctx context.Context) (bool, error) {
	holds, err := w.look(ctx)
	if passing(err) || driver.KindOf(err) == driver.NoFrame {
		w.entered = false
		return false, nil
	}
	return holds, err
}

func (w *waiter) look(ctx context.Context) (bool, error) {
	op := w.op
	if !w.entered {
		there, err := op.enterNow(ctx, w.in.Frame)
		if err != nil || !there {
			return err == nil && w.in.Type == api.Gone, err
		}
		w.entered = true
	}
	if w.in.Target == nil {
		return w.ask(ctx)
	}
	var seen page.Held
	found, err := op.find(ctx, *w.in.Target, func(ref page.Ref) (_ page.Found, err error) {
		seen, err = page.Holds(ctx, op.session.driver, op.guard, w.in, ref)
		w.doc = seen.Doc
		return page.Found{Status: seen.Status}, err
	})
	if err != nil {
		return false, err
	}
	return seen.Holds || found.Status == page.Missing && w.in.Type == api.Gone, nil
}

// ask is a look at a condition without an element.
func (w *waiter) ask(ctx context.Context) (bool, error) {
	seen, err := page.Holds(ctx, w.op.session.driver, w.op.guard, w.in, nil)
	w.doc = seen.Doc
	if err != nil || w.in.Type != api.PageLoaded {
		return seen.Holds, err
	}
	if !seen.Holds || seen.Doc.URL != w.at {
		w.since, w.at = time.Time{}, seen.Doc.URL
	}
	if seen.Holds && w.since.IsZero() {
		w.since = time.Now()
	}
	return seen.Holds && time.Since(w.since) >= steady, nil
}

func (w *waiter) timeout(ctx context.Context) error {
	if ctx.Err() == context.Canceled {
		return notDelivered(ctx)
	}
	failure := api.Errorf(api.Timeout, "The condition %s did not come true within %d ms.", w.in.Type, w.op.call.TimeoutMs)
	if w.in.Target != nil {
		failure.Selector = w.in.Target
		failure.Message = "Waited for " + w.in.Target.String() + ": " + failure.Message
	}
	return failure
}
