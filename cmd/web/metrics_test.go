package web

import (
	"context"
	"errors"
	"strings"
	"testing"

	"iemesh/api"
)

func TestMetrics(t *testing.T) {
	m := NewMetrics("tool")
	m.Gauge("iemesh_sessions", "Sessions.", func() float64 { return 3 })
	var inside string
	w := m.Measure(api.WorkerFunc(func(_ context.Context, call *api.Call) (*api.Reply, error) {
		inside = scrape(m)
		switch call.SessionID {
		case "broken":
			return nil, errors.New("boom")
		case "panic":
			panic("boom")
		}
		return &api.Reply{}, nil
	}))
	for _, call := range []*api.Call{
		{Tool: "type", Operation: "fill"},
		{Tool: "type", Operation: "fill", SessionID: "broken"},
		{Operation: "session_renew"},
		{Operation: "rm -rf"},
		{Tool: "click", SessionID: "panic"},
	} {
		func() {
			defer func() { _ = recover() }()
			_, _ = w.Do(t.Context(), call)
		}()
	}
	text := scrape(m)
	for _, line := range []string{
		`iemesh_calls_total{code="OK",tool="type"} 1`,
		`iemesh_calls_total{code="INTERNAL_ERROR",tool="type"} 1`,
		`iemesh_calls_total{code="OK",tool="session_renew"} 1`,
		`iemesh_calls_total{code="OK",tool="unknown"} 1`,
		`iemesh_calls_total{code="INTERNAL_ERROR",tool="click"} 1`,
		`iemesh_call_duration_seconds_count{tool="type"} 2`,
		`iemesh_calls_in_flight 0`,
		`iemesh_sessions 3`,
		`go_goroutines `,
		`process_`,
	} {
		if !strings.Contains(text, line) {
			t.Errorf("%s is not in\n%s", line, text)
		}
	}
	if !strings.Contains(inside, "iemesh_calls_in_flight 1") {
		t.Error("no call was in flight")
	}
}

func scrape(m *Metrics) string { return get(m.Handler(), "GET", "/metrics").Body.String() }
