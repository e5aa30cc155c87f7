package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"iemesh/api"
)

// pipes is a client at the other end of real pipes that writes and reads lines.
type pipes struct {
	t       *testing.T
	in, out *os.File // the client's ends
	lines   *bufio.Scanner
	served  chan error
}

func serveStdio(t *testing.T, ctx context.Context, s *Server) *pipes {
	t.Helper()
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p := &pipes{t: t, in: theirIn, out: theirOut, served: make(chan error, 1), lines: bufio.NewScanner(theirIn)}
	p.lines.Buffer(nil, 32<<20)
	go func() {
		p.served <- s.ServeStdio(ctx, ourIn, ourOut)
		ourOut.Close()
	}()
	t.Cleanup(func() { theirOut.Close(); theirIn.Close() })
	return p
}

func (p *pipes) send(lines ...string) {
	p.t.Helper()
	if _, err := io.WriteString(p.out, strings.Join(lines, "\n")+"\n"); err != nil {
		p.t.Error(err)
	}
}

func (p *pipes) receive() (m struct {
	ID     any
	Method string
	Error  *struct{ Code int }
	Result json.RawMessage
}) {
	p.t.Helper()
	if !p.lines.Scan() {
		p.t.Fatalf("no more output: %v", p.lines.Err())
	}
	dec := json.NewDecoder(strings.NewReader(p.lines.Text()))
	if err := dec.Decode(&m); err != nil {
		p.t.Fatalf("stdout carries %q", p.lines.Text())
	}
	return m
}

func (p *pipes) initialize() {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	if m := p.receive(); m.ID != "init" || m.Error != nil {
		p.t.Fatalf("initialize answered %+v", m)
	}
}

// finish closes the input and waits for the server.
func (p *pipes) finish() {
	p.t.Helper()
	p.out.Close()
	select {
	case err := <-p.served:
		if err != nil {
			p.t.Errorf("ServeStdio returned %v", err)
		}
	case <-time.After(10 * time.Second):
		p.t.Fatal("ServeStdio goes on after the end of input")
	}
}

func toolCall(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

func TestStdioClient(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		f := newFake()
		p := serveStdio(t, t.Context(), newServer(t, Options{Worker: f}))
		cs := connect(t, &mcp.IOTransport{Reader: p.in, Writer: p.out}, version, nil)
		must(t, cs, "browser_start", nil)
		must(t, cs, "navigate", map[string]any{"url": "http://legacy01.local/"})
		if f.open() != 1 {
			t.Fatal("no session")
		}
		_ = cs.Close()
		p.finish()
		if f.open() != 0 {
			t.Errorf("%s: the session is left after the end of input", version)
		}
	}
}

func TestOddFrames(t *testing.T) {
	f := newFake()
	p := serveStdio(t, t.Context(), newServer(t, Options{Worker: f}))
	p.initialize()
	for _, c := range []struct {
		line string
		code int
	}{
		{`{"jsonrpc":"2.0","id":1,`, -32700},
		{`hello`, -32700},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600},
		{`[]`, -32600},
		{`5`, -32600},
		{`"text"`, -32600},
		{`null`, -32600},
		{`{}`, -32600},
		{`{"jsonrpc":"1.0","id":1,"method":"ping"}`, -32600},
		{`{"jsonrpc":"2.0","id":[1],"method":"ping"}`, -32600},
		{`{"jsonrpc":"2.0","id":1,"method":"ping","pad":"` + strings.Repeat("x", maxMessage) + `"}`, -32600},
	} {
		go p.send("", c.line)
		if m := p.receive(); m.Error == nil || m.Error.Code != c.code || m.ID != nil {
			t.Errorf("%.60s answered %+v", c.line, m)
		}
	}
	for i, c := range []struct {
		method, params string
		code           int
	}{
		{"tools/call", `{"name":"tap"}`, -32602},
		{"tools/call", `{"name":5}`, -32602},
		{"tools/call", `null`, -32600},
		{"prompts/list", `{}`, -32601},
		{"logging/setLevel", `{"level":"info"}`, -32601},
		{"nothing", `{}`, -32601},
	} {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, i, c.method, c.params))
		if m := p.receive(); m.Error == nil || m.Error.Code != c.code || m.ID != float64(i) {
			t.Errorf("%s %s answered %+v", c.method, c.params, m)
		}
	}
	// A megabyte is fine, and everything still works.
	p.send(toolCall(90, "browser_start", `{}`))
	p.receive()
	go p.send(toolCall(91, "type", `{"selector":{"by":"id","value":"x"},"text":"`+strings.Repeat("x", 200<<10)+`"}`))
	if m := p.receive(); m.Error != nil || strings.Contains(string(m.Result), "isError") {
		t.Errorf("a long text answered %+v", m)
	}
	p.finish()
}

