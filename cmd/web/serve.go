package web

import (
	"context"
	"crypto/tls"
	"fmt"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// closeTime is how long requests may take to end after the program was told to.
const closeTime = 2 * time.Second

// Listen opens a listener on host:port. With loopback it must have become one
// that this machine alone can reach, whatever the host name resolves to.
func Listen(ctx context.Context, address string, loopback bool) (net.Listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	if at, ok := l.Addr().(*net.TCPAddr); loopback && (!ok || !at.IP.IsLoopback()) {
		_ = l.Close()
		return nil, fmt.Errorf("%s is at %s, which is not loopback", address, l.Addr())
	}
	return l, nil
}

// Serve answers requests at l, over TLS unless server is nil, until ctx ends.
// Then it takes no more, calls stop, which ends the streams that would go on for
// ever, and gives the others 2 s. The error is that of a listener that failed.
func Serve(ctx context.Context, l net.Listener, h http.Handler, server *tls.Config, logger *slog.Logger, stop func(context.Context)) error {
	s := &http.Server{
		Handler:           h,
		TLSConfig:         server,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          log.New(complaints{logger}, "", 0),
		// No WriteTimeout: it would cut event streams.
	}
	failed := make(chan error, 1)
	go func() {
		if server != nil {
			failed <- s.ServeTLS(l, "", "")
		} else {
			failed <- s.Serve(l)
		}
	}()
	var failure error
	select {
	case <-ctx.Done():
	case failure = <-failed:
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	var closing sync.WaitGroup
	closing.Go(func() { // at once, so that no new streams come while the old ones end
		if s.Shutdown(limit) != nil {
			_ = s.Close()
		}
	})
	stop(limit)
	closing.Wait()
	return failure
}

// complaints logs what net/http has to say: about clients mostly, so at debug
// level, and without the stack traces below the first line.
type complaints struct{ log *slog.Logger }

func (c complaints) Write(text []byte) (int, error) {
	line, _, _ := strings.Cut(string(text), "\n")
	c.log.Debug("http", "cause", line)
	return len(text), nil
}
