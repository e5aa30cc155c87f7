package driver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Kind says what went wrong, in a closed set that a caller can switch on.
type Kind string

const (
	NoElement        Kind = "no such element"
	Stale            Kind = "stale element"
	NotInteractable  Kind = "element not interactable"
	Intercepted      Kind = "click intercepted" // something covers the element
	NoWindow         Kind = "no such window"
	NoFrame          Kind = "no such frame"
	DialogOpen       Kind = "dialog open" // Error.Dialog has its text
	NoDialog         Kind = "no dialog"
	Timeout          Kind = "driver timeout" // the driver's own page-load or script limit
	Context          Kind = "context ended"  // the caller's; Error.Running says whether the command was sent
	NavigationFailed Kind = "navigation failed"
	Script           Kind = "javascript error"
	InvalidSelector  Kind = "invalid selector"
	InvalidArgument  Kind = "invalid argument"
	NotStarted       Kind = "browser not started"
	NotInstalled     Kind = "not installed" // the message names the command that installs it
	Lost             Kind = "session lost"  // the last command may have had its effect
	Unsupported      Kind = "unsupported"
	Unknown          Kind = "unknown"
)

// Error is every failure of this package. Message is mostly the driver's and may
// quote the page (a dialog, a script's exception, what covers an element), so Error
// leaves it out, except for the kinds where it cannot. Of NavigationFailed it is the
// bare reason, "ERR_CONNECTION_REFUSED".
type Error struct {
	Kind    Kind
	W3C     string // the driver's own code; "" when it gave none
	Message string
	HTTP    int    // 0 when there was no reply
	Command string // "click", "navigate", …
	Data    json.RawMessage
	Running bool // sent, unfinished and perhaps still to take effect: the session is settling
	Cause   error
}

func (e *Error) Error() string {
	s := e.Command + ": " + string(e.Kind)
	if e.W3C != "" && e.W3C != string(e.Kind) {
		s += " (" + e.W3C + ")"
	}
	switch e.Kind {
	case NotStarted, NotInstalled, NavigationFailed, InvalidArgument, Timeout, Context, Lost:
		if line, _, _ := strings.Cut(e.Message, "\n"); line != "" {
			s += ": " + line
		}
	}
	return s
}

func (e *Error) Unwrap() error { return e.Cause }

// Dialog returns the text of the dialog that a DialogOpen error reports; ok is
// false when the driver did not tell.
func (e *Error) Dialog() (text string, ok bool) {
	var data struct {
		Text *string `json:"text"`
	}
	if e.Kind != DialogOpen || json.Unmarshal(e.Data, &data) != nil || data.Text == nil {
		return "", false
	}
	return *data.Text, true
}

// KindOf returns the kind of the *Error in err's chain, or "".
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

var kinds = map[string]Kind{
	"detached shadow root":        Stale,
	"element click intercepted":   Intercepted,
	"element not interactable":    NotInteractable,
	"element not selectable":      NotInteractable,
	"insecure certificate":        NavigationFailed,
	"invalid argument":            InvalidArgument,
	"invalid cookie domain":       InvalidArgument,
	"invalid coordinates":         InvalidArgument,
	"invalid element coordinates": InvalidArgument,
	"invalid element state":       NotInteractable,
	"invalid selector":            InvalidSelector,
	"invalid session id":          Lost,
	"javascript error":            Script,
	"move target out of bounds":   NotInteractable,
	"no such alert":               NoDialog,
	"no such cookie":              InvalidArgument,
	"no such element":             NoElement,
	"no such frame":               NoFrame,
	"no such shadow root":         NoElement,
	"no such window":              NoWindow,
	"script timeout":              Timeout,
	"session not created":         NotStarted,
	"stale element reference":     Stale,
	"timeout":                     Timeout,
	"unable to capture screen":    Unknown,
	"unable to set cookie":        InvalidArgument,
	"unexpected alert open":       DialogOpen,
	"unknown command":             Unsupported,
	"unknown error":               Unknown,
	"unknown method":              Unsupported,
	"unsupported operation":       Unsupported,
	// Not in the specification, but chromedriver's.
	"chrome not reachable": Lost,
	"disconnected":         Lost,
	"tab crashed":          Lost,
}

