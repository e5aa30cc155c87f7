// Command winworker serves browsers of this machine to gateways. It runs in the
// session of a logged-on user: IE mode needs a desktop.
package main

import (
	"context"
	"io"
	"log/slog"
	"os"

	"iemesh/api"
	"iemesh/api/link"
	"iemesh/cmd/config"
	"iemesh/cmd/program"
	"iemesh/cmd/web"
	"iemesh/cmd/winworker/task"
	"iemesh/worker/driver"
)

func main() {
	driver.Supervise()
	os.Exit(run(context.Background(), os.Args[1:], os.Environ(), os.Stdout, os.Stderr))
}

func run(ctx context.Context, args, env []string, stdout, stderr io.Writer) int {
	cfg, request, err := config.ParseWinWorker(args, env, stdout)
	return program.Run(ctx, program.Command{Common: cfg, Request: request, Err: err}, stdout, stderr,
		func(ctx context.Context, log *slog.Logger) error {
			switch request.Command {
			case config.Serve:
				return serve(ctx, cfg, log)
			case config.Doctor:
				return examine(ctx, cfg, request.Doctor, log, stdout)
			default:
				return manage(ctx, cfg, request, stdout)
			}
		})
}

// manage obeys the commands about the scheduled task.
func manage(ctx context.Context, cfg *config.Common, request config.Request, stdout io.Writer) error {
	machine, err := task.Here()
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	switch request.Command {
	case config.Install:
		return task.Install(ctx, machine, cfg, request.Task, program, stdout)
	case config.Uninstall:
		return task.Uninstall(ctx, machine, request.Task, stdout)
	default:
		return task.Status(ctx, machine, request.Task, os.Getpid(), stdout)
	}
}

func serve(ctx context.Context, cfg *config.Common, log *slog.Logger) error {
	l, err := program.Listen(ctx, cfg)
	if err != nil {
		return err
	}
	defer l.Close()
	w := program.Worker(cfg, log, l.Port)
	metrics := web.NewMetrics("operation")
	program.Count(metrics, w)
	handler := link.NewHandler(metrics.Measure(w), link.Options{Tokens: l.Tokens, TLS: l.TLS, Report: report(log)})
	router := web.NewRouter(web.Options{
		Path: "/v1/*", API: handler, Ready: web.Cached(program.Readiness(w)), Metrics: metrics.Handler(), Log: log,
	})
	log.Info("started", "transport", "http", "address", l.URL(), "version", config.Version)
	err = web.Serve(ctx, l, router, l.TLS, log, func(context.Context) { w.Close() })
	log.Info("stopped")
	return err
}

// report logs the hidden cause of a failure, which does not travel.
func report(log *slog.Logger) func(*api.Call, *api.Error) {
	return func(call *api.Call, e *api.Error) {
		if cause := config.Cause(call, e); cause != "" {
			log.Error("operation failed", "operation", call.Operation, "error", string(e.Code), "cause", cause,
				"session", call.SessionID, "operationId", call.ID)
		}
	}
}
