package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// session is the one session of a process. Its commands run one at a time; busy, of
// capacity 1, is held by the one that runs.
type session struct {
	*windows
	id       string
	want     wanted
	behavior string // unhandledPromptBehavior
	profile  string
	modalURL string // where pages report their HTML dialogs
	busy     chan struct{}
	ended    chan struct{}
	never    <-chan struct{} // what a command that is never answered waits for: the end of the process
	over     sync.Once
	clicked  time.Time // last
	elements elements
	timeouts timeouts
}

// timeouts are in milliseconds, as the client gave them; a nil script limit is none.
type timeouts struct {
	Implicit int64  `json:"implicit"`
	PageLoad int64  `json:"pageLoad"`
	Script   *int64 `json:"script"`
}

// newGUID is an id as the driver makes them.
func newGUID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

const launching = "Unexpected error launching Internet Explorer. "

// newSession answers POST /session.
func (d *driver) newSession(c *call) (any, error) {
	want, err := requested(c.params, d.port)
	if err != nil {
		return nil, err
	}
	if c.Faults.ProtectedMode && !want.options.IgnoreProtectedModeSettings {
		return nil, fail(notCreated, launching+"Protected Mode settings are not the same for all zones. "+
			"Enable Protected Mode must be set to the same value (enabled or disabled) for all zones.")
	}
	if c.Faults.NoBrowser {
		profile := newProfile()
		os.Mkdir(profile, 0o700) // and it stays
		return nil, fail(notCreated, launching+"CreateProcess() failed for edge with the following command: "+want.options.commandLine(profile))
	}
	s, err := d.launch(c, want)
	if err != nil {
		return nil, fail(notCreated, launching+err.Error())
	}
	attachable := !c.Faults.AttachForever && !c.Faults.AttachFailure
	if !attachable {
		if c.Faults.AttachForever || want.options.BrowserAttachTimeout == 0 {
			<-d.shutdown
		}
		return nil, fail(notCreated, fmt.Sprintf(launching+"Could not find an Internet Explorer window belonging to the process with ID %d within %d milliseconds.",
			s.backend.browser, want.options.BrowserAttachTimeout))
	}
	d.mu.Lock()
	d.session = s
	d.mu.Unlock()
	go s.watch(d.look)
	return map[string]any{"capabilities": s.want.answer(), "sessionId": s.id}, nil
}

// launch starts the browser and loads the start page.
func (d *driver) launch(c *call, want wanted) (*session, error) {
	d.mu.Lock()
	if d.backend == nil {
		b, err := startBackend(c.settings)
		if err != nil {
			d.mu.Unlock()
			return nil, err
		}
		d.backend = b
	}
	b := *d.backend
	d.mu.Unlock()
	profile := newProfile()
	if err := os.Mkdir(profile, 0o700); err != nil {
		return nil, err
	}
	if err := b.open(c.settings, profile, want.pageLoadStrategy); err != nil {
		return nil, err
	}
	if b.remote() && want.options.EdgePath != "" {
		if err := b.substitute(want.options.commandLine(profile)); err != nil {
			return nil, err
		}
	}
	s := &session{
		id:       newGUID(),
		want:     want,
		behavior: want.behavior,
		profile:  profile,
		modalURL: fmt.Sprintf("http://127.0.0.1:%d%s", d.port, d.modal),
		busy:     make(chan struct{}, 1),
		ended:    make(chan struct{}),
		never:    d.shutdown,
		elements: elements{ids: map[string]string{}, guids: map[string]string{}},
		timeouts: want.timeouts,
		windows:  newWindows(&b),
	}
	if err := s.passTimeouts(); err != nil {
		return nil, err
	}
	if err := s.first(); err != nil {
		return nil, err
	}
	s.teachModal()
	b.send(http.MethodPost, "/url", map[string]string{"url": want.options.InitialBrowserURL})
	return s, nil
}

func newProfile() string { return filepath.Join(os.TempDir(), "IEDriver-"+newGUID()) }

// quit answers DELETE of the session, also while a command runs.
func (d *driver) quit(s *session, c *call) error {
	if c.Faults.HangOnQuit {
		<-d.shutdown
	}
	d.forget(s)
	return nil
}

// forget ends a session and removes what it had on the disk.
func (d *driver) forget(s *session) {
	s.over.Do(func() {
		close(s.ended)
		s.backend.close(3 * time.Second)
		remove(s.profile)
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.session == s {
			d.session = nil
		}
	})
}

// remove removes a folder of a browser that has ended, or is about to: it may still be
// writing, and make the folder anew.
func remove(folder string) {
	const enough = 3
	for absent, tries := 0, 0; absent < enough && tries < 300; tries++ {
		os.RemoveAll(folder)
		time.Sleep(50 * time.Millisecond)
		if _, err := os.Lstat(folder); err != nil {
			absent++
		} else {
			absent = 0
		}
	}
}

// end ends what this process started; it comes at the process's own end.
func (d *driver) end() {
	d.mu.Lock()
	s, b := d.session, d.backend
	d.mu.Unlock()
	if s != nil {
		d.forget(s)
	}
	if b != nil {
		b.end()
	}
}

