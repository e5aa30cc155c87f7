// Package program is what both programs have in common: how they start, obey
// signals and end, and how they make a worker of this machine.
package program

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
	"runtime/debug"
	"syscall"
	"time"

	"iemesh/api/link"
	"iemesh/cmd/config"
	"iemesh/cmd/web"
	"iemesh/worker"
	"iemesh/worker/driver"
)

// endTime is how long the end of a program may take.
const endTime = 10 * time.Second

// Command is a parsed command line.
type Command struct {
	Common  *config.Common
	Request config.Request
	Err     error // of parsing
}

// Run obeys a command and returns the exit status: 0, 1 for a failure, 2 for a
// wrong setting. Serve's ctx ends with the first SIGINT or SIGTERM, which on
// Windows stand for Ctrl+C, Ctrl+Break and the closing of the console; there a
// log-off and a shutdown end it too. A second signal ends the process at once, and
// the supervisors of its browsers clean up after it.
func Run(ctx context.Context, c Command, stdout, stderr io.Writer, serve func(context.Context, *slog.Logger) error) int {
	sink, closeLog, logErr := openLog(c, stderr)
	defer closeLog()
	log := config.NewLogger(sink, c.Common.LogLevel)
	err := errors.Join(c.Err, logErr)
	switch {
	case err != nil:
	case c.Request.Command == config.TokenNew:
		err = newToken(c.Common, c.Request.Name, stdout)
	default:
		err = untilSignal(ctx, func(ctx context.Context) error { return serve(ctx, log) })
	}
	if err == nil || errors.Is(err, config.ErrTold) {
		return 0
	}
	if errors.Is(err, ErrUnfit) {
		return 1
	}
	log.Error("failed", slog.String("message", err.Error()))
	if _, ok := errors.AsType[*config.Error](err); ok {
		return 2
	}
	return 1
}

// openLog opens the log file of a program that serves; else, or without one, the
// log goes to stderr. A crash of the program, which nobody would see, is written
// to a file of its own beside it.
func openLog(c Command, stderr io.Writer) (sink io.Writer, closeLog func(), err error) {
	path := c.Common.LogFile
	if path == "" || c.Request.Command != config.Serve {
		return stderr, func() {}, nil
	}
	file, err := config.OpenLogFile(path, stderr)
	if err != nil {
		return stderr, func() {}, c.Common.Bad("log-file", "%w", err)
	}
	if crash, err := os.OpenFile(path+".crash", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
		_ = debug.SetCrashOutput(crash, debug.CrashOptions{})
		_ = crash.Close()
	}
	leaveConsole()
	return file, func() {
		_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
		_ = file.Close()
	}, nil
}

func untilSignal(ctx context.Context, serve func(context.Context) error) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	ctx, end := context.WithCancel(ctx)
	defer end()
	defer context.AfterFunc(ctx, stop)()
	ended := make(chan struct{})
	defer close(ended)
	endWithSession(end, ended)
	// A client that closes its end of our output must not kill us before our
	// browsers are closed: the write fails instead.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	done := make(chan error, 1)
	go func() { done <- serve(ctx) }()
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

func newToken(cfg *config.Common, name string, stdout io.Writer) error {
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

// Listener is where a program serves, and for whom.
type Listener struct {
	net.Listener
	Port   uint16
	Tokens *link.Tokens // nil: anyone on this machine
	TLS    *tls.Config  // nil: plain HTTP
}

// Listen opens the listener of cfg. The caller closes it.
func Listen(ctx context.Context, cfg *config.Common) (*Listener, error) {
	var l Listener
	var err error
	if cfg.TokenFile != "" {
		if l.Tokens, err = link.LoadTokens(cfg.TokenFile); err != nil {
			return nil, cfg.Bad("token-file", "%w", err)
		}
	}
	if cfg.TLSCert != "" {
		if l.TLS, err = link.ServerTLS(cfg.TLSCert, cfg.TLSKey); err != nil {
			return nil, cfg.Bad("tls-cert", "%w", err)
		}
	}
	loopback, err := config.Loopback(cfg.Listen)
	if err != nil {
		return nil, cfg.Bad("listen", "%w", err)
	}
	if l.Listener, err = web.Listen(ctx, cfg.Listen, loopback); err != nil {
		return nil, err
	}
	l.Port = uint16(l.Addr().(*net.TCPAddr).Port)
	return &l, nil
}

// URL is the listener's address with its scheme.
func (l *Listener) URL() string {
	if l.TLS != nil {
		return "https://" + l.Addr().String()
	}
	return "http://" + l.Addr().String()
}

// Worker makes a worker with browsers of this machine. Ports are those of this
// process. It starts nothing yet; the caller closes it.
func Worker(cfg *config.Common, log *slog.Logger, ports ...uint16) *worker.Worker {
	return worker.New(worker.Config{
		Browser: browser(cfg, log), MaxSessions: cfg.MaxSessions, IdleTimeout: cfg.IdleTimeout, OwnPorts: ports, Log: log,
	})
}

func browser(cfg *config.Common, log *slog.Logger) driver.Config {
	return driver.Config{
		Engine: cfg.Engine, DriverPath: cfg.DriverPath, BrowserPath: cfg.EdgePath, Headless: cfg.Headless,
		Warn: func(message string) { log.Warn("browser", "message", message) },
	}
}

// Readiness asks a worker of this process.
func Readiness(w *worker.Worker) func(context.Context) web.Readiness {
	return func(context.Context) web.Readiness {
		reasons, stats := w.Ready(), w.Stats()
		return web.Readiness{
			Ready: len(reasons) == 0, Reasons: reasons,
			Slots: &web.Slots{Free: max(0, stats.MaxSessions-stats.Sessions), Max: stats.MaxSessions},
		}
	}
}

// Count adds the sessions of a worker of this process to the metrics.
func Count(m *web.Metrics, w *worker.Worker) {
	m.Gauge("iemesh_sessions", "Browser sessions.", func() float64 { return float64(w.Stats().Sessions) })
	m.Gauge("iemesh_sessions_failed", "Sessions whose browser is lost.", func() float64 { return float64(w.Stats().Failed) })
	m.Gauge("iemesh_sessions_max", "Browser sessions that there may be.", func() float64 { return float64(w.Stats().MaxSessions) })
}
