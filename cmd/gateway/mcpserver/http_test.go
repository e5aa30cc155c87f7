package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
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
