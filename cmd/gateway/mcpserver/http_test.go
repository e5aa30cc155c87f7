package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
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

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"iemesh/api"
)

const legacy, modern = "2025-11-25", "2026-07-28"

// endpoint serves a server over HTTP; the bearer token is the principal's name.
func endpoint(t *testing.T, s *Server) *httptest.Server {
	t.Helper()
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{UserID: token}, nil
	}
	bearer := auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{AllowMissingExpiration: true})
	open := s.Handler()
	closed := bearer(open)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == "" {
			open.ServeHTTP(w, r)
			return
		}
		closed.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		s.Shutdown(context.Background())
		srv.Close()
	})
	return srv
}

// as makes requests in a principal's name; "" sends no token.
type as string

func (a as) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if a != "" {
		r.Header.Set("Authorization", "Bearer "+string(a))
	}
	return http.DefaultTransport.RoundTrip(r)
}

func dial(t *testing.T, srv *httptest.Server, version string, who as) *mcp.ClientSession {
	t.Helper()
	return connect(t, &mcp.StreamableClientTransport{
		Endpoint: srv.URL, HTTPClient: &http.Client{Transport: who}, MaxRetries: -1,
	}, version, nil)
}

// post sends a raw message. It returns when the answer begins.
func post(t *testing.T, ctx context.Context, srv *httptest.Server, session, body string, headers ...string) *http.Response {
	t.Helper()
	res, err := http.DefaultClient.Do(message(ctx, srv, session, body, headers...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Body.Close() })
	return res
}

// abandoned posts without interest in the answer.
func abandoned(ctx context.Context, srv *httptest.Server, session, body string, headers ...string) {
	if res, err := http.DefaultClient.Do(message(ctx, srv, session, body, headers...)); err == nil {
		res.Body.Close()
	}
}

