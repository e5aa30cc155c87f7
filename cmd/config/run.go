package config

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"iemesh/api/link"
	"iemesh/worker/driver"
)

// endTime is how long the end of a program may take.
const endTime = 10 * time.Second

// Program is a run of one of the programs, as its settings came out.
type Program struct {
	Settings *Common
	Request  Request
	Err      error // of parsing
	Stdout   io.Writer
	Log      *slog.Logger
	Serve    func(context.Context) error // until its context ends
}

// Run does what is requested and returns the exit status: 0, 1 for a failure, 2
// for a wrong setting. Serving ends with ctx or the first SIGINT or SIGTERM,
// which on Windows stand for Ctrl+C, Ctrl+Break, and the closing of the window
// or the desktop session. A second signal ends the process at once, and the
// supervisors of its browsers clean up after it; so does the end that takes
// more than 10 s.
func (p Program) Run(ctx context.Context) int {
	err := p.Err
	switch {
	case err != nil:
	case p.Request.Command == TokenNew:
		err = p.Settings.newToken(p.Request.Name, p.Stdout)
	default:
		err = p.serve(ctx)
	}
	if err == nil || errors.Is(err, ErrHelp) {
		return 0
	}
	p.Log.Error("failed", slog.String("message", err.Error()))
	if _, ok := errors.AsType[*Error](err); ok {
		return 2
	}
	return 1
}

func (p Program) serve(ctx context.Context) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	// Who closes the other end of our output must not kill us before our
	// browsers are closed: the write fails instead.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)

	done := make(chan error, 1)
	go func() { done <- p.Serve(ctx) }()
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

func (c *Common) newToken(name string, stdout io.Writer) error {
	if c.TokenFile == "" {
		return c.Bad("token-file", "is needed: the file to add the token to")
	}
	token, err := link.NewToken(c.TokenFile, name)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(stdout, token)
	return err
}

// Tokens loads the token file; nil when there is none.
func (c *Common) Tokens() (*link.Tokens, error) {
	if c.TokenFile == "" {
		return nil, nil
	}
	tokens, err := link.LoadTokens(c.TokenFile)
	if err != nil {
		return nil, c.Bad("token-file", "%w", err)
	}
	return tokens, nil
}

// TLS is how the listener is secured, nil for plain HTTP, with the scheme of
// its URLs.
func (c *Common) TLS() (scheme string, secure *tls.Config, err error) {
	if c.TLSCert == "" {
		return "http", nil, nil
	}
	if secure, err = link.ServerTLS(c.TLSCert, c.TLSKey); err != nil {
		return "", nil, c.Bad("tls-cert", "%w", err)
	}
	return "https", secure, nil
}

// Browser is the browser to start.
func (c *Common) Browser(log *slog.Logger) driver.Config {
	return driver.Config{
		Engine: c.Engine, DriverPath: c.DriverPath, BrowserPath: c.EdgePath, Headless: c.Headless,
		Warn: func(message string) { log.Warn("browser", slog.String("message", message)) },
	}
}
