package worker

import (
	"context"
	"slices"
	"sync"

	"iemesh/api"
)

// maxWaiting bounds the calls that wait for one session.
const maxWaiting = 256

// queue lets operations at a session one at a time, in order of arrival.
// Those that overtake go in front of whatever waits, never of what runs.
type queue struct {
	mu      sync.Mutex
	busy    bool
	waiting []*ticket
	closed  *api.Error // why nobody enters any more
}

type ticket struct {
	overtakes bool
	turn      chan *api.Error // receives nil when it may go on
}

// enter waits for the turn. The caller must call leave when err is nil.
func (q *queue) enter(ctx context.Context, overtakes bool) (leave func(), err error) {
	q.mu.Lock()
	switch {
	case q.closed != nil:
		q.mu.Unlock()
		return nil, q.closed
	case len(q.waiting) >= maxWaiting:
		q.mu.Unlock()
		return nil, api.Errorf(api.LimitExceeded, "%d calls already wait for this session. Wait for their answers.", maxWaiting)
	case !q.busy:
		q.busy = true
		q.mu.Unlock()
		return q.leave, nil
	}
	t := &ticket{overtakes, make(chan *api.Error, 1)}
	at := len(q.waiting)
	if overtakes {
		at = slices.IndexFunc(q.waiting, func(w *ticket) bool { return !w.overtakes })
		if at < 0 {
			at = len(q.waiting)
		}
	}
	q.waiting = slices.Insert(q.waiting, at, t)
	q.mu.Unlock()

	select {
	case refused := <-t.turn:
		if refused != nil {
			return nil, refused
		}
		return q.leave, nil
	case <-ctx.Done():
	}
	q.mu.Lock()
	at = slices.Index(q.waiting, t)
	if at >= 0 {
		q.waiting = slices.Delete(q.waiting, at, at+1)
	}
	q.mu.Unlock()
	if at < 0 { // its turn came at the same moment
		if refused := <-t.turn; refused == nil {
			q.leave()
		}
	}
	return nil, notDelivered(ctx)
}

func (q *queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.busy = false
		return
	}
	next := q.waiting[0]
	q.waiting = q.waiting[1:]
	next.turn <- nil
}

// close refuses everybody who waits or comes later. What runs goes on.
func (q *queue) close(why *api.Error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed == nil {
		q.closed = why
	}
	for _, t := range q.waiting {
		t.turn <- q.closed
	}
	q.waiting = nil
}

// idle tells whether nothing runs or waits.
func (q *queue) idle() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return !q.busy
}