// do carries out one command of the session.
func (s *session) do(c *call) (value any, err error) {
	select {
	case s.busy <- struct{}{}:
	case <-s.ended:
		return nil, fail("invalid session id", "session "+s.id+" does not exist")
	}
	defer func() {
		if c.detached == nil {
			<-s.busy
			return
		}
		go func() { <-c.detached; <-s.busy }()
	}()
	if c.Faults.BrowserDies.is(c.route.name, c.nth) {
		s.backend.killBrowser()
	}
	if c.Faults.IntegerCode == c.route.name {
		return nil, fail("", "Unable to get browser")
	}
	if err := s.settle(c); err != nil {
		return nil, err
	}
	began := time.Now()
	value, err = c.route.run(s, c)
	if c.route.opens && c.detached == nil {
		s.holdForPopup(c, began)
	}
	return value, s.dialect(c, err)
}

// settle brings the state up to date before a command: dialogs that closed, and the
// rules for those that are open.
func (s *session) settle(c *call) error {
	s.refresh(c.settings)
	s.openModals()
	s.finishModals()
	if c.route.duringAlert {
		return nil
	}
	return s.obeyAlerts(c)
}

// isOver says whether the last window was closed by a command.
func (s *session) isOver() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closedLast
}

// dialect translates what chromedriver refused into what IEDriver would have said.
func (s *session) dialect(c *call, err error) error {
	if err == nil {
		return nil
	}
	var r *refusal
	if !errors.As(err, &r) {
		var f *failure
		if errors.As(err, &f) {
			return f
		}
		return s.gone(c) // chromedriver does not answer
	}
	switch r.Code {
	case noWindow, "invalid session id", "disconnected", "chrome not reachable", "tab crashed":
		return s.gone(c)
	case stale, noElement, "detached shadow root":
		return fail(stale, "Element is no longer valid")
	case alertOpen:
		return modalPresent(r.Data.Text)
	case "timeout":
		return fail("timeout", "Timed out waiting for page to load.")
	case scriptTimeout:
		return fail(scriptTimeout, "Timed out waiting for script to complete.")
	case "no such frame":
		return fail("no such frame", "No frame found")
	case "no such cookie":
		return fail("no such cookie", "No cookie could be found with the name '"+c.path["name"]+"'")
	case "unable to set cookie", "invalid cookie domain":
		return fail("unable to set cookie", "Unable to add cookie to page")
	}
	if strings.Contains(r.Message, "disconnected") || strings.Contains(r.Message, "not reachable") || strings.Contains(r.Message, "session deleted") {
		return s.gone(c)
	}
	if _, known := statuses[r.Code]; !known && r.Code != scriptError && r.Code != "move target out of bounds" {
		return fail("unknown error", r.Message)
	}
	return fail(r.Code, r.Message)
}

// gone is the error of a command whose window is no more.
func (s *session) gone(c *call) *failure {
	message := "Unable to get browser"
	switch c.route.name {
	case "findElement", "findElements", "findChildElement", "findChildElements":
		message = "Unable to find element on closed window"
	case "getWindow":
		message = "Window is closed"
	case "getWindowRect", "setWindowRect", "maximize", "minimize", "fullscreen":
		message = "Error retrieving window"
	}
	return fail(noWindow, message)
}

// pass gives a command to chromedriver as it is.
func (s *session) pass(c *call) (any, error) {
	return s.forward(c, strings.TrimPrefix(s.expand(c), "/session/"+s.id))
}

func (s *session) forward(c *call, path string) (json.RawMessage, error) {
	var body any
	if c.params != nil {
		body = c.params
	}
	return s.backend.send(c.route.method, path, body)
}

// expand fills the variables into the path of the route.
func (s *session) expand(c *call) string {
	segments := strings.Split(c.route.path, "/")
	for i, segment := range segments {
		if name, ok := strings.CutPrefix(segment, ":"); ok {
			segments[i] = escape(c.path[name])
		}
	}
	return strings.Join(segments, "/")
}

// describe answers GET of the session.
func (s *session) describe(*call) (any, error) { return s.want.legacy(), nil }

func (s *session) getTimeouts(*call) (any, error) { return s.timeouts, nil }

func (s *session) setTimeouts(c *call) (any, error) {
	if err := s.timeouts.read(c.params); err != nil {
		return nil, err
	}
	return nil, s.passTimeouts()
}

// read takes the limits that a client sets.
func (t *timeouts) read(params map[string]json.RawMessage) error {
	for _, name := range []string{"implicit", "pageLoad", "script"} {
		raw, ok := params[name]
		if !ok {
			continue
		}
		if name == "script" && string(raw) == "null" {
			t.Script = nil
			return nil
		}
		var ms int64
		if json.Unmarshal(raw, &ms) != nil || ms < 0 || ms >= 1<<53 {
			return fail(badArgument, "timeout "+name+"must be an integer")
		}
		switch name {
		case "implicit":
			t.Implicit = ms
		case "pageLoad":
			t.PageLoad = ms
		case "script":
			t.Script = &ms
		}
	}
	return nil
}

// passTimeouts gives chromedriver the limits in the driver's unit, whole seconds.
func (s *session) passTimeouts() error {
	limits := map[string]any{"implicit": 0, "script": nil, "pageLoad": wholeSeconds(s.timeouts.PageLoad)}
	if s.timeouts.Script != nil {
		limits["script"] = wholeSeconds(*s.timeouts.Script)
	}
	_, err := s.backend.send(http.MethodPost, "/timeouts", limits)
	return err
}

// wholeSeconds drops the fraction; 0 would be no limit to chromedriver.
func wholeSeconds(ms int64) int64 { return max(ms/1000*1000, 1) }
