package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"time"

	"iemesh/api"
	"iemesh/api/link"
	"iemesh/api/origin"
	"iemesh/cmd/config"
	"iemesh/cmd/gateway/access"
	"iemesh/cmd/gateway/mcpserver"
	"iemesh/cmd/program"
	"iemesh/cmd/web"
	"iemesh/worker"
)

// How long browser_start may take; longer where IE mode may be behind.
const (
	startTime   = time.Minute
	startTimeIE = 90 * time.Second
)

// backend is what carries operations out.
type backend struct {
	api.Worker
	ready func(context.Context) web.Readiness
	close func()
	local *worker.Worker // nil when the worker is elsewhere
}

// open makes the backend. It starts and connects nothing yet.
func open(cfg *config.Gateway, log *slog.Logger, ports ...uint16) (*backend, error) {
	if cfg.Worker != "" {
		return connect(cfg)
	}
	w := program.Worker(&cfg.Common, log, ports...)
	return &backend{Worker: w, ready: program.Readiness(w), close: w.Close, local: w}, nil
}

func connect(cfg *config.Gateway) (*backend, error) {
	options := link.ClientOptions{URL: cfg.Worker}
	var err error
	if cfg.WorkerTokenFile != "" {
		if options.Token, err = link.ReadToken(cfg.WorkerTokenFile); err != nil {
			return nil, cfg.Bad("worker-token-file", "%w", err)
		}
	}
	if options.TLS, err = link.ClientTLS(cfg.WorkerCA); err != nil {
		return nil, cfg.Bad("worker-ca", "%w", err)
	}
	client, err := link.NewClient(options)
	if err != nil {
		return nil, cfg.Bad("worker", "%w", err)
	}
	ready := func(ctx context.Context) web.Readiness {
		if err := client.Ready(ctx); err != nil {
			return web.Readiness{Reasons: []string{api.AsError(err).Message}}
		}
		return web.Readiness{Ready: true}
	}
	return &backend{Worker: client, ready: ready, close: client.Close}, nil
}

// mcp puts policy around the backend, and MCP on top.
func (b *backend) mcp(cfg *config.Gateway, options access.Options) (*mcpserver.Server, error) {
	policy, err := origin.Parse(config.List(cfg.AllowedOrigins))
	if err != nil {
		return nil, cfg.Bad("allowed-origins", "%w", err)
	}
	options.Policy = policy
	start := startTime
	if cfg.Worker != "" || cfg.Engine == "ie" {
		start = startTimeIE
	}
	server, err := mcpserver.New(mcpserver.Options{
		Worker: access.Wrap(b, options), Profiles: config.List(cfg.Tools),
		Timeout: time.Duration(cfg.TimeoutMs) * time.Millisecond, StartTimeout: start, IdleTimeout: cfg.IdleTimeout,
		Log: options.Log, Version: config.Version,
	})
	if err != nil {
		return nil, cfg.Bad("tools", "%w", err)
	}
	return server, nil
}

func serveStdio(ctx context.Context, cfg *config.Gateway, stdin io.ReadCloser, stdout io.Writer, log *slog.Logger) error {
	b, err := open(cfg, log)
	if err != nil {
		return err
	}
	defer b.close()
	server, err := b.mcp(cfg, access.Options{Log: log})
	if err != nil {
		return err
	}
	log.Info("started", "transport", "stdio")
	err = server.ServeStdio(ctx, stdin, stdout)
	server.Shutdown(ctx)
	log.Info("stopped")
	return err
}

func serveHTTP(ctx context.Context, cfg *config.Gateway, log *slog.Logger) error {
	l, err := program.Listen(ctx, &cfg.Common)
	if err != nil {
		return err
	}
	defer l.Close()
	own := origin.Own{Ports: []uint16{l.Port}}
	if name, err := os.Hostname(); err == nil {
		own.Hosts = []string{name}
	}
	b, err := open(cfg, log, l.Port)
	if err != nil {
		return err
	}
	defer b.close()
	metrics := web.NewMetrics("tool")
	if b.local != nil {
		program.Count(metrics, b.local)
	}
	server, err := b.mcp(cfg, access.Options{Own: own, Rate: cfg.Rate, Burst: cfg.Burst, Measure: metrics.Measure, Log: log})
	if err != nil {
		return err
	}
	var names access.Names
	if l.Tokens != nil {
		names = l.Tokens
	}
	router := web.NewRouter(web.Options{
		Path: "/mcp", API: server.Handler(),
		Around: []func(http.Handler) http.Handler{web.Guard(l.TLS), access.Bearer(names, log), web.LimitBody},
		Ready:  web.Cached(b.ready), Metrics: metrics.Handler(), Log: log,
	})
	log.Info("started", "transport", "http", "address", l.URL()+"/mcp")
	err = web.Serve(ctx, l, router, l.TLS, log, server.Shutdown)
	log.Info("stopped")
	return err
}