// classify finds the kind of a driver's error. Drivers also report lost browsers
// and failed navigations as an "unknown error", or with no code at all, so the
// message decides there.
func classify(w3c, message string) (Kind, string) {
	kind, ok := kinds[w3c]
	if !ok || kind == Unknown || kind == NavigationFailed {
		if _, name, ok := strings.Cut(message, "net::"); ok {
			return NavigationFailed, name[:wordEnd(name)]
		}
	}
	if ok && kind != Unknown {
		return kind, message
	}
	low := strings.ToLower(message)
	for _, sign := range []string{
		"not connected to devtools", "disconnected", "not reachable", "session deleted",
		"unable to get browser",                             // IEDriver
		"unable to execute request for an existing session", // Grid
	} {
		if strings.Contains(low, sign) {
			return Lost, message
		}
	}
	return Unknown, message
}

func wordEnd(s string) int {
	for i, r := range s {
		if r != '_' && (r < 'A' || r > 'Z') && (r < '0' || r > '9') {
			return i
		}
	}
	return len(s)
}

// shape is what a successful "value" has to be. IEDriver answers some failures
// with 200 and the message as a string, which must not pass for success.
type shape byte

const (
	anything shape = iota
	null
	text    // a string, or null
	token   // a string that is no message
	picture // a PNG in base64
	object
	list
)

func (s shape) fits(value json.RawMessage) bool {
	switch s {
	case null:
		return string(value) == "null"
	case text:
		return value[0] == '"' || string(value) == "null"
	case token:
		return value[0] == '"' && len(value) > 2 && !bytes.Contains(value, []byte(" "))
	case picture:
		return bytes.HasPrefix(value, []byte(`"iVBORw0KGgo`))
	case object:
		return value[0] == '{'
	case list:
		return value[0] == '['
	}
	return true
}

// decode reads a driver's reply of whatever shape: W3C, Grid's with an array for
// a stack trace, IEDriver's 405 as text/html, HTML from elsewhere. It returns
// the "value" of a success.
func decode(command string, want shape, status int, body []byte) (json.RawMessage, error) {
	var reply struct {
		Value json.RawMessage `json:"value"`
	}
	e := &Error{Kind: Lost, HTTP: status, Command: command}
	if err := json.Unmarshal(body, &reply); err != nil || len(reply.Value) == 0 {
		e.Message, e.Cause = "the answer is no WebDriver reply", err
		return nil, e
	}
	var failure struct {
		Error      *string
		Message    string
		Data       json.RawMessage
		Stacktrace json.RawMessage // a string or an array: never typed
	}
	success := status >= 200 && status < 300
	// A script's own result may hold a member "error"; every other one is a failure
	// even under 200: IEDriver sends codes outside its table that way.
	if !(success && want == anything) && reply.Value[0] == '{' &&
		json.Unmarshal(reply.Value, &failure) == nil && failure.Error != nil {
		e.W3C = *failure.Error
		e.Kind, e.Message = classify(e.W3C, failure.Message)
		if !bytes.Equal(failure.Data, []byte("null")) {
			e.Data = failure.Data
		}
		return nil, e
	}
	if success && want.fits(reply.Value) {
		return reply.Value, nil
	}
	var said string
	json.Unmarshal(reply.Value, &said)
	e.Kind, e.Message = classify("", said)
	if e.Message == "" {
		e.Message = fmt.Sprintf("HTTP %d with a value of the wrong type", status)
	}
	return nil, e
}

func contextError(command string, ctx context.Context, running bool) *Error {
	return &Error{Kind: Context, Command: command, Message: context.Cause(ctx).Error(), Running: running, Cause: context.Cause(ctx)}
}
