package access

import (
	"container/list"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// limiter is a token bucket for each key. It remembers the keys used last and
// forgets the others, so that a flood of keys costs no memory.
type limiter struct {
	limit rate.Limit
	burst int
	most  int

	mu      sync.Mutex
	buckets map[string]*list.Element // of *bucket
	recent  *list.List               // the latest in front
}

type bucket struct {
	key string
	*rate.Limiter
}

func newLimiter(perSecond float64, burst, most int) *limiter {
	return &limiter{limit: rate.Limit(perSecond), burst: burst, most: most, buckets: map[string]*list.Element{}, recent: list.New()}
}

// take spends a token of key, or returns how long to wait for the next.
func (l *limiter) take(key string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.buckets[key]
	if e == nil {
		e = l.recent.PushFront(&bucket{key, rate.NewLimiter(l.limit, l.burst)})
		l.buckets[key] = e
		if l.recent.Len() > l.most {
			oldest := l.recent.Remove(l.recent.Back()).(*bucket)
			delete(l.buckets, oldest.key)
		}
	} else {
		l.recent.MoveToFront(e)
	}
	r := e.Value.(*bucket).ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now) // a reservation spends its token although we refuse
	}
	return wait
}
