// Command winworker serves browsers of this machine to gateways. It runs in the
// session of a logged-on user: IE mode needs a desktop.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"iemesh/api"
	"iemesh/api/link"
	"iemesh/cmd/config"
	"iemesh/cmd/web"
	"iemesh/worker"
	"iemesh/worker/driver"
)

func main() {
	driver.Supervise()
	os.Exit(run(context.Background(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// endTime is how long the end of the program may take.
const endTime = 10 * time.Second

// run is the program. It returns the exit status: 0, 1 for a failure, 2 for a
// wrong setting. It ends with ctx or the first SIGINT or SIGTERM, which on
// Windows stand for Ctrl+C, Ctrl+Break, and the closing of the window or the
// session; a second signal ends the process at once.
func run(ctx context.Context, args, env []string, _ io.Reader, stdout, stderr io.Writer) int {
	cfg, request, err := config.ParseWinWorker(args, env, stdout)
	log := config.NewLogger(stderr, cfg.LogLevel)
	if err == nil {
		err = obey(ctx, cfg, request, stdout, log)
	}
	if err == nil || errors.Is(err, config.ErrHelp) {
		return 0
	}
	log.Error("failed", slog.String("message", err.Error()))
	if _, ok := errors.AsType[*config.Error](err); ok {
		return 2
	}
	return 1
}

func obey(ctx context.Context, cfg *config.WinWorker, request config.Request, stdout io.Writer, log *slog.Logger) error {
	if request.Command == config.TokenNew {
		return newToken(cfg, request.Name, stdout)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, stop)()

	done := make(chan error, 1)
	go func() { done <- serve(ctx, cfg, log) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-done:
		return err
	case <-time.After(endTime):
		return errors.New("the end took too long; what is left is ended by force")
	}
}

func newToken(cfg *config.WinWorker, name string, stdout io.Writer) error {
	if cfg.TokenFile == "" {
		return cfg.Bad("token-file", "is needed: the file to add the token to")
	}
	token, err := link.NewToken(cfg.TokenFile, name)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, token)
	return err
}

func serve(ctx context.Context, cfg *config.WinWorker, log *slog.Logger) error {
	options := link.Options{Report: func(call *api.Call, e *api.Error) {
		if cause := config.Cause(call, e); cause != "" {
			log.Error("operation failed", "operation", call.Operation, "error", string(e.Code), "cause", cause,
				"session", call.SessionID, "operationId", call.ID)
		}
	}}
	var err error
	if cfg.TokenFile != "" {
		if options.Tokens, err = link.LoadTokens(cfg.TokenFile); err != nil {
			return cfg.Bad("token-file", "%w", err)
		}
	}
	var secure *tls.Config
	scheme := "http"
	if cfg.TLSCert != "" {
		scheme = "https"
		if secure, err = link.ServerTLS(cfg.TLSCert, cfg.TLSKey); err != nil {
			return cfg.Bad("tls-cert", "%w", err)
		}
	}
	options.TLS = secure
	loopback, err := config.Loopback(cfg.Listen)
	if err != nil {
		return cfg.Bad("listen", "%w", err)
	}
	l, err := web.Listen(ctx, cfg.Listen, loopback)
	if err != nil {
		return err
	}
	defer l.Close()

	w := worker.New(worker.Config{
		Browser: driver.Config{
			Engine: cfg.Engine, DriverPath: cfg.DriverPath, BrowserPath: cfg.EdgePath, Headless: cfg.Headless,
			Warn: func(message string) { log.Warn("browser", "message", message) },
		},
		MaxSessions: cfg.MaxSessions, IdleTimeout: cfg.IdleTimeout, Log: log,
		OwnPorts: []uint16{uint16(l.Addr().(*net.TCPAddr).Port)},
	})
	metrics := web.NewMetrics("operation")
	metrics.Gauge("iemesh_sessions", "Browser sessions.", func() float64 { return float64(w.Stats().Sessions) })
	metrics.Gauge("iemesh_sessions_failed", "Sessions whose browser is lost.", func() float64 { return float64(w.Stats().Failed) })
	metrics.Gauge("iemesh_sessions_max", "Browser sessions that there may be.", func() float64 { return float64(w.Stats().MaxSessions) })
	router := web.NewRouter(web.Options{
		Path: "/v1/*", API: link.NewHandler(metrics.Measure(w), options), Metrics: metrics.Handler(), Log: log,
		Ready: web.Cached(func(context.Context) web.Readiness {
			reasons, stats := w.Ready(), w.Stats()
			return web.Readiness{
				Ready: len(reasons) == 0, Reasons: reasons,
				Slots: &web.Slots{Free: max(0, stats.MaxSessions-stats.Sessions), Max: stats.MaxSessions},
			}
		}),
	})
	log.Info("started", "transport", scheme, "address", scheme+"://"+l.Addr().String())
	err = web.Serve(ctx, l, router, secure, log, func(context.Context) { w.Close() })
	log.Info("stopped")
	return err
}
