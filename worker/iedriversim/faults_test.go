package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// never is a command that must not be answered; it waits a little for it.
func (c client) never(method, path string, body any) {
	c.Helper()
	ctx, cancel := context.WithTimeout(c.Context(), 600*time.Millisecond)
	defer cancel()
	if r := c.doWithin(ctx, method, path, body); !errors.Is(r.err, context.DeadlineExceeded) {
		c.Errorf("%s %s was answered: %d %s %v", method, path, r.status, r.value, r.err)
	}
}

func TestRefusedSessions(t *testing.T) {
	s := start(t, `{"faults":{"protectedMode":true}}`)
	c := client{t, s}
	c.fails(s.do("POST", "/session", wish), 500, notCreated, "Unexpected error launching Internet Explorer. Protected Mode settings are not the same for all zones. Enable Protected Mode must be set to the same value (enabled or disabled) for all zones.")

	c.settings(`{"faults":{"attachFailure":true}}`)
	_, message, _ := s.do("POST", "/session", wish).failure()
	if !strings.HasPrefix(message, "Unexpected error launching Internet Explorer. Could not find an Internet Explorer window belonging to the process with ID ") ||
		!strings.HasSuffix(message, " within 30000 milliseconds.") {
		t.Errorf("%s", message)
	}
	if processes, profiles := s.sweep(); processes < 3 || profiles != 1 {
		t.Errorf("%d processes, %d profiles left; want those of a browser", processes, profiles)
	}
}

func TestNoDriver(t *testing.T) {
	s := start(t, `{"chromedriver":"/nonexistent/driver"}`)
	_, message, _ := s.do("POST", "/session", wish).failure()
	if !strings.HasPrefix(message, "Unexpected error launching Internet Explorer. ") || !strings.Contains(message, "/nonexistent/driver") {
		t.Errorf("%s", message)
	}
}

func TestAttachForever(t *testing.T) {
	s := start(t, `{"faults":{"attachForever":true}}`)
	client{t, s}.never("POST", "/session", wish)
	s.do("GET", "/shutdown", nil)
	<-s.exited
	if processes, profiles := s.sweep(); processes < 3 || profiles != 1 {
		t.Errorf("%d processes, %d profiles left; want those of a browser", processes, profiles)
	}
}

func TestHangOnQuit(t *testing.T) {
	s := startSession(t, `{"faults":{"hangOnQuit":true}}`)
	client{t, s}.never("DELETE", s.session, nil)
	if r := s.do("GET", "/status", nil); !strings.Contains(string(r.value), `"ready":false`) {
		t.Errorf("%s", r.value)
	}
}

func TestDeaths(t *testing.T) {
	s := startSession(t, quick)
	c := client{t, s}
	c.page(`<p>`)
	c.js("document.title = 'x'")
	c.settings(`{"faults":{"dieBetween":{"command":"getTitle","nth":2}}}`)
	for range 2 {
		if got := c.must("GET", "/title", nil); got != `"x"` {
			t.Errorf("%s", got)
		}
	}
	<-s.exited
	if processes, profiles := s.sweep(); processes < 3 || profiles != 1 {
		t.Errorf("%d processes, %d profiles left; want those of a browser", processes, profiles)
	}
}

func TestDeathInCommand(t *testing.T) {
	s := startSession(t, `{"faults":{"dieInCommand":{"command":"executeScript"}}}`)
	if r := s.do("POST", s.session+"/execute/sync", script("return 1")); r.err == nil {
		t.Errorf("%s", r.value)
	}
	<-s.exited
	s.sweep()
}

func TestBrowserDies(t *testing.T) {
	s := startSession(t, `{"faults":{"browserDies":{"command":"getTitle"}}}`)
	c := client{t, s}
	c.fails(c.try("GET", "/title", nil), 404, noWindow, "Unable to get browser")
	c.fails(c.try("GET", "/title", nil), 404, noWindow, "Unable to get browser")
	if got := c.must("GET", "/window/handles", nil); got != "[]" {
		t.Errorf("%s", got)
	}
	if r := c.do("GET", "/status", nil); !strings.Contains(string(r.value), `"ready":false`) {
		t.Errorf("the session is gone: %s", r.value)
	}
	c.must("DELETE", "", nil)
}

