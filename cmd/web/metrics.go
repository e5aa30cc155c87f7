package web

import (
	"context"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"iemesh/api"
)

// Metrics counts calls, for Prometheus.
type Metrics struct {
	registry *prometheus.Registry
	calls    *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	running  prometheus.Gauge
}

// NewMetrics makes metrics in a registry of their own. Kind is the label of a
// call's name: "tool" or "operation".
func NewMetrics(kind string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "iemesh_calls_total", Help: "Calls that have ended, by error code or OK.",
		}, []string{kind, "code"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "iemesh_call_duration_seconds", Help: "How long calls took.",
			Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120},
		}, []string{kind}),
		running: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "iemesh_calls_in_flight", Help: "Calls that are under way.",
		}),
	}
	m.registry.MustRegister(m.calls, m.seconds, m.running,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Gauge adds a figure that is read when somebody asks.
func (m *Metrics) Gauge(name, help string, read func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read))
}

// Handler serves the metrics in the text format.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4, Timeout: 10 * time.Second})
}

// Measure counts the calls to next.
func (m *Metrics) Measure(next api.Worker) api.Worker {
	return api.WorkerFunc(func(ctx context.Context, call *api.Call) (*api.Reply, error) {
		name, start := nameOf(call), time.Now()
		code := api.InternalError // what a panic leaves
		m.running.Inc()
		defer func() {
			m.running.Dec()
			m.calls.WithLabelValues(name, string(code)).Inc()
			m.seconds.WithLabelValues(name).Observe(time.Since(start).Seconds())
		}()
		reply, err := next.Do(ctx, call)
		code = "OK"
		if err != nil {
			code = api.AsError(err).Code
		}
		return reply, err
	})
}

// nameOf is one of a bounded set: the names of operations can come from outside.
func nameOf(call *api.Call) string {
	if call.Tool != "" {
		return call.Tool
	}
	if _, err := api.Lookup(call.Operation); err != nil {
		return "unknown"
	}
	return call.Operation
}
