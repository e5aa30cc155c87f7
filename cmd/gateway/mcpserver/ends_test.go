package mcpserver

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestDisconnect(t *testing.T) {
	t.Run(legacy, func(t *testing.T) {
		f := newFake()
		srv := endpoint(t, newServer(t, Options{Worker: f}))
		session := begin(t, srv)
		release, cancelled := block(f, "screenshot")
		ctx, cancel := context.WithCancel(t.Context())
		go abandoned(ctx, srv, session, toolCall(2, "screenshot", `{}`))
		eventually(t, "the call runs", func() bool { return f.count("screenshot") == 1 })
		cancel()
		// The next call waits for the one whose client is gone.
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = io.ReadAll(post(t, t.Context(), srv, session, toolCall(3, "inspect_page", `{}`)).Body)
		}()
		close(release)
		<-done
		if cancelled.Load() || f.count("inspect") != 1 {
			t.Error("a disconnect has cancelled the call")
		}
	})
	t.Run(modern, func(t *testing.T) {
		f := newFake()
		srv := endpoint(t, newServer(t, Options{Worker: f}))
		must(t, dial(t, srv, modern, ""), "browser_start", nil)
		_, cancelled := block(f, "screenshot")
		ctx, cancel := context.WithCancel(t.Context())
		body, headers := modernCall("screenshot", `{}`)
		go abandoned(ctx, srv, "", body, headers...)
		eventually(t, "the call runs", func() bool { return f.count("screenshot") == 1 })
		cancel()
		eventually(t, "the disconnect cancels the call", cancelled.Load)
	})
}

func TestCancel(t *testing.T) {
	f := newFake()
	srv := endpoint(t, newServer(t, Options{Worker: f}))
	cs := dial(t, srv, legacy, "")
	must(t, cs, "browser_start", nil)
	_, cancelled := block(f, "screenshot")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		_, _ = cs.CallTool(ctx, &mcp.CallToolParams{Name: "screenshot"}) // the client sends notifications/cancelled
	}()
	eventually(t, "the call runs", func() bool { return f.count("screenshot") == 1 })
	cancel()
	eventually(t, "the call is cancelled", cancelled.Load)
	must(t, cs, "inspect_page", nil)
}

func TestDelete(t *testing.T) {
	f := newFake()
	s := newServer(t, Options{Worker: f})
	srv := endpoint(t, s)
	cs := dial(t, srv, legacy, "alice")
	id := must(t, cs, "browser_start", nil)["sessionId"]
	must(t, cs, "switch_window", map[string]any{"index": 1})
	_, cancelled := block(f, "screenshot")
	go func() { _, _ = cs.CallTool(context.Background(), &mcp.CallToolParams{Name: "screenshot"}) }()
	eventually(t, "the call runs", func() bool { return f.count("screenshot") == 1 })

	end, _ := http.NewRequest(http.MethodDelete, srv.URL, nil)
	end.Header.Set("Mcp-Session-Id", cs.ID())
	if res, err := as("bob").RoundTrip(end); err != nil || res.StatusCode != http.StatusForbidden {
		t.Errorf("bob's DELETE answered %v, %v", res, err)
	}
	if cancelled.Load() {
		t.Error("bob's DELETE has cancelled a call of alice")
	}
	begun := time.Now()
	if res, err := as("alice").RoundTrip(end); err != nil || res.StatusCode != http.StatusNoContent {
		t.Errorf("DELETE answered %v, %v", res, err)
	}
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("DELETE took %v", took)
	}
	eventually(t, "DELETE cancels the call", cancelled.Load)

	// The browser waits for the next MCP session of its principal.
	eventually(t, "the session is free", func() bool { return len(s.callers.toRenew()) == 0 })
	if got := must(t, dial(t, srv, legacy, "bob"), "browser_start", nil); got["sessionId"] == id {
		t.Error("bob got the browser of alice")
	}
	next := dial(t, srv, legacy, "alice")
	if got := must(t, next, "browser_start", nil); got["sessionId"] != id || got["reused"] != true || got["pageId"] != "session1-page1" {
		t.Errorf("after DELETE: %v", got)
	}
	if got := must(t, dial(t, srv, legacy, "alice"), "browser_start", nil); got["sessionId"] == id {
		t.Error("a browser was adopted twice")
	}
	if got := must(t, next, "browser_start", nil); got["sessionId"] != id {
		t.Errorf("the adopted browser is not the caller's own: %v", got)
	}
}

