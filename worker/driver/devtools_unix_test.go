//go:build linux || darwin

package driver

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestCommittedWhileNavigationsAndDialogsWait(t *testing.T) {
	over, ask := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		wait := over
		switch q.URL.Path {
		case "/a":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<title>a</title><script>fetch('/ask').then(function () { alert('a') })</script>`)
			return
		case "/ask":
			wait = ask
		}
		select {
		case <-wait:
		case <-q.Context().Done():
		}
	}))
	t.Cleanup(func() { close(over); server.CloseClientConnections(); server.Close() })
	s := openOne(t)
	window, err := s.Window(within(t, 10*time.Second))
	must(t, err)
	load(t, s, server.URL+"/a")
	leaveNavigating(t, s, window, server.URL+"/silent")
	committed := func(when string) {
		t.Helper()
		ctx := within(t, 5*time.Second)
		if at, ok := s.Committed(ctx, window); !ok || at != server.URL+"/a" {
			t.Errorf("%s: committed %q, %v", when, at, ok)
		}
		if at, _ := s.Locations(ctx); urlOf(at, window) != server.URL+"/silent" {
			t.Errorf("%s: locations %v", when, at)
		}
	}
	committed("navigating")
	close(ask)
	must(t, s.Settled(within(t, 10*time.Second))) // the dialog ends the command, not the load
	if message, err := s.DialogText(within(t, 10*time.Second)); err != nil || message != "a" {
		t.Errorf("message %q, %v", message, err)
	}
	committed("navigating under a dialog")
}

// leaveNavigating begins to load what never answers, and leaves the command. Navigate
// would stop the load then.
func leaveNavigating(t *testing.T, s *Session, window, url string) {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() {
		left <- s.do(ctx, "navigate", null, func(*op) error { return s.wd.Get(url) })
	}()
	eventually(t, 10*time.Second, "a navigation is pending", func() bool {
		at, _ := s.Locations(t.Context())
		return urlOf(at, window) == url
	})
	leave()
	wantKind(t, <-left, Context)
}

func TestCommittedDocument(t *testing.T) {
	over := make(chan struct{})
	var mute atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if mute.Load() {
			select {
			case <-over:
			case <-q.Context().Done():
			}
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<script>onunload = function () {}</script>`)
	}))
	t.Cleanup(func() { close(over); server.CloseClientConnections(); server.Close() })
	one, two := server.URL, strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	s := openOne(t)
	ctx := within(t, 60*time.Second)
	window, err := s.Window(ctx)
	must(t, err)
	committed := func(want string) {
		t.Helper()
		if at, ok := s.Committed(ctx, window); !ok || at != want {
			t.Errorf("committed %q, %v, want %q", at, ok, want)
		}
	}
	load(t, s, one+"/1")
	load(t, s, two+"/2")
	mute.Store(true)
	_, err = s.Execute(within(t, 200*time.Millisecond), "history.back()", nil)
	wantKind(t, err, Context)
	step := func() bool { // Chromium's current entry is the pending one
		var history struct {
			CurrentIndex int
			Entries      []struct{ URL string }
		}
		return s.ask(ctx, window, &question{method: "Page.getNavigationHistory", result: &history}) &&
			history.Entries[history.CurrentIndex].URL == one+"/1"
	}
	eventually(t, 5*time.Second, "a step back is pending", step)
	committed(two + "/2")
	if !step() {
		t.Error("the step was over")
	}
	stop := &question{method: "Page.stopLoading", result: new(struct{})}
	if !s.ask(ctx, window, stop) || !stop.answered {
		t.Error("not stopped")
	}
	committed(two + "/2")
	mute.Store(false)
	load(t, s, "data:text/html,x")
	committed("data:text/html,x")
	mute.Store(true)
	leaveNavigating(t, s, window, one+"/3")
	committed("data:text/html,x")

	if at, ok := s.Committed(ctx, "nonsense"); ok {
		t.Errorf("committed of no window: %q", at)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, ok := s.Committed(ended, window); ok {
		t.Error("answered under a context that had ended")
	}
	s.Close()
	if _, ok := s.Committed(ctx, window); ok {
		t.Error("answered after the end")
	}
}

