package access

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"iemesh/api"
)

func TestRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		next := &worker{}
		w := rateLimit(next, 20, 40)
		do := func(tool, operation, principal string) error {
			_, err := w.Do(t.Context(), &api.Call{Tool: tool, Operation: operation, Caller: api.Caller{Principal: principal}})
			return err
		}
		for i := range 40 {
			if err := do("click", "click", "alice"); err != nil {
				t.Fatalf("call %d: %v", i, err)
			}
		}
		err := do("click", "click", "alice")
		if code(err) != api.RateLimited || api.AsError(err).RetryAfterMs != 50 {
			t.Errorf("got %v, retry after %d ms", err, api.AsError(err).RetryAfterMs)
		}
		if err := do("browser_close", "session_close", "alice"); err != nil {
			t.Errorf("close: %v", err)
		}
		if err := do("", "session_renew", "alice"); err != nil {
			t.Errorf("the gateway's own work: %v", err)
		}
		if err := do("click", "click", "bob"); err != nil {
			t.Errorf("another principal: %v", err)
		}
		if err := do("handle_dialog", "handle_dialog", "alice"); code(err) != api.RateLimited {
			t.Errorf("dialog: %v", err)
		}
		<-time.After(50 * time.Millisecond) // of the bubble's clock
		if err := do("click", "click", "alice"); err != nil {
			t.Errorf("after the wait: %v", err)
		}
		if err := do("click", "click", "alice"); code(err) != api.RateLimited {
			t.Errorf("refused calls gave tokens back that were not theirs: %v", err)
		}
	})
}

func TestLimiterIsBounded(t *testing.T) {
	now := time.Now()
	l := newLimiter(1, 1, 3)
	for i := range 10 {
		if wait := l.take(strconv.Itoa(i), now); wait != 0 {
			t.Errorf("key %d waits %v", i, wait)
		}
	}
	if len(l.buckets) != 3 || l.recent.Len() != 3 {
		t.Errorf("%d buckets, %d in the list", len(l.buckets), l.recent.Len())
	}
	l.take("7", now) // the oldest becomes the latest
	l.take("new", now)
	if wait := l.take("7", now); wait == 0 {
		t.Error("the key in use was forgotten")
	}
}
