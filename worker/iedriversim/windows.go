package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"sync"
	"time"
)

// windows are the windows of a session under the driver's handles. chromedriver
// follows the focus late, only when a command needs it: it does not come out of a window
// that a dialog blocks.
type windows struct {
	backend *backend

	mu         sync.Mutex
	list       map[string]*window // by target
	current    *window            // has the focus; it may be gone
	at         string             // the target that chromedriver is in
	none       bool               // no window was left, so that the next one gets the focus
	closedLast bool               // by a command
	modals     []*modal
}

type window struct {
	handle, target string
	seen           time.Time
	known          bool // it has a handle for the client
	gone           bool
	top            bool // chromedriver has to leave the frame that it is in
	taught         bool // it has showModalDialog
	dialog         *modal
}

func newWindows(b *backend) *windows { return &windows{backend: b, list: map[string]*window{}} }

// first makes the browser's first window the current one.
func (w *windows) first() error {
	pages, err := w.backend.windows()
	if err != nil {
		return err
	}
	value, err := w.backend.send(http.MethodGet, "/window", nil)
	if err != nil {
		return err
	}
	json.Unmarshal(value, &w.at)
	for _, page := range pages {
		w.list[page.ID] = &window{handle: newGUID(), target: page.ID, known: true}
	}
	w.current = w.list[w.at]
	return nil
}

// refresh sees which windows came and went.
func (w *windows) refresh(s settings) {
	pages, err := w.backend.windows()
	if err != nil {
		pages = nil // the browser is gone
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	here := map[string]bool{}
	for _, page := range pages {
		here[page.ID] = true
		if w.list[page.ID] == nil {
			w.list[page.ID] = &window{handle: newGUID(), target: page.ID, seen: time.Now()}
		}
	}
	left := false
	for target, win := range w.list {
		if !here[target] {
			win.gone = true
			delete(w.list, target)
			continue
		}
		late := time.Duration(s.Faults.PopupDelayMs) * time.Millisecond
		if !win.known && win.dialog == nil && !s.Faults.PopupNever && time.Since(win.seen) >= late {
			win.known = true
			if w.none {
				w.current, w.none = win, false
			}
		}
		left = left || win.known
	}
	w.none = w.none || !left
}

// handles are sorted, which is the driver's order.
func (w *windows) handles() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := []string{}
	for _, win := range w.list {
		if win.known {
			list = append(list, win.handle)
		}
	}
	slices.Sort(list)
	return list
}

// focus is the current window, nil when it is gone.
func (w *windows) focus() *window {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.current == nil || w.current.gone {
		return nil
	}
	return w.current
}

// move takes chromedriver into a window, at its top document.
func (s *session) move(win *window) error {
	if _, err := s.backend.send(http.MethodPost, "/window", map[string]string{"handle": win.target}); err != nil {
		return err
	}
	s.at, win.top = win.target, false
	if !win.taught {
		s.teachModal()
	}
	return nil
}

// watch keeps an eye on the windows between the commands.
func (s *session) watch(look lookout) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-s.ended:
			return
		case <-tick.C:
		}
		s.refresh(look.settings())
		if !s.modalsWait() {
			continue
		}
		select {
		case s.busy <- struct{}{}:
			s.openModals()
			s.finishModals()
			<-s.busy
		default:
		}
	}
}

// holdForPopup holds the answer of a command that opened a window, as the driver does
// when it looks for the window's handle.
func (s *session) holdForPopup(c *call, since time.Time) {
	s.openModals()
	s.refresh(c.settings)
	s.mu.Lock()
	opened := false
	for _, win := range s.list {
		opened = opened || win.dialog == nil && win.seen.After(since)
	}
	s.mu.Unlock()
	if opened {
		time.Sleep(min(time.Duration(c.Faults.PopupDelayMs)*time.Millisecond, time.Second))
	}
}

func (s *session) getWindow(c *call) (any, error) {
	if win := s.focus(); win != nil {
		return win.handle, nil
	}
	return nil, s.gone(c)
}

func (s *session) getWindowHandles(*call) (any, error) {
	list := s.handles()
	s.noticeModals() // they are in the next answer
	return list, nil
}

func (s *session) switchToWindow(c *call) (any, error) {
	var handle string
	raw, ok := c.params["handle"]
	if !ok {
		return nil, fail(badArgument, "Missing parameter: handle")
	}
	if json.Unmarshal(raw, &handle) != nil {
		return nil, fail(badArgument, "handle parameter must be a string")
	}
	s.mu.Lock()
	for _, win := range s.list {
		if win.known && win.handle == handle {
			s.current, win.top = win, true
			s.mu.Unlock()
			return nil, nil
		}
	}
	s.mu.Unlock()
	time.Sleep(time.Duration(c.Faults.UnknownHandleMs) * time.Millisecond)
	return nil, fail(noWindow, "No window found")
}

func (s *session) closeWindow(c *call) (any, error) {
	value, err := s.pass(c)
	if err != nil {
		return nil, err
	}
	var left []string
	json.Unmarshal(value.(json.RawMessage), &left)
	s.refresh(c.settings)
	if len(left) == 0 {
		s.mu.Lock()
		s.closedLast = true
		s.mu.Unlock()
		return []string{}, nil
	}
	s.finishModals()
	return s.handles(), nil
}

func (s *session) newWindow(c *call) (any, error) {
	raw, ok := c.params["type"]
	if !ok {
		return nil, fail(badArgument, "Missing parameter: type")
	}
	var kind *string
	if json.Unmarshal(raw, &kind) != nil || kind != nil && *kind != "tab" && *kind != "window" {
		return nil, fail(badArgument, "type parameter must be 'tab' or 'window'")
	}
	value, err := s.pass(c)
	if err != nil {
		return nil, err
	}
	var made struct{ Handle string }
	if err := json.Unmarshal(value.(json.RawMessage), &made); err != nil {
		return nil, err
	}
	win := &window{handle: newGUID(), target: made.Handle, known: true}
	s.mu.Lock()
	if old := s.list[made.Handle]; old != nil {
		win.handle = old.handle
	}
	s.list[made.Handle] = win
	s.mu.Unlock()
	return map[string]string{"handle": win.handle, "type": "tab"}, nil
}

func (s *session) getRect(c *call) (any, error) {
	if s.focus().dialog != nil {
		return map[string]int{"x": 0, "y": 0, "width": 0, "height": 0}, nil
	}
	return s.pass(c)
}

func (s *session) setRect(c *call) (any, error) {
	if s.focus().dialog != nil {
		return s.getRect(c)
	}
	for _, name := range []string{"width", "height", "x", "y"} {
		raw, ok := c.params[name]
		var number *float64
		if ok && json.Unmarshal(raw, &number) != nil {
			return nil, fail(badArgument, name+" must be a numeric parameter")
		}
	}
	return s.pass(c)
}
