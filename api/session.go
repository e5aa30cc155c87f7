package api

import "time"

// SessionRef is a session as its owner sees it.
type SessionRef struct {
	SessionID string `json:"sessionId"`
	PageID    string `json:"pageId"` // the first page
	Engine    string `json:"engine"` // ie, edge, chromium
}

// State is where a session is in its life: starting → ready → closing →
// closed, and failed from any.
type State string

// The states.
const (
	Starting State = "starting"
	Ready    State = "ready"
	Closing  State = "closing"
	Failed   State = "failed"
)

// SessionInfo describes a session without touching its browser.
type SessionInfo struct {
	SessionRef
	State  State  `json:"state"`
	Why    string `json:"why,omitempty"` // of a failed one
	IdleMs int64  `json:"idleMs"`        // since it was last used or renewed
}

// Empty is an input or a result without fields.
type Empty struct{}

// EnsureInput names the session that the caller used last.
type EnsureInput struct {
	SessionID string `json:"sessionId,omitempty"` // "" = none
}

// EnsureResult is a session that answers.
type EnsureResult struct {
	SessionRef
	Reused bool `json:"reused"`
}

// SessionList lists the caller's sessions, oldest first.
type SessionList struct {
	Sessions []SessionInfo `json:"sessions"`
}

// RuntimeInfo tells what drives the browsers.
type RuntimeInfo struct {
	Engine         string   `json:"engine"`                   // ie, edge, chromium
	BrowserVersion string   `json:"browserVersion,omitempty"` // of the browser that was started last
	Differences    []string `json:"differences"`              // from Chromium, which has none: a name, a colon, a sentence
}

// startTimeout is enough for Chromium on a slow machine; IE mode takes 3–10 s
// at best, and up to its attach time-out at worst.
const startTimeout = 60 * time.Second

// The operations on sessions.
var (
	SessionCreate = declare[Empty, SessionRef](Meta{
		Name: "session_create", Title: "Create a browser session",
		Description: "Starts a browser of its own. Use a separate session for each independent task or user.",
		Scope:       None, Effect: Act, Lane: NoQueue, Profile: Core, Timeout: startTimeout,
	})
	SessionEnsure = declare[EnsureInput, EnsureResult](Meta{
		Name: "session_ensure", Title: "Get a browser session",
		Description: "Returns the named session if its browser still answers; otherwise closes it and starts a new one.",
		Scope:       None, Effect: Act, Lane: NoQueue, Timeout: startTimeout,
	})
	SessionGet = declare[Empty, SessionInfo](Meta{
		Name: "session_get", Title: "Look at a session",
		Description: "Tells the state of a session.",
		Scope:       Session, Effect: Read, Lane: NoQueue, Profile: Core,
	})
	SessionsList = declare[Empty, SessionList](Meta{
		Name: "session_list", Title: "List sessions",
		Description: "Lists your sessions.",
		Scope:       None, Effect: Read, Lane: NoQueue, Profile: Core,
	})
	SessionRenew = declare[Empty, Empty](Meta{
		Name: "session_renew", Title: "Renew a session",
		Description: "Keeps a session from being closed as idle.",
		Scope:       Session, Effect: Read, Lane: NoQueue,
	})
	Runtime = declare[Empty, RuntimeInfo](Meta{
		Name: "runtime_info", Title: "Look at the browser engine",
		Description: "Tells which engine drives the browsers, and what differs with it.",
		Scope:       None, Effect: Read, Lane: NoQueue,
	})
	SessionClose = declare[Empty, Empty](Meta{
		Name: "session_close", Title: "Close a session",
		Description: "Ends a session and its browser.",
		Scope:       Session, Effect: Act, Lane: Overtake, Profile: Core,
	})
)