func TestSessionTimeout(t *testing.T) {
	f := newFake()
	s := newServer(t, Options{Worker: f, SessionTimeout: 50 * time.Millisecond})
	srv := endpoint(t, s)
	session := begin(t, srv)
	eventually(t, "the MCP session is over", func() bool {
		s.callers.mu.Lock()
		defer s.callers.mu.Unlock()
		return len(s.callers.orphans["local"]) == 1
	})
	eventually(t, "it is not found", func() bool {
		return post(t, t.Context(), srv, session, toolCall(2, "screenshot", `{}`)).StatusCode == http.StatusNotFound
	})
	begin(t, srv)
	if f.count("session_ensure") != 2 || f.open() != 1 {
		t.Errorf("%d browsers, %v", f.open(), f.asked())
	}
}

// A client that never reads does not keep a handler, nor the end of its MCP
// session.
func TestStalledReader(t *testing.T) {
	f := newFake()
	s := newServer(t, Options{Worker: f})
	s.writeLimit = 100 * time.Millisecond
	var running atomic.Int32
	handler := s.Handler()
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		running.Add(1)
		defer running.Add(-1)
		handler.ServeHTTP(w, r)
	}))
	srv.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		_ = c.(*net.TCPConn).SetWriteBuffer(4096)
		return ctx
	}
	srv.Start()
	defer srv.Close()
	session := begin(t, srv)
	f.image = make([]byte, 2<<20)
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.(*net.TCPConn).SetReadBuffer(4096)
	body := toolCall(2, "screenshot", `{}`)
	fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: %s\r\nMcp-Session-Id: %s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s",
		srv.Listener.Addr(), session, len(body), body)
	eventually(t, "the call runs", func() bool { return f.count("screenshot") == 1 })
	eventually(t, "the handler gives up", func() bool { return running.Load() == 0 })
	f.image = nil
	if body, _ := io.ReadAll(post(t, t.Context(), srv, session, toolCall(3, "inspect_page", `{}`)).Body); !strings.Contains(string(body), "totalElements") {
		t.Errorf("the next call answered %s", body)
	}
	s.Shutdown(t.Context())
}

func TestShutdown(t *testing.T) {
	before := runtime.NumGoroutine()
	f := newFake()
	s, err := New(Options{Worker: f, Profiles: []string{"ie"}})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s.Handler())
	cs := dial(t, srv, legacy, "") // it opens a GET stream
	must(t, cs, "browser_start", nil)
	_, cancelled := block(f, "screenshot")
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = cs.CallTool(context.Background(), &mcp.CallToolParams{Name: "screenshot"})
	}()
	eventually(t, "the call runs", func() bool { return f.count("screenshot") == 1 })
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	s.Shutdown(ctx)
	if err := srv.Config.Shutdown(ctx); err != nil {
		t.Errorf("a stream stays open: %v", err)
	}
	if !cancelled.Load() {
		t.Error("a call goes on")
	}
	_ = cs.Close()
	<-ended
	srv.Close()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	eventually(t, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= before })
}

func TestRefusalDuringShutdown(t *testing.T) {
	s := newServer(t, Options{Worker: newFake()})
	srv := endpoint(t, s)
	s.Shutdown(t.Context())
	if res := post(t, t.Context(), srv, "", `{}`); res.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("after Shutdown: %s", res.Status)
	}
}
