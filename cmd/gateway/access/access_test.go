package access

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"sync/atomic"
	"testing"

	"iemesh/api"
	"iemesh/api/origin"
)

func policy(t *testing.T, entries ...string) origin.Policy {
	t.Helper()
	p, err := origin.Parse(entries)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func navigate(url string) *api.Call {
	input, _ := json.Marshal(api.NavigateInput{URL: url})
	return &api.Call{ID: "op", Tool: "navigate", Operation: "navigate", Caller: api.Caller{Principal: "alice"}, Input: input}
}

func code(err error) api.Code {
	if err == nil {
		return ""
	}
	return api.AsError(err).Code
}

var silent = slog.New(slog.NewTextHandler(io.Discard, nil))

type worker struct {
	calls atomic.Int64
	last  *api.Call
	err   error
}

func (w *worker) Do(_ context.Context, call *api.Call) (*api.Reply, error) {
	w.calls.Add(1)
	w.last = call
	if w.err != nil {
		return nil, w.err
	}
	return &api.Reply{Result: json.RawMessage(`{}`)}, nil
}

// A call that violates two rules is answered by the outer one, and all rules
// further out see the answer.
func TestOrder(t *testing.T) {
	next := &worker{}
	lines := &lines{}
	seen := map[api.Code]int{}
	w := Wrap(next, Options{
		Policy: policy(t, "http://legacy01.local"), Rate: 0.001, Burst: 1,
		Log: lines.logger(),
		Measure: func(next api.Worker) api.Worker {
			return api.WorkerFunc(func(ctx context.Context, call *api.Call) (*api.Reply, error) {
				reply, err := next.Do(ctx, call)
				seen[code(err)]++
				return reply, err
			})
		},
	})
	for _, want := range []api.Code{
		api.URLNotAllowed, // the allowlist, after the rate limit let it pass
		api.RateLimited,   // too fast, and to a place that is not allowed
	} {
		if _, err := w.Do(t.Context(), navigate("http://evil.test/")); code(err) != want {
			t.Errorf("got %v, want %s", err, want)
		}
		if line := lines.last(t); line["error"] != string(want) {
			t.Errorf("audit: %v", line)
		}
		if seen[want] != 1 {
			t.Errorf("measured: %v", seen)
		}
	}
	if n := next.calls.Load(); n != 0 {
		t.Errorf("%d refused calls came through", n)
	}
}

func TestZeroOptionsAllowNoSiteAndDoNotLimit(t *testing.T) {
	next := &worker{}
	w := Wrap(next, Options{Log: silent})
	if _, err := w.Do(t.Context(), navigate("http://legacy01.local/")); code(err) != api.URLNotAllowed {
		t.Errorf("got %v", err)
	}
	for range 100 {
		if _, err := w.Do(t.Context(), &api.Call{Tool: "inspect_page", Operation: "inspect"}); err != nil {
			t.Fatal(err)
		}
	}
	if origins := next.last.Policy.Origins; len(origins) != 0 {
		t.Errorf("policy %v", origins)
	}
}
