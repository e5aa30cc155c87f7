//go:build linux || darwin

package driver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image/png"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestCommands(t *testing.T) {
	url := site(t, map[string]string{
		"/":      `<title>one</title><input id=i value=abc><a id=next href=/next>next</a><iframe src=/frame></iframe>`,
		"/next":  `<title>two</title>`,
		"/frame": `<p id=inner>in the frame</p>`,
	})
	s := openOne(t)
	ctx := within(t, 60*time.Second)
	if !strings.Contains(s.BrowserVersion(), ".") || len(s.Ports()) != 2 {
		t.Errorf("version %q, ports %v", s.BrowserVersion(), s.Ports())
	}
	load(t, s, url+"/")

	window, err := s.Window(ctx)
	must(t, err)
	if at, ok := s.Locations(ctx); !ok || urlOf(at, window) != url+"/" {
		t.Errorf("locations %v", at)
	}

	if got := eval(t, s, `return {error: "x", n: 12345678901234567}`); got != `{"error":"x","n":12345678901234568}` {
		t.Errorf("result %s", got)
	}
	_, err = s.Execute(ctx, "throw new Error('boo')", nil)
	wantKind(t, err, Script)

	// A script's element comes back as a reference and goes in as one.
	var input Element
	must(t, json.Unmarshal([]byte(eval(t, s, "return document.getElementById('i')")), &input))
	if got := eval(t, s, "return arguments[0].id", input); got != `"i"` {
		t.Errorf("id %s", got)
	}
	if json.Unmarshal([]byte("null"), &Element{}) == nil && json.Unmarshal([]byte(`{"a":"b"}`), &Element{}) == nil {
		t.Error("what is no reference was read as one")
	}

	must(t, s.SendKeys(ctx, input, "X"))
	if got := eval(t, s, "return arguments[0].value", input); got != `"abcX"` {
		t.Errorf("value %s", got)
	}
	// The driver leaves focus and selection alone where the element has the focus.
	eval(t, s, "arguments[0].focus(); arguments[0].select()", input)
	must(t, s.SendKeys(ctx, input, "\ue003日本"))
	if got := eval(t, s, "return arguments[0].value", input); got != `"日本"` {
		t.Errorf("value %s", got)
	}

	frame := find(t, s, "iframe")
	must(t, s.SwitchFrame(ctx, &frame))
	find(t, s, "#inner")
	must(t, s.ParentFrame(ctx))
	must(t, s.SwitchFrame(ctx, &frame))
	must(t, s.SwitchFrame(ctx, nil))
	_, err = s.Find(ctx, "css selector", "#inner")
	wantKind(t, err, NoElement)
	_, err = s.Find(ctx, "css selector", "[[")
	wantKind(t, err, InvalidSelector)
	_, err = s.Find(ctx, "id", "i")
	wantKind(t, err, InvalidArgument)

	picture, err := s.Screenshot(ctx)
	must(t, err)
	if size, err := png.DecodeConfig(bytes.NewReader(picture)); err != nil || size.Width != 1280 || size.Height != 720 {
		t.Errorf("screenshot %+v, %v", size, err)
	}

	must(t, s.Click(ctx, find(t, s, "#next")))
	if got := eval(t, s, "return document.title"); got != `"two"` {
		t.Errorf("after the click: %s", got)
	}
	wantKind(t, s.Click(ctx, input), Stale)
	must(t, s.Back(ctx))
	must(t, s.Forward(ctx))
	must(t, s.Refresh(ctx))

	other, err := s.NewWindow(ctx)
	must(t, err)
	must(t, s.SwitchWindow(ctx, other))
	if all, err := s.Windows(ctx); err != nil || len(all) != 2 || !slices.Contains(all, other) {
		t.Errorf("windows %v, %v", all, err)
	}
	left, err := s.CloseWindow(ctx)
	must(t, err)
	if len(left) != 1 || left[0] != window {
		t.Errorf("left %v", left)
	}
	_, err = s.Execute(ctx, "return 1", nil)
	wantKind(t, err, NoWindow)
	wantKind(t, s.SwitchWindow(ctx, "nonsense"), NoWindow)
	must(t, s.SwitchWindow(ctx, window))

	free, err := freePort()
	must(t, err)
	refused := wantKind(t, s.Navigate(ctx, "http://127.0.0.1:"+strconv.Itoa(free)+"/", 9*time.Second), NavigationFailed)
	if refused.Message != "ERR_CONNECTION_REFUSED" {
		t.Errorf("reason %q", refused.Message)
	}
	wantKind(t, s.Navigate(ctx, "notaurl", time.Second), InvalidArgument)

	// A bad certificate is no error to chromedriver: it is an error page, and Locations
	// gives the URL that was asked for.
	secure := httptest.NewUnstartedServer(nil)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	load(t, s, secure.URL)
	if got := eval(t, s, "return location.href"); got != `"chrome-error://chromewebdata/"` {
		t.Errorf("at %s", got)
	}
	if at, _ := s.Locations(ctx); urlOf(at, window) != secure.URL+"/" {
		t.Errorf("locations %v", at)
	}

	left, err = s.CloseWindow(ctx)
	must(t, err)
	if len(left) != 0 {
		t.Errorf("left %v", left)
	}
	select {
	case <-s.Lost():
	case <-ctx.Done():
		t.Error("the session has no window and lives on")
	}
}

