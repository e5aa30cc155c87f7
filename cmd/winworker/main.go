// Command winworker serves browsers of this machine to gateways. It runs in the
// session of a logged-on user: IE mode needs a desktop.
package main

import (
	"context"
	"io"
	"log/slog"
	"net"
	"os"

	"iemesh/api"
	"iemesh/api/link"
	"iemesh/cmd/config"
	"iemesh/cmd/gateway/web"
	"iemesh/worker"
	"iemesh/worker/driver"
)

func main() {
	driver.Supervise()
	os.Exit(run(context.Background(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// run is the program; it returns the exit status.
func run(ctx context.Context, args, env []string, _ io.Reader, stdout, stderr io.Writer) int {
	cfg, request, err := config.ParseWinWorker(args, env, stdout)
	log := config.NewLogger(stderr, cfg.LogLevel)
	return config.Program{
		Settings: &cfg.Common, Request: request, Err: err, Stdout: stdout, Log: log,
		Serve: func(ctx context.Context) error { return serve(ctx, &cfg.Common, log) },
	}.Run(ctx)
}

func serve(ctx context.Context, cfg *config.Common, log *slog.Logger) error {
	tokens, err := cfg.Tokens()
	if err != nil {
		return err
	}
	scheme, secure, err := cfg.TLS()
	if err != nil {
		return err
	}
	l, err := web.Listen(ctx, cfg.Listen, cfg.OnLoopback())
	if err != nil {
		return err
	}
	defer l.Close()

	w := worker.New(worker.Config{
		Browser: cfg.Browser(log), MaxSessions: cfg.MaxSessions, IdleTimeout: cfg.IdleTimeout, Log: log,
		OwnPorts: []uint16{uint16(l.Addr().(*net.TCPAddr).Port)},
	})
	metrics := web.NewMetrics("operation")
	metrics.Gauge("iemesh_sessions", "Browser sessions.", func() float64 { return float64(w.Stats().Sessions) })
	metrics.Gauge("iemesh_sessions_failed", "Sessions whose browser is lost.", func() float64 { return float64(w.Stats().Failed) })
	metrics.Gauge("iemesh_sessions_max", "Browser sessions that there may be.", func() float64 { return float64(w.Stats().MaxSessions) })
	router := web.NewRouter(web.Options{
		Path:    "/v1/*",
		API:     link.NewHandler(metrics.Measure(w), link.Options{Tokens: tokens, TLS: secure, Report: report(log)}),
		Metrics: metrics.Handler(), Log: log,
		Ready: web.Cached(func(context.Context) web.Readiness {
			stats := w.Stats()
			return web.ReadinessOf(w.Ready(), stats.Sessions, stats.MaxSessions)
		}),
	})
	log.Info("started", "transport", "http", "address", scheme+"://"+l.Addr().String())
	err = web.Serve(ctx, l, router, secure, log, func(context.Context) { w.Close() })
	log.Info("stopped")
	return err
}

// report logs the causes of failures that do not travel to the gateway.
func report(log *slog.Logger) func(*api.Call, *api.Error) {
	return func(call *api.Call, e *api.Error) {
		if cause := config.Cause(call, e); cause != "" {
			log.Error("operation failed", "operation", call.Operation, "error", string(e.Code), "cause", cause,
				"session", call.SessionID, "operationId", call.ID)
		}
	}
}
