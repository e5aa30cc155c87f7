package web

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// Readiness tells whether a browser session could be served in a free slot.
// That all slots are taken is no reason against it.
type Readiness struct {
	Ready   bool     `json:"ready"`
	Reasons []string `json:"reasons,omitempty"` // why not
	Slots   *Slots   `json:"slots,omitempty"`   // where they are known: not of a worker elsewhere
}

// Slots counts browser sessions.
type Slots struct {
	Free int `json:"free"`
	Max  int `json:"max"`
}

// Limits of asking for readiness.
const (
	readyAge  = time.Second     // an answer holds for so long
	readyTime = 2 * time.Second // to get one
)

// Cached makes a Ready of [Options] from a question that may be slow: it is
// asked at most once a second, by one request at a time, for 2 s.
func Cached(ask func(context.Context) Readiness) func() Readiness {
	var (
		mu    sync.Mutex
		last  Readiness
		until time.Time
	)
	return func() Readiness {
		mu.Lock()
		defer mu.Unlock()
		if time.Now().Before(until) {
			return last
		}
		ctx, cancel := context.WithTimeout(context.Background(), readyTime) // not of one request: others wait too
		defer cancel()
		last = ask(ctx)
		until = time.Now().Add(readyAge)
		return last
	}
}

// ready answers 200, or 503 when even a free slot could not serve.
func ready(ask func() Readiness) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		state := ask()
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		if !state.Ready {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_ = json.NewEncoder(w).Encode(state) // to a client that may have left
	}
}