func TestDuplicateID(t *testing.T) {
	f := newFake()
	release := make(chan struct{})
	f.before = func(_ context.Context, call *api.Call) error {
		if call.Operation == "navigate" {
			<-release
		}
		return nil
	}
	p := serveStdio(t, t.Context(), newServer(t, Options{Worker: f}))
	p.initialize()
	p.send(toolCall(1, "browser_start", `{}`))
	p.receive()
	p.send(toolCall(2, "navigate", `{"url":"http://a.local/"}`), toolCall(2, "screenshot", `{}`), toolCall(3, "screenshot", `{}`))
	if m := p.receive(); m.ID != nil || m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("the second request with an id answered %+v", m)
	}
	close(release)
	for range 2 {
		if m := p.receive(); m.ID != 2.0 && m.ID != 3.0 || m.Error != nil {
			t.Errorf("answered %+v", m)
		}
	}
	p.finish()
	if got := f.asked(); !slices.Equal(got, []string{"session_ensure", "navigate", "screenshot", "session_close"}) {
		t.Errorf("the worker was asked %v", got)
	}
}

// Calls act in the order in which they were read, although the SDK starts
// their handlers at once.
func TestPipelinedOrder(t *testing.T) {
	for name, delay := range map[string]func(){
		"at once": func() {},
		"delayed": func() {
			end := time.NewTimer(rand.N(200 * time.Microsecond))
			<-end.C
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			f.before = func(context.Context, *api.Call) error { delay(); return nil }
			p := serveStdio(t, t.Context(), newServer(t, Options{Worker: f}))
			p.initialize()
			p.send(toolCall(1, "browser_start", `{}`))
			p.receive()
			const runs, calls = 60, 8
			for run := range runs {
				f.mu.Lock()
				f.calls = nil
				f.mu.Unlock()
				lines := make([]string, calls)
				for i := range lines {
					session := ""
					if i%3 == 2 {
						session = `,"sessionId":"session1"` // one's own, by name
					}
					lines[i] = toolCall(100+i, "type", fmt.Sprintf(`{"selector":{"by":"id","value":"f%d"},"text":"x"%s}`, i, session))
				}
				p.send(lines...)
				for range calls {
					p.receive()
				}
				f.mu.Lock()
				calls := slices.Clone(f.calls)
				f.mu.Unlock()
				for i, c := range calls {
					if !strings.Contains(string(c.Input), fmt.Sprintf(`"f%d"`, i)) {
						t.Fatalf("run %d: call %d was %s", run, i, c.Input)
					}
				}
			}
			p.finish()
		})
	}
}

// A script that sends everything at once gets what it means: nothing overtakes
// the start of the session that it is about.
func TestPipelinedScript(t *testing.T) {
	f := newFake()
	release, _ := block(f, "session_ensure")
	p := serveStdio(t, t.Context(), newServer(t, Options{Worker: f}))
	p.initialize()
	p.send(toolCall(1, "browser_start", `{}`), toolCall(2, "navigate", `{"url":"http://a.local/"}`),
		toolCall(3, "tap", `{}`), toolCall(4, "click", `{}`), // both refused, neither in the way
		toolCall(5, "screenshot", `{}`), toolCall(6, "browser_close", `{}`), toolCall(7, "browser_start", `{}`),
		`{"jsonrpc":"2.0","id":8,"method":"ping"}`)
	for answers := range 8 {
		if m := p.receive(); m.ID == 8.0 { // so the others have been read
			if answers > 2 {
				t.Error("a call went ahead of browser_start")
			}
			close(release)
		}
	}
	p.finish()
	want := []string{"session_ensure", "navigate", "screenshot", "session_close", "session_ensure", "session_close"}
	if got := f.asked(); !slices.Equal(got, want) {
		t.Errorf("the worker was asked %v", got)
	}
}

