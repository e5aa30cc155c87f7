// Command gateway serves MCP, over stdio or HTTP, to agents that drive browsers:
// those of a winworker, or of a worker in this process.
package main

import (
	"context"
	"io"
	"os"
	"runtime/debug"

	"iemesh/cmd/config"
	"iemesh/worker/driver"
)

func main() {
	driver.Supervise()
	os.Exit(run(context.Background(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// run is the program; it returns the exit status. Over stdio the end of stdin
// ends it, too.
func run(ctx context.Context, args, env []string, stdin io.ReadCloser, stdout, stderr io.Writer) int {
	cfg, request, err := config.ParseGateway(args, env, stdout)
	log := config.NewLogger(stderr, cfg.LogLevel)
	return config.Program{
		Settings: &cfg.Common, Request: request, Err: err, Stdout: stdout, Log: log,
		Serve: func(ctx context.Context) error {
			if cfg.Stdio {
				return serveStdio(ctx, cfg, stdin, stdout, log)
			}
			return serveHTTP(ctx, cfg, log)
		},
	}.Run(ctx)
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
