package driver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// odd is a driver that gives every command the same answer.
type odd struct {
	status int
	ctype  string
	body   string

	mu          sync.Mutex
	asked       []string
	connections int
}

func (d *odd) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	d.mu.Lock()
	d.asked = append(d.asked, fmt.Sprintf("%s %s %d %s", q.Method, q.URL.Path, q.ContentLength, body))
	d.mu.Unlock()
	w.Header().Set("Content-Type", d.ctype)
	w.WriteHeader(d.status)
	io.WriteString(w, d.body)
}

// against is a session of a driver that has only its HTTP side.
func against(t *testing.T, d *odd, keepAlive bool) *Session {
	server := httptest.NewUnstartedServer(d)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			d.mu.Lock()
			d.connections++
			d.mu.Unlock()
		}
	}
	server.Start()
	s := &Session{client: newClient(server.URL+"/session/1", launch{keepAlive: keepAlive})}
	if err := s.adopt(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.lose(errClosed); server.Close() })
	return s
}

// commands are one void command and one with a value, over tebeka and raw.
var commands = map[string]func(context.Context, *Session) error{
	"click":       func(ctx context.Context, s *Session) error { return s.Click(ctx, Element{"e"}) },
	"find":        func(ctx context.Context, s *Session) error { _, err := s.Find(ctx, "xpath", "//a"); return err },
	"window":      func(ctx context.Context, s *Session) error { _, err := s.Window(ctx); return err },
	"windows":     func(ctx context.Context, s *Session) error { _, err := s.Windows(ctx); return err },
	"parentFrame": func(ctx context.Context, s *Session) error { return s.ParentFrame(ctx) },
	"screenshot":  func(ctx context.Context, s *Session) error { _, err := s.Screenshot(ctx); return err },
}

func TestErrorCodes(t *testing.T) {
	for code, kind := range kinds {
		for _, stack := range []string{`"#0 0x55"`, `[{"className":"a","lineNumber":1}]`} { // Grid sends an array
			for name, command := range commands {
				t.Run(code+"/"+name, func(t *testing.T) {
					s := against(t, &odd{status: 500, ctype: "application/json",
						body: `{"value":{"error":"` + code + `","message":"m","data":{"text":"hi"},"stacktrace":` + stack + `}}`}, true)
					err := command(t.Context(), s)
					var e *Error
					if !errors.As(err, &e) || e.Kind != kind || e.W3C != code || e.Message != "m" || e.HTTP != 500 || e.Running {
						t.Fatalf("got %+v", err)
					}
					if message, ok := e.Dialog(); ok != (kind == DialogOpen) || ok && message != "hi" {
						t.Errorf("dialog %q, %v", message, ok)
					}
					if (s.Why() != nil) != (kind == Lost) {
						t.Errorf("why: %v", s.Why())
					}
				})
			}
		}
	}
}

func TestOddReplies(t *testing.T) {
	const js, html = "application/json; charset=utf-8", "text/html"
	for _, c := range []struct {
		name        string
		status      int
		ctype, body string
		kind        Kind
	}{
		{"HTML", 502, html, "<html>502 Bad Gateway</html>", Lost},
		{"HTML under 200", 200, html, "<p>hello</p>", Lost},
		{"truncated", 200, js, `{"value":{"error":"no such el`, Lost},
		{"empty", 200, js, ``, Lost},
		{"no value", 200, js, `{}`, Lost},
		{"null under 500", 500, js, `{"value":null}`, Unknown},
		{"string under 500", 500, js, `{"value":"oops"}`, Unknown},
		{"IEDriver: text under 200", 200, js, `{"value":"some message"}`, Unknown},
		{"IEDriver: browser gone under 200", 200, js, `{"value":"Unable to get browser"}`, Lost},
		{"IEDriver: error under 200", 200, js, `{"value":{"error":"no such window","message":"m"}}`, NoWindow},
		{"IEDriver: empty code", 200, js, `{"value":{"error":"","message":"m"}}`, Unknown},
		{"IEDriver: unknown method", 405, html, `{"value":{"error":"unknown method","message":"m","stacktrace":""}}`, Unsupported},
		{"navigation", 500, js, `{"value":{"error":"unknown error","message":"unknown error: net::ERR_NAME_NOT_RESOLVED\n  (Session info)"}}`, NavigationFailed},
		{"chromedriver: gone", 500, js, `{"value":{"error":"unknown error","message":"disconnected: not connected to DevTools"}}`, Lost},
		{"code of the future", 500, js, `{"value":{"error":"fresh trouble","message":"m"}}`, Unknown},
	} {
		for name, command := range commands {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				s := against(t, &odd{status: c.status, ctype: c.ctype, body: c.body}, true)
				err := command(t.Context(), s)
				if KindOf(err) != c.kind {
					t.Errorf("got %v, want %q", err, c.kind)
				}
			})
		}
	}
}

func TestScreenshotEmpty(t *testing.T) { // IEDriver's failed screenshot
	s := against(t, &odd{status: 200, ctype: "application/json", body: `{"value":""}`}, true)
	if _, err := s.Screenshot(t.Context()); KindOf(err) != Unknown {
		t.Errorf("got %v", err)
	}
}

func TestDriverGone(t *testing.T) {
	s := &Session{client: newClient("http://127.0.0.1:1", launch{})}
	if err := s.adopt(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Click(t.Context(), Element{"e"}); KindOf(err) != Lost {
			t.Errorf("got %v", err)
		}
	}
}

func TestLimitsAreSentWhenTheyChange(t *testing.T) {
	d := &odd{status: 200, ctype: "application/json", body: `{"value":null}`}
	s := against(t, d, false)
	for _, limit := range []time.Duration{9 * time.Second, 8100 * time.Millisecond, 60 * time.Second} {
		if err := s.Navigate(t.Context(), "http://x/", limit); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Back(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`POST /session/1/timeouts 45 {"implicit":0,"pageLoad":9000,"script":60000}`,
		`POST /session/1/url 19 {"url":"http://x/"}`,
		`POST /session/1/url 19 {"url":"http://x/"}`,
		`POST /session/1/timeouts 46 {"implicit":0,"pageLoad":60000,"script":60000}`,
		`POST /session/1/url 19 {"url":"http://x/"}`,
		`POST /session/1/back 2 {}`,
	}
	if fmt.Sprint(d.asked) != fmt.Sprint(want) {
		t.Errorf("asked\n%q\nwant\n%q", d.asked, want)
	}
	if d.connections != len(want) { // no keep-alive
		t.Errorf("%d connections for %d commands", d.connections, len(want))
	}
}

func TestScriptResultThatLooksLikeAnError(t *testing.T) {
	s := against(t, &odd{status: 200, ctype: "application/json", body: `{"value":{"error":"no such element","message":"m"}}`}, true)
	result, err := s.Execute(t.Context(), "return 1", nil)
	if err != nil || string(result) != `{"error":"no such element","message":"m"}` {
		t.Errorf("got %s, %v", result, err)
	}
}

func TestStrayRequestFailsClosed(t *testing.T) {
	install()
	d := &odd{status: 200, ctype: "application/json", body: `{"value":null}`}
	s := against(t, d, true)
	if err := s.wd.Back(); err == nil { // outside any operation
		t.Error("a stray command was sent")
	}
	if len(d.asked) != 0 {
		t.Errorf("asked %q", d.asked)
	}
}