func TestSmallFaults(t *testing.T) {
	c := on(t, `{"faults":{"screenshotFails":true,"integerCode":"click"}}`)
	c.page(`<button id=b onclick="document.title='clicked'">b</button><input id=f type=file>`)
	if got := c.must("GET", "/screenshot", nil); got != `""` {
		t.Errorf("%.40s", got)
	}
	if got := c.must("POST", "/element/"+c.find("#b")+"/click", nil); got != `"Unable to get browser"` {
		t.Errorf("%s", got)
	}
	if got := c.must("GET", "/title", nil); got == `"clicked"` {
		t.Error("clicked")
	}
}

// A script that closes its window is never answered, and the session is of no more use.
func TestCloseInScript(t *testing.T) {
	s := startSession(t, quick)
	c := client{t, s}
	c.page(`<button id=o onclick="window.open('` + put(`<p>`) + `')">o</button>`)
	first := c.must("GET", "/window", nil)
	c.click("#o")
	for _, handle := range c.handles() {
		if `"`+handle+`"` != first {
			c.must("POST", "/window", map[string]string{"handle": handle})
		}
	}
	c.never("POST", s.session+"/execute/sync", script("window.close()"))
	c.never("GET", s.session+"/window/handles", nil)
	c.must("DELETE", "", nil)
}

func TestUploadHangs(t *testing.T) {
	s := startSession(t, `{"faults":{"uploadHangs":true}}`)
	c := client{t, s}
	c.page(`<input id=f type=file>`)
	c.never("POST", s.session+"/element/"+c.find("#f")+"/value", map[string]string{"text": binary})
}

// The last window closed ends the session.
func TestLastWindow(t *testing.T) {
	s := startSession(t, quick)
	c := client{t, s}
	if got := c.must("DELETE", "/window", nil); got != "[]" {
		t.Errorf("%s", got)
	}
	if r := c.try("GET", "/title", nil); r.status != 404 {
		t.Errorf("%d %s", r.status, r.value)
	}
	if err := s.open(); err != nil {
		t.Error(err)
	}
}

// A script without end: the limit is kept, and the session ends all the same.
func TestEndlessScript(t *testing.T) {
	s := startSession(t, quick)
	c := client{t, s}
	c.must("POST", "/timeouts", map[string]any{"script": 1000})
	c.fails(c.try("POST", "/execute/sync", script("while (true) {}")), 500, scriptTimeout, "Timed out waiting for script to complete.")
	c.must("DELETE", "", nil)
}

// A chromedriver that finds its port taken ends at once; the next one does not.
func TestTakenPort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chromedriver")
	program := fmt.Sprintf(`#!/bin/sh
test -e %[1]q && exec chromedriver "$@"
touch %[1]q
echo IPv6 port not available. Exiting...
exit 1
`, path+".tried")
	if err := os.WriteFile(path, []byte(program), 0o700); err != nil {
		t.Fatal(err)
	}
	b, err := startBackend(settings{Chromedriver: path})
	if err != nil {
		t.Fatal(err)
	}
	defer b.end()
	if _, err := b.send("GET", "/status", nil); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho no library\nexit 127\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := startBackend(settings{Chromedriver: path}); !errors.Is(err, errEnded) || !strings.Contains(err.Error(), "no library") {
		t.Errorf("%v", err)
	}
}

// A chromedriver that runs already.
func TestChromedriverByURL(t *testing.T) {
	folder, err := os.MkdirTemp("", "u") // short: Chromium's sockets lie below it
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", folder)
	b, err := startBackend(settings{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		b.end()
		remove(folder)
	}()
	s := startSession(t, `{"chromedriverUrl":"`+b.url+`"}`)
	c := client{t, s}
	c.page(`<title>far</title>`)
	if got := c.must("GET", "/title", nil); got != `"far"` {
		t.Errorf("%s", got)
	}
	c.must("DELETE", "", nil)
	if _, err := b.send("GET", "/status", nil); err != nil {
		t.Error(err)
	}
}
