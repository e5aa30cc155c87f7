package web

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestListenKeepsItsPromise(t *testing.T) {
	if l, err := Listen(t.Context(), "0.0.0.0:0", true); err == nil {
		_ = l.Close()
		t.Error("a listener for everyone, promised to be loopback")
	}
	l, err := Listen(t.Context(), "localhost:0", true)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := Listen(t.Context(), l.Addr().String(), true); err == nil {
		t.Error("two listeners at one address")
	}
}

// A stream that would go on for ever ends because stop ends it; then the port is free.
func TestServeEndsInOrder(t *testing.T) {
	l, err := Listen(t.Context(), "127.0.0.1:0", true)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	streaming, stopped := make(chan struct{}), make(chan struct{})
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "begin ")
		_ = http.NewResponseController(w).Flush()
		close(streaming)
		<-stopped
		_, _ = io.WriteString(w, "end")
	})
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, l, h, nil, silent, func(context.Context) { close(stopped) }) }()
	body := make(chan string, 1)
	go func() {
		r, err := http.Get("http://" + l.Addr().String())
		if err != nil {
			body <- err.Error()
			return
		}
		defer r.Body.Close()
		b, _ := io.ReadAll(r.Body)
		body <- string(b)
	}()
	<-streaming
	cancel()
	if err := <-served; err != nil {
		t.Error(err)
	}
	if got := <-body; got != "begin end" {
		t.Errorf("the stream: %q", got)
	}
	if c, err := net.DialTimeout("tcp", l.Addr().String(), time.Second); err == nil {
		_ = c.Close()
		t.Error("it still listens")
	}
}

func TestServeTellsOfAFailedListener(t *testing.T) {
	l, err := Listen(t.Context(), "127.0.0.1:0", true)
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	stopped := false
	if err := Serve(t.Context(), l, fine, nil, silent, func(context.Context) { stopped = true }); err == nil || !stopped {
		t.Errorf("%v, stopped %v", err, stopped)
	}
}

func TestComplaintsHaveNoStackTraces(t *testing.T) {
	var out bytes.Buffer
	c := complaints{slog.New(slog.NewJSONHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug}))}
	_, _ = c.Write([]byte("http: TLS handshake error\ngoroutine 7 [running]"))
	if text := out.String(); !strings.Contains(text, "handshake") || strings.Contains(text, "goroutine") {
		t.Error(text)
	}
}