func TestCloseOvertakes(t *testing.T) {
	f := newFake()
	closed := make(chan struct{})
	f.before = func(ctx context.Context, call *api.Call) error {
		switch call.Operation {
		case "navigate":
			<-closed
			return api.Errorf(api.SessionClosing, "Closing.")
		case "session_close":
			close(closed)
		}
		return nil
	}
	p := serveStdio(t, t.Context(), newServer(t, Options{Worker: f}))
	p.initialize()
	p.send(toolCall(1, "browser_start", `{}`))
	p.receive()
	p.send(toolCall(2, "navigate", `{"url":"http://a.local/"}`), toolCall(3, "screenshot", `{}`))
	eventually(t, "navigate is running", func() bool { return f.count("navigate") == 1 })
	p.send(toolCall(4, "browser_close", `{}`))
	for range 3 {
		p.receive()
	}
	p.finish()
	if got := f.asked(); !slices.Equal(got, []string{"session_ensure", "navigate", "session_close"}) {
		t.Errorf("the worker was asked %v", got)
	}
}

func TestQueuedCallsEnd(t *testing.T) {
	f := newFake()
	release := make(chan struct{})
	f.before = func(_ context.Context, call *api.Call) error {
		if call.Operation == "navigate" {
			<-release
		}
		return nil
	}
	p := serveStdio(t, t.Context(), newServer(t, Options{Worker: f}))
	p.initialize()
	p.send(toolCall(1, "browser_start", `{}`))
	p.receive()
	p.send(toolCall(2, "navigate", `{"url":"http://a.local/"}`),
		toolCall(3, "screenshot", `{"timeoutMs":100}`), toolCall(4, "screenshot", `{}`), toolCall(5, "screenshot", `{}`))
	if m := p.receive(); m.ID != 3.0 || !strings.Contains(string(m.Result), `TIMEOUT`) {
		t.Errorf("a call whose time passed while queued answered %v %s", m.ID, m.Result)
	}
	p.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}`)
	if m := p.receive(); m.ID != 4.0 || !strings.Contains(string(m.Result), `CANCELLED`) {
		t.Errorf("a call cancelled while queued answered %v %s", m.ID, m.Result)
	}
	close(release)
	p.receive()
	p.receive()
	if n := f.count("screenshot"); n != 1 {
		t.Errorf("%d screenshots reached the worker", n)
	}
	p.finish()
}

func TestStdioEnds(t *testing.T) {
	for name, end := range map[string]func(cancel func(), s *Server, p *pipes){
		"input":    func(_ func(), _ *Server, p *pipes) { p.out.Close() },
		"context":  func(cancel func(), _ *Server, _ *pipes) { cancel() },
		"shutdown": func(_ func(), s *Server, _ *pipes) { s.Shutdown(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake()
			f.before = func(ctx context.Context, call *api.Call) error {
				if call.Operation == "navigate" {
					<-ctx.Done()
					return api.Errorf(api.Cancelled, "Cancelled.")
				}
				return nil
			}
			s := newServer(t, Options{Worker: f})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			p := serveStdio(t, ctx, s)
			p.initialize()
			p.send(toolCall(1, "browser_start", `{}`))
			p.receive()
			p.send(toolCall(2, "navigate", `{"url":"http://a.local/"}`), toolCall(3, "screenshot", `{}`))
			eventually(t, "navigate is running", func() bool { return f.count("navigate") == 1 })
			end(cancel, s, p)
			p.finish()
			if f.open() != 0 || f.count("screenshot") != 0 {
				t.Errorf("%d sessions are left, %v", f.open(), f.asked())
			}
			s.places.Range(func(any, any) bool { t.Error("a place is left"); return true })
		})
	}
}
