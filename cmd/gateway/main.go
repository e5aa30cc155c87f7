// Command gateway serves MCP, over stdio or HTTP, to agents that drive browsers:
// those of a winworker, or of a worker in this process.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"iemesh/api/link"
	"iemesh/cmd/config"
	"iemesh/worker/driver"
)

func main() {
	driver.Supervise()
	os.Exit(run(context.Background(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

// endTime is how long the end of the program may take.
const endTime = 10 * time.Second

// run is the program. It returns the exit status: 0, 1 for a failure, 2 for a
// wrong setting. It ends with ctx, the first SIGINT or SIGTERM, or, over stdio,
// the end of stdin; a second signal ends the process at once, and the
// supervisors of its browsers clean up after it.
func run(ctx context.Context, args, env []string, stdin io.ReadCloser, stdout, stderr io.Writer) int {
	cfg, request, err := config.ParseGateway(args, env, stdout)
	log := config.NewLogger(stderr, cfg.LogLevel)
	if err == nil {
		err = obey(ctx, cfg, request, stdin, stdout, log)
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

func obey(ctx context.Context, cfg *config.Gateway, request config.Request, stdin io.ReadCloser, stdout io.Writer, log *slog.Logger) error {
	if request.Command == config.TokenNew {
		return newToken(cfg, request.Name, stdout)
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	// A client that closes its end of our output must not kill us before our
	// browsers are closed: the write fails instead.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	done := make(chan error, 1)
	go func() {
		if cfg.Stdio {
			done <- serveStdio(ctx, cfg, stdin, stdout, log)
		} else {
			done <- serveHTTP(ctx, cfg, log)
		}
	}()
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

func newToken(cfg *config.Gateway, name string, stdout io.Writer) error {
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

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}