func TestNavigationThatIsLeftIsStopped(t *testing.T) {
	url := site(t, map[string]string{"/": "<title>here</title><a href=/silent>x</a>"})
	s := openOne(t)
	ctx := within(t, 60*time.Second)
	window, err := s.Window(ctx)
	must(t, err)
	load(t, s, url+"/")
	wantKind(t, s.Navigate(within(t, 200*time.Millisecond), url+"/silent", 30*time.Second), Context)
	start := time.Now()
	must(t, s.Settled(within(t, 10*time.Second)))
	t.Logf("free after %s", time.Since(start))
	if got := eval(t, s, "return document.title"); got != `"here"` {
		t.Errorf("at %s", got)
	}
	if at, _ := s.Locations(ctx); urlOf(at, window) != url+"/" {
		t.Errorf("the navigation goes on: %v", at)
	}
	// The answer to a click is wanted, whoever has left.
	must(t, s.AllowLoads(ctx))
	wantKind(t, s.Click(within(t, 500*time.Millisecond), find(t, s, "a")), Context)
	wantKind(t, s.Settled(within(t, 1500*time.Millisecond)), Context)
	if !s.ask(ctx, window, &question{method: "Page.stopLoading", result: new(struct{})}) {
		t.Error("no debugger")
	}
	must(t, s.Settled(within(t, 10*time.Second)))
}

func TestOpener(t *testing.T) {
	url := site(t, map[string]string{
		"/": `<button onclick="window.open('/silent'); window.open(); alert('opened')">b</button>
			<a href=/next target=_blank>n</a>`,
		"/next": "x",
	})
	s := openOne(t)
	ctx := within(t, 60*time.Second)
	window, err := s.Window(ctx)
	must(t, err)
	load(t, s, url+"/")
	must(t, s.Click(ctx, find(t, s, "a")))
	must(t, s.Click(ctx, find(t, s, "button")))
	at, _ := s.Locations(ctx)
	if len(at) != 4 {
		t.Fatalf("locations %v", at)
	}
	for i, want := range []string{"", window, window, window} {
		if opener, ok := s.Opener(ctx, at[i].Handle); !ok || opener != want {
			t.Errorf("%d: opener %q, %v, want %q", i, opener, ok, want)
		}
	}
	for i, want := range []string{url + "/", url + "/next", "about:blank", "about:blank"} {
		if got, ok := s.Committed(ctx, at[i].Handle); !ok || got != want {
			t.Errorf("%d: committed %q, %v, want %q", i, got, ok, want)
		}
	}
	must(t, s.AcceptDialog(ctx))
	_, err = s.CloseWindow(ctx)
	must(t, err)
	if opener, ok := s.Opener(ctx, at[1].Handle); !ok || opener != "" {
		t.Errorf("opener that is closed: %q, %v", opener, ok)
	}
	if _, ok := s.Opener(ctx, window); ok {
		t.Error("a closed window answers")
	}
}

func TestSubframes(t *testing.T) {
	other := site(t, map[string]string{"/": `<iframe src=/inner></iframe>`, "/inner": "x"})
	elsewhere := strings.Replace(other, "127.0.0.1", "localhost", 1) // another process
	url := site(t, map[string]string{
		"/":      `<iframe src="` + other + `/"></iframe><iframe src="` + elsewhere + `/"></iframe><iframe srcdoc="x"></iframe>`,
		"/open":  `<button onclick="window.open('/'); alert('opened')">b</button>`,
		"/many":  "<body>" + strings.Repeat("<iframe></iframe>", framesLimit+1),
		"/plain": "x",
	})
	s := openOne(t)
	ctx := within(t, 60*time.Second)
	window, err := s.Window(ctx)
	must(t, err)
	load(t, s, url+"/")
	got, ok := s.Subframes(ctx, window)
	slices.Sort(got)
	want := []string{"about:srcdoc", other + "/", other + "/inner", elsewhere + "/", elsewhere + "/inner"}
	slices.Sort(want)
	if !ok || !slices.Equal(got, want) {
		t.Errorf("frames %v, %v, want %v", got, ok, want)
	}
	load(t, s, url+"/plain")
	if got, ok := s.Subframes(ctx, window); !ok || len(got) != 0 {
		t.Errorf("frames of a page without: %v, %v", got, ok)
	}
	load(t, s, url+"/many")
	if got, ok := s.Subframes(ctx, window); ok {
		t.Errorf("%d frames", len(got))
	}
	load(t, s, url+"/open")
	must(t, s.Click(ctx, find(t, s, "button")))
	start := time.Now()
	if _, ok := s.Subframes(ctx, window); ok || time.Since(start) > debuggerLimit+time.Second {
		t.Errorf("under a dialog: %v after %s", ok, time.Since(start))
	}
	if message, err := s.DialogText(ctx); err != nil || message != "opened" {
		t.Errorf("%q, %v: the question closed the dialog", message, err)
	}
}
