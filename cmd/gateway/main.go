// Command gateway serves MCP, over stdio or HTTP, to agents that drive browsers:
// those of a winworker, or of a worker in this process.
package main

import (
	"context"
	"io"
	"log/slog"
	"os"

	"iemesh/cmd/config"
	"iemesh/cmd/program"
	"iemesh/worker/driver"
)

func main() {
	driver.Supervise()
	os.Exit(run(context.Background(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// run is the program. Over stdio the end of stdin ends it too.
func run(ctx context.Context, args, env []string, stdin io.ReadCloser, stdout, stderr io.Writer) int {
	cfg, request, err := config.ParseGateway(args, env, stdout)
	return program.Run(ctx, program.Command{Common: &cfg.Common, Request: request, Err: err}, stdout, stderr,
		func(ctx context.Context, log *slog.Logger) error {
			if request.Command == config.Doctor {
				return examine(ctx, cfg, request.Doctor.JSON, log, stdout)
			}
			if cfg.Stdio {
				return serveStdio(ctx, cfg, stdin, stdout, log)
			}
			return serveHTTP(ctx, cfg, log)
		})
}