func TestDialogs(t *testing.T) {
	url := site(t, map[string]string{
		"/load": `<body onload="alert('on load')">`,
		"/":     `<button onclick="document.title = prompt('name?')">b</button>`,
		"/open": `<button onclick="window.open('/'); alert('opened')">b</button>`,
	})
	s := openOne(t)
	ctx := within(t, 60*time.Second)
	// Measured: navigation answers with success while the page's own dialog is open.
	load(t, s, url+"/load")
	_, err := s.Execute(ctx, "return 1", nil)
	if message, ok := wantKind(t, err, DialogOpen).Dialog(); !ok || message != "on load" {
		t.Errorf("message %q, %v", message, ok)
	}
	if strings.Contains(err.Error(), "on load") {
		t.Errorf("the error quotes the page: %v", err)
	}
	window, err := s.Window(ctx)
	must(t, err)
	if at, ok := s.Locations(ctx); !ok || urlOf(at, window) != url+"/load" {
		t.Errorf("locations while a dialog is open: %v", at)
	}
	if message, err := s.DialogText(ctx); err != nil || message != "on load" {
		t.Errorf("message %q, %v", message, err)
	}
	must(t, s.DismissDialog(ctx))
	wantKind(t, s.AcceptDialog(ctx), NoDialog)

	load(t, s, url+"/")
	must(t, s.Click(ctx, find(t, s, "button")))
	must(t, s.SendDialogText(ctx, "Yamada"))
	must(t, s.AcceptDialog(ctx))
	if got := eval(t, s, "return document.title"); got != `"Yamada"` {
		t.Errorf("answer %s", got)
	}

	// A new window cannot load while its opener's dialog is open. Windows would hang
	// now, and cost the session; Locations knows the window already.
	load(t, s, url+"/open")
	must(t, s.Click(ctx, find(t, s, "button")))
	if message, err := s.DialogText(ctx); err != nil || message != "opened" {
		t.Errorf("message %q, %v", message, err)
	}
	at, _ := s.Locations(ctx)
	must(t, s.AcceptDialog(ctx))
	windows, err := s.Windows(ctx)
	must(t, err)
	if len(at) != 2 || len(windows) != 2 || at[1].Handle != windows[len(windows)-1] {
		t.Errorf("locations %v, windows %v", at, windows)
	}
}

func TestDetachedCommandSettles(t *testing.T) {
	s := openOne(t)
	load(t, s, "data:text/html,<title>x</title>")
	const busy = "var end = Date.now() + 1500; while (Date.now() < end); document.title = 'done'"
	start := time.Now()
	_, err := s.Execute(within(t, 300*time.Millisecond), busy, nil)
	if e := wantKind(t, err, Context); !e.Running || time.Since(start) > time.Second {
		t.Errorf("running %v after %s", e.Running, time.Since(start))
	}
	_, err = s.Window(within(t, 100*time.Millisecond)) // waits for the slot under its own context
	if wantKind(t, err, Context).Running {
		t.Error("a command that waited says that it was sent")
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Window(over)
	if wantKind(t, err, Context).Running {
		t.Error("a command of an ended context says that it was sent")
	}
	must(t, s.Settled(within(t, 10*time.Second)))
	if got := eval(t, s, "return document.title"); got != `"done"` {
		t.Errorf("title %s", got)
	}
}

func TestPageLoadLimits(t *testing.T) {
	url := site(t, map[string]string{"/": "<title>x</title>"})
	s := openOne(t)
	start := time.Now()
	wantKind(t, s.Navigate(within(t, 20*time.Second), url+"/silent", 300*time.Millisecond), Timeout)
	if took := time.Since(start); took < 900*time.Millisecond {
		t.Errorf("gave up after %s, limit rounded up is 1s", took)
	}
	load(t, s, url+"/")
	must(t, s.AllowLoads(within(t, time.Second)))
	if got := eval(t, s, "return 1"); got != "1" || s.limits != (limits{commandLimit, commandLimit}) {
		t.Errorf("%s under %v", got, s.limits)
	}
}

func TestCommandThatNeverSettlesCostsOnlyItsSession(t *testing.T) {
	stuck, other := openOne(t), openMore(t)
	stuck.settle = 500 * time.Millisecond
	_, err := stuck.Execute(within(t, 100*time.Millisecond), "while (true);", nil)
	wantKind(t, err, Context)
	select {
	case <-stuck.Lost():
	case <-time.After(10 * time.Second):
		t.Fatal("not given up")
	}
	wantKind(t, stuck.Why(), Lost)
	if got := eval(t, other, "return 1"); got != "1" {
		t.Errorf("got %s", got)
	}
}

func TestLongLoadLimitIsNotHeldForAStall(t *testing.T) {
	answer := make(chan struct{})
	driver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/timeouts" {
			<-answer
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		fmt.Fprint(w, `{"value":null}`)
	}))
	defer driver.Close()
	c := newClient(driver.URL, launch{keepAlive: true})
	defer c.lose(errClosed)
	c.settle = 50 * time.Millisecond
	err := c.doWithin(within(t, 100*time.Millisecond), commandLimit+20*time.Second, "navigate", null, func(o *op) error {
		_, err := c.send(o, null, http.MethodPost, "/url", nil)
		return err
	})
	wantKind(t, err, Context)
	wantKind(t, c.Settled(within(t, 300*time.Millisecond)), Context)
	close(answer)
	must(t, c.Settled(within(t, 10*time.Second)))
}

