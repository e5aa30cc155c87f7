package driver

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/coder/websocket"
)

const (
	debuggerLimit = time.Second
	framesLimit   = 200 // of a window; a list that left some out would be no answer
)

// Committed returns the URL of the document that a window shows, where Locations
// gives the one that a pending navigation asks for; "about:blank" for a window that has
// loaded nothing yet. It needs no WebDriver command and answers within 1 s, also while a
// dialog is open or a navigation is pending. ok is false when the engine cannot tell, or
// not for sure. Of two documents of one origin, between which the page is taking a step
// in its history, it may be the other's.
func (s *Session) Committed(ctx context.Context, handle string) (address string, ok bool) {
	type entry struct{ URL string }
	var history struct {
		CurrentIndex int
		Entries      []entry
	}
	var target struct{ TargetInfo entry }
	var document struct{ StorageKey string } // refused for an opaque origin
	ok = s.ask(ctx, handle,
		&question{method: "Page.getNavigationHistory", result: &history},
		&question{method: "Target.getTargetInfo", result: &target},
		&question{method: "Storage.getStorageKeyForFrame", params: map[string]string{"frameId": handle}, result: &document})
	if !ok || history.CurrentIndex < 0 || history.CurrentIndex >= len(history.Entries) {
		return "", false
	}
	// Measured with Chromium 156: during a step in the history its current entry is the
	// pending one, during any other navigation its target's URL. The storage key is always
	// that of the document that is there.
	current, visible := history.Entries[history.CurrentIndex].URL, target.TargetInfo.URL
	origin, _, _ := strings.Cut(document.StorageKey, "^")
	switch {
	case current == visible, isFrom(current, origin):
		address = current
	case isFrom(visible, origin):
		address = visible
	case !slices.Contains(history.Entries, entry{visible}): // so no step in the history
		address = current
	default:
		return "", false
	}
	if address == "" {
		address = "about:blank"
	}
	return address, true
}

// isFrom says whether an address has an origin, given as "scheme://host[:port]/".
func isFrom(address, origin string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && u.Scheme+"://"+u.Host+"/" == origin
}

// Opener returns the handle of the window that opened a window, "" if none did or it
// is closed. It answers as Committed does.
func (s *Session) Opener(ctx context.Context, handle string) (opener string, ok bool) {
	var target struct{ TargetInfo struct{ OpenerID string } }
	q := &question{method: "Target.getTargetInfo", result: &target}
	return target.TargetInfo.OpenerID, s.ask(ctx, handle, q) && q.answered
}

// Subframes returns the URLs of all frames below a window's top document. The pages'
// own processes tell them, so there is no answer while one of them is busy for
// longer than 1 s or shows a dialog; ok is false then, and when there are more than 200.
func (s *Session) Subframes(ctx context.Context, handle string) (urls []string, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, debuggerLimit)
	defer cancel()
	targets, ok := s.targets(ctx)
	if !ok {
		return nil, false
	}
	roots := []string{handle} // of the trees, each in one process
	for i := 0; i < len(roots); i++ {
		var tree struct{ FrameTree frameTree }
		q := &question{method: "Page.getFrameTree", result: &tree}
		if !s.ask(ctx, roots[i], q) || !q.answered {
			return nil, false
		}
		urls = tree.FrameTree.below(urls)
		for _, t := range targets {
			if t.Type == "iframe" && t.ParentID == roots[i] && !slices.Contains(roots, t.ID) {
				roots = append(roots, t.ID)
				urls = append(urls, t.URL)
			}
		}
		if len(urls) > framesLimit {
			return nil, false
		}
	}
	return urls, true
}

// stopLoading ends the load of the current window, as the driver does at its limit. The
// caller holds the slot: the next command's load must not be hit.
func (s *Session) stopLoading() {
	if s.window != "" {
		s.ask(s.life, s.window, &question{method: "Page.stopLoading", result: &struct{}{}})
	}
}

type frameTree struct {
	Frame       struct{ URL string }
	ChildFrames []frameTree
}

func (t frameTree) below(urls []string) []string {
	for _, child := range t.ChildFrames {
		urls = child.below(append(urls, child.Frame.URL))
	}
	return urls
}

// target is what the debugger can be attached to: windows, frames with a process of
// their own, and more.
type target struct{ ID, Type, URL, ParentID string }

// targets lists what there is, the newest first.
func (s *Session) targets(ctx context.Context) (list []target, ok bool) {
	if s.debugger == "" {
		return nil, false
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.debugger+"/json/list", nil)
	if err != nil {
		return nil, false
	}
	answer, err := s.http.RoundTrip(q)
	if err != nil {
		return nil, false
	}
	defer answer.Body.Close()
	err = json.NewDecoder(io.LimitReader(answer.Body, replyLimit)).Decode(&list)
	return list, err == nil
}

// question is one DevTools method.
type question struct {
	method   string
	params   any
	result   any
	answered bool // and not refused
}

// ask puts questions to the debugger of a window or an out-of-process frame, by one
// connection: nothing that it does to the target outlives them. It says whether
// there was a reply to each within 1 s, be it a refusal.
func (s *Session) ask(ctx context.Context, target string, questions ...*question) bool {
	if s.debugger == "" {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, debuggerLimit)
	defer cancel()
	// Without an Origin header, for which Chromium wants --remote-allow-origins.
	conn, _, err := websocket.Dial(ctx, "ws://"+s.debugger+"/devtools/page/"+url.PathEscape(target),
		&websocket.DialOptions{HTTPClient: &http.Client{Transport: s.http}})
	if err != nil {
		return false
	}
	defer conn.CloseNow()
	conn.SetReadLimit(replyLimit)
	for i, q := range questions {
		request, err := json.Marshal(map[string]any{"id": i, "method": q.method, "params": q.params})
		if err != nil || conn.Write(ctx, websocket.MessageText, request) != nil {
			return false
		}
	}
	for left := len(questions); left > 0; {
		_, message, err := conn.Read(ctx)
		if err != nil {
			return false
		}
		var reply struct {
			ID            *int
			Result, Error json.RawMessage
		}
		if json.Unmarshal(message, &reply) != nil {
			return false
		}
		if reply.ID == nil || *reply.ID < 0 || *reply.ID >= len(questions) {
			continue // an event
		}
		left--
		q := questions[*reply.ID]
		q.answered = reply.Error == nil && json.Unmarshal(reply.Result, q.result) == nil
	}
	return true
}
