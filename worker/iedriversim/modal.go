package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	_ "embed"
)

// modal is an HTML dialog. Chromium has none. What stands in for it: the opener's
// showModalDialog tells us where to go and then blocks in a prompt, which chromedriver
// bears; we open a window of its own process, and when that is gone we answer the
// prompt with its returnValue.
type modal struct {
	id     string
	opener string // target
	url    string
	args   json.RawMessage
	window *window         // nil until it was opened
	result json.RawMessage // {"v": returnValue}
}

const modalMark = "iedriversim-modal:"

var (
	//go:embed js/opener.js
	openerJS string
	//go:embed js/dialog.js
	dialogJS string
)

// teachModal gives the window that chromedriver is in showModalDialog: its document,
// if it has one already, and all those to come.
func (s *session) teachModal() {
	source := strings.NewReplacer("$URL", strconv.Quote(s.modalURL), "$TARGET", strconv.Quote(s.at), "$MARK", strconv.Quote(modalMark)).Replace(openerJS)
	s.backend.cdp("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": source})
	s.backend.send(http.MethodPost, "/execute/sync", map[string]any{"script": source, "args": []any{}})
	s.mu.Lock()
	defer s.mu.Unlock()
	if win := s.list[s.at]; win != nil {
		win.taught = true
	}
}

// modalReport takes what pages report of their HTML dialogs.
func (d *driver) modalReport(w http.ResponseWriter, path string, body []byte) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	w.Header().Set("Access-Control-Allow-Private-Network", "true")
	d.mu.Lock()
	s := d.session
	d.mu.Unlock()
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if path == "/open" {
		var open struct {
			Target, URL string
			Args        json.RawMessage
		}
		if json.Unmarshal(body, &open) == nil {
			m := &modal{id: newGUID(), opener: open.Target, url: open.URL, args: open.Args}
			s.modals = append(s.modals, m)
			w.Write([]byte(m.id))
		}
		return
	}
	if target, ok := strings.CutPrefix(path, "/end/"); ok {
		s.closeTarget(target)
		return
	}
	id, closing := strings.CutPrefix(path, "/close/")
	if !closing {
		id = strings.TrimPrefix(path, "/value/")
	}
	for _, m := range s.modals {
		if m.id == id && m.window != nil {
			m.result = append(json.RawMessage(nil), body...)
			if closing {
				s.closeTarget(m.window.target)
			}
		}
	}
}

// closeTarget closes a window whose page waits for the answer of its report.
func (w *windows) closeTarget(target string) {
	go w.backend.debugger(context.Background(), http.MethodGet, "/json/close/"+target)
}

func (w *windows) modalsWait() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.modals) > 0
}

// blocked returns the dialog that blocks a window, or nil.
func (w *windows) blocked(target string) *modal {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range w.modals {
		if m.opener == target {
			return m
		}
	}
	return nil
}

// openModals opens the windows of the dialogs that pages asked for.
func (s *session) openModals() {
	s.mu.Lock()
	var todo []*modal
	for _, m := range s.modals {
		if m.window == nil {
			todo = append(todo, m)
		}
	}
	s.mu.Unlock()
	for _, m := range todo {
		value, err := s.backend.debugger(context.Background(), http.MethodPut, "/json/new?about:blank")
		var made target
		if err != nil || json.Unmarshal(value, &made) != nil {
			continue
		}
		win := &window{handle: newGUID(), target: made.ID, seen: time.Now(), dialog: m}
		s.mu.Lock()
		s.list[made.ID], m.window = win, win
		s.mu.Unlock()
		if s.move(win) != nil {
			continue
		}
		args := m.args
		if len(args) == 0 {
			args = json.RawMessage("{}")
		}
		source := strings.NewReplacer("$URL", strconv.Quote(s.modalURL), "$ID", strconv.Quote(m.id), "$ARGS", string(args)).Replace(dialogJS)
		s.backend.cdp("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": source})
		s.backend.cdp("Page.navigate", map[string]any{"url": m.url})
	}
}

// noticeModals lets every dialog that is open appear among the handles.
func (s *session) noticeModals() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.modals {
		if m.window != nil {
			m.window.known = true
		}
	}
}

// finishModals lets the openers of closed dialogs go on.
func (s *session) finishModals() {
	s.mu.Lock()
	var over, rest []*modal
	for _, m := range s.modals {
		if m.window != nil && m.window.gone {
			over = append(over, m)
		} else {
			rest = append(rest, m)
		}
	}
	s.modals = rest
	s.mu.Unlock()
	for _, m := range over {
		s.mu.Lock()
		opener := s.list[m.opener]
		s.mu.Unlock()
		if opener == nil || s.move(opener) != nil {
			continue
		}
		result := m.result
		if len(result) == 0 {
			result = json.RawMessage("{}")
		}
		s.backend.send(http.MethodPost, "/alert/text", map[string]string{"text": string(result)})
		s.backend.send(http.MethodPost, "/alert/accept", nil)
	}
}

// refuseBlocked is the answer of a command for the opener of an HTML dialog. How the
// real driver fares there is not known.
func (s *session) refuseBlocked(c *call, m *modal) error {
	if !c.Faults.ModalOpenerHangs {
		return fail(scriptError, "Error executing JavaScript")
	}
	s.awaitModal(c, m)
	return fail(scriptTimeout, "Timed out waiting for script to complete.")
}

// awaitModal waits for the end of a dialog, at most the script limit.
func (s *session) awaitModal(c *call, m *modal) (over bool) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	limit, stop := s.timeouts.forScript()
	defer stop()
	for {
		s.refresh(c.settings)
		s.finishModals()
		if s.blocked(m.opener) != m {
			return true
		}
		select {
		case <-tick.C:
		case <-limit:
			return false
		case <-s.ended:
			return false
		}
	}
}
