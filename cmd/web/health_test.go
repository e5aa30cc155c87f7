package web

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestReady(t *testing.T) {
	for _, c := range []struct {
		state Readiness
		code  int
		body  string
	}{
		{Readiness{Ready: true, Slots: &Slots{Free: 0, Max: 4}}, 200, `{"ready":true,"slots":{"free":0,"max":4}}`},
		{Readiness{Ready: true}, 200, `{"ready":true}`},
		{Readiness{Reasons: []string{"no driver"}, Slots: &Slots{Free: 4, Max: 4}}, 503, `{"ready":false,"reasons":["no driver"],"slots":{"free":4,"max":4}}`},
	} {
		w := get(ready(func() Readiness { return c.state }), "GET", "/readyz")
		if w.Code != c.code || strings.TrimSpace(w.Body.String()) != c.body || w.Header().Get("Content-Type") != "application/json" {
			t.Errorf("%+v: %d %s", c.state, w.Code, w.Body)
		}
	}
}

func TestReadinessIsCachedAndBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		ask := Cached(func(ctx context.Context) Readiness {
			asked++
			<-ctx.Done() // a worker that does not answer
			return Readiness{Reasons: []string{ctx.Err().Error()}}
		})
		start := time.Now()
		for range 10 {
			if state := ask(); state.Ready {
				t.Error("ready")
			}
		}
		if took := time.Since(start); took != 2*time.Second || asked != 1 {
			t.Errorf("asked %d times in %v", asked, took)
		}
		<-time.After(time.Second)
		if ask(); asked != 2 {
			t.Errorf("an old answer was given after a second")
		}
	})
}