func message(ctx context.Context, srv *httptest.Server, session, body string, headers ...string) *http.Request {
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, srv.URL, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

// begin starts a raw MCP session with a browser and returns its id.
func begin(t *testing.T, srv *httptest.Server) string {
	t.Helper()
	res := post(t, t.Context(), srv, "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2026-07-28","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	body, _ := io.ReadAll(res.Body)
	if !strings.Contains(string(body), `"protocolVersion":"2025-11-25"`) {
		t.Fatalf("initialize answered %s", body)
	}
	id := res.Header.Get("Mcp-Session-Id")
	_, _ = io.ReadAll(post(t, t.Context(), srv, id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`).Body)
	_, _ = io.ReadAll(post(t, t.Context(), srv, id, toolCall(1, "browser_start", `{}`)).Body)
	return id
}

// modernCall is a raw call of protocol 2026-07-28.
func modernCall(tool, arguments string) (body string, headers []string) {
	body = fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s,"_meta":{`+
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`, tool, arguments)
	return body, []string{"Mcp-Protocol-Version", modern, "Mcp-Method", "tools/call", "Mcp-Name", tool}
}

// block makes an operation wait for release, and tells whether it was cancelled.
func block(f *fakeWorker, operation string) (release chan struct{}, cancelled *atomic.Bool) {
	release, cancelled = make(chan struct{}), new(atomic.Bool)
	f.before = func(ctx context.Context, call *api.Call) error {
		if call.Operation != operation {
			return nil
		}
		select {
		case <-release:
			return nil
		case <-ctx.Done():
			cancelled.Store(true)
			return api.Errorf(api.Cancelled, "Cancelled.")
		}
	}
	return release, cancelled
}

func TestHTTPBothGenerations(t *testing.T) {
	for _, version := range []string{legacy, modern} {
		t.Run(version, func(t *testing.T) {
			f := newFake()
			srv := endpoint(t, newServer(t, Options{Worker: f}))
			alice, bob := dial(t, srv, version, "alice"), dial(t, srv, version, "bob")
			first := must(t, alice, "browser_start", nil)["sessionId"]
			if f.last().Caller.Principal != "alice" {
				t.Errorf("the caller is %+v", f.last().Caller)
			}
			refused(t, bob, "screenshot", nil, api.BrowserNotStarted)
			refused(t, bob, "screenshot", map[string]any{"sessionId": first}, api.SessionNotFound)
			if second := must(t, bob, "browser_start", nil); second["sessionId"] == first || second["reused"] != false {
				t.Errorf("bob has %v", second)
			}
			must(t, alice, "screenshot", nil)

			// Where there are MCP sessions, each has a browser; else the principal has.
			again := dial(t, srv, version, "alice")
			result, failure := do(t, again, "screenshot", nil)
			if version == legacy && failure != api.BrowserNotStarted || version == modern && failure != "" {
				t.Errorf("another connection of alice: %v", result)
			}
			must(t, again, "screenshot", map[string]any{"sessionId": first})
			if version == modern && must(t, again, "browser_start", nil)["sessionId"] != first {
				t.Error("alice got another browser")
			}
		})
	}
}

func TestSessionOfAnotherPrincipal(t *testing.T) {
	srv := endpoint(t, newServer(t, Options{Worker: newFake()}))
	alice := dial(t, srv, legacy, "alice")
	res := post(t, t.Context(), srv, alice.ID(), toolCall(1, "screenshot", `{}`), "Authorization", "Bearer bob")
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("bob in the MCP session of alice: %s", res.Status)
	}
}

func TestProtocolRouting(t *testing.T) {
	srv := endpoint(t, newServer(t, Options{Worker: newFake()}))
	session := begin(t, srv)
	for version, says := range map[string]string{
		"": `"isError":true`, "2025-03-26": `"isError":true`, legacy: `"isError":true`, "1999-01-01": "", "zzz": "-32602", modern: "-32602",
	} {
		headers := []string{}
		if version != "" {
			headers = []string{"Mcp-Protocol-Version", version, "Mcp-Method", "tools/call", "Mcp-Name", "click"}
		}
		res := post(t, t.Context(), srv, session, toolCall(5, "click", `{}`), headers...)
		if body, _ := io.ReadAll(res.Body); !strings.Contains(string(body), says) {
			t.Errorf("version %q answered %s %s", version, res.Status, body)
		}
	}
	body, headers := modernCall("click", `{}`)
	res := post(t, t.Context(), srv, "", body, headers...)
	if got, _ := io.ReadAll(res.Body); !strings.Contains(string(got), `INVALID_ARGUMENT`) {
		t.Errorf("a call of %s answered %s", modern, got)
	}
	res = post(t, t.Context(), srv, session, strings.Repeat(" ", maxMessage+1))
	if res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("a body over the limit answered %s", res.Status)
	}
}

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

func TestPanic(t *testing.T) {
	var log bytes.Buffer
	f := newFake()
	s := newServer(t, Options{Worker: f, Log: jsonLog(&log)})
	cs := dial(t, endpoint(t, s), legacy, "")
	must(t, cs, "browser_start", nil)
	f.before = func(_ context.Context, call *api.Call) error {
		if call.Operation == "screenshot" {
			panic("secret content")
		}
		return nil
	}
	refused(t, cs, "screenshot", nil, api.InternalError)
	must(t, cs, "inspect_page", nil)
	if got := log.String(); strings.Contains(got, "secret") || !strings.Contains(got, "TestPanic.func") {
		t.Errorf("the log says %s", got)
	}
}

func TestQuietStream(t *testing.T) {
	f := newFake()
	s := newServer(t, Options{Worker: f})
	s.quiet = 10 * time.Millisecond
	srv := endpoint(t, s)
	session := begin(t, srv)
	release, _ := block(f, "screenshot")
	res := post(t, t.Context(), srv, session, toolCall(2, "screenshot", `{}`), requestHeader, "mine")
	if res.Header.Get("X-Accel-Buffering") != "no" {
		t.Error("proxies may buffer the stream")
	}
	lines := bufio.NewScanner(res.Body)
	comments := 0
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), ": ") {
			if comments++; comments == 3 {
				close(release)
			}
		}
		if strings.HasPrefix(lines.Text(), "data: ") {
			break
		}
	}
	if comments < 3 || !strings.Contains(lines.Text(), `"image/png"`) {
		t.Errorf("%d comments, then %.100s", comments, lines.Text())
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

func TestProgress(t *testing.T) {
	for _, version := range []string{legacy, modern} {
		t.Run(version, func(t *testing.T) {
			f := newFake()
			srv := endpoint(t, newServer(t, Options{Worker: f}))
			release, _ := block(f, "wait")
			got := make(chan *mcp.ProgressNotificationParams, 10)
			cs := connect(t, &mcp.StreamableClientTransport{Endpoint: srv.URL, MaxRetries: -1}, version, &mcp.ClientOptions{
				ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { got <- r.Params },
			})
			must(t, cs, "browser_start", nil)
			go func() {
				p := <-got
				if p.Progress != 1 || p.Total != 10 || p.Message == "" {
					t.Errorf("progress is %+v", p)
				}
				close(release)
			}()
			params := &mcp.CallToolParams{Name: "wait_for", Arguments: map[string]any{"type": "ready"}}
			params.SetProgressToken("p1")
			res, err := cs.CallTool(t.Context(), params)
			if err != nil || res.IsError {
				t.Errorf("%v %v", res, err)
			}
		})
	}
}

func TestLogOfCallsThatNoWorkerSaw(t *testing.T) {
	var log bytes.Buffer
	cs := inMemory(t, newServer(t, Options{Worker: newFake(), Log: jsonLog(&log)}), "")
	refused(t, cs, "type", map[string]any{"selector": byID, "text": "secret"}, api.BrowserNotStarted)
	var line map[string]any
	if err := json.Unmarshal(log.Bytes(), &line); err != nil {
		t.Fatalf("%v: %s", err, log.String())
	}
	if line["tool"] != "type" || line["error"] != "BROWSER_NOT_STARTED" || line["principal"] != "local" || strings.Contains(log.String(), "secret") {
		t.Errorf("the line is %s", log.String())
	}
}