func TestWatchingPauses(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	dead := make(chan struct{})
	go watchBrowser(t.Context(), l.Addr().String(), dead)
	start := time.Now()
	for range 5 {
		conn, err := l.Accept()
		must(t, err)
		conn.Close()
	}
	if took := time.Since(start); took < 150*time.Millisecond {
		t.Errorf("5 connections in %s", took)
	}
	l.Close()
	select {
	case <-dead:
	case <-time.After(5 * time.Second):
		t.Error("the end was not noticed")
	}
}

func TestClose(t *testing.T) {
	before := runtime.NumGoroutine()
	s := openOne(t)
	running := make(chan error, 1)
	go func() { _, err := s.Execute(context.Background(), "while (true);", nil); running <- err }()
	eventually(t, 5*time.Second, "a command runs", func() bool { return len(s.slot) == 1 })
	var all sync.WaitGroup
	for range 3 {
		all.Go(s.Close)
	}
	all.Wait()
	wantKind(t, <-running, Lost)
	if files, err := os.ReadDir(os.TempDir()); err != nil || len(files) != 0 {
		t.Errorf("files left: %v, %v", files, err)
	}
	if s.Why() != errClosed {
		t.Errorf("why: %v", s.Why())
	}
	eventually(t, 5*time.Second, "goroutines over", func() bool { return runtime.NumGoroutine() <= before })
}

func TestOpenGivenUpLeavesNothing(t *testing.T) {
	emptied(t)
	for _, after := range []time.Duration{0, 5, 40, 120, 300, 500} {
		start := time.Now()
		s, err := Open(within(t, after*time.Millisecond), Config{Engine: "chromium", Headless: "true"})
		if err == nil {
			s.Close()
			continue
		}
		wantKind(t, err, Context)
		t.Logf("given up at %d ms, returned after %s", after, time.Since(start))
		if files, err := os.ReadDir(os.TempDir()); err != nil || len(files) != 0 {
			t.Errorf("files left: %v, %v", files, err)
		}
	}
}

func TestOpenFailures(t *testing.T) {
	emptied(t)
	_, err := Open(t.Context(), Config{Engine: "netscape"})
	wantKind(t, err, InvalidArgument)
	_, err = Open(t.Context(), Config{Engine: "chromium", DriverPath: "/nowhere/chromedriver"})
	if e := wantKind(t, err, NotInstalled); !strings.Contains(e.Message, "install") {
		t.Errorf("message %q", e.Message)
	}
	wantKind(t, Check(Config{Engine: "chromium", BrowserPath: "/nowhere/chromium"}), NotInstalled)
	must(t, Check(Config{Engine: "chromium"}))
	_, err = Open(t.Context(), Config{Engine: "chromium", DriverPath: "/bin/false"})
	wantKind(t, err, NotStarted)
	_, err = Open(t.Context(), Config{Engine: "chromium", BrowserPath: "/bin/false"})
	wantKind(t, err, NotStarted)
}

func TestFolderLeavesRoomForASocketPath(t *testing.T) {
	t.Setenv("TMPDIR", "/var/folders/zz/zyxvpxvq6csfxvn_n0000000000000/T/")
	if folder := newFolder(); len(folder)+len("/org.chromium.Chromium.scoped_dir.XXXXXX/SingletonSocket") > 103 {
		t.Errorf("%s is too long", folder)
	}
}

func TestDriverThatExitsAtOnceIsStartedAgain(t *testing.T) {
	chromedriver, err := exec.LookPath("chromedriver")
	must(t, err)
	folder := t.TempDir()
	flaky := filepath.Join(folder, "flaky")
	must(t, os.WriteFile(flaky, []byte(fmt.Sprintf("#!/bin/sh\nmkdir %s/once && exit 1\nexec %s \"$@\"\n", folder, chromedriver)), 0o700))
	emptied(t)
	s, err := Open(t.Context(), Config{Engine: "chromium", DriverPath: flaky, Headless: "true"})
	must(t, err)
	s.Close()
}

func urlOf(list []Location, window string) string {
	for _, l := range list {
		if l.Handle == window {
			return l.URL
		}
	}
	return ""
}
