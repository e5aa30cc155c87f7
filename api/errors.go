package api

import (
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
)

// Code is one of a closed set of error codes. What each means to a client, and
// whether trying again is safe, is told in the README's error table.
type Code string

// The error codes.
const (
	BrowserNotStarted      Code = "BROWSER_NOT_STARTED"
	ElementNotFound        Code = "ELEMENT_NOT_FOUND"
	ElementNotInteractable Code = "ELEMENT_NOT_INTERACTABLE"
	LocatorAmbiguous       Code = "LOCATOR_AMBIGUOUS"
	StaleElementReference  Code = "STALE_ELEMENT_REFERENCE"
	Timeout                Code = "TIMEOUT"
	WindowNotFound         Code = "WINDOW_NOT_FOUND"
	PageNotFound           Code = "PAGE_NOT_FOUND"
	NavigationFailed       Code = "NAVIGATION_FAILED"
	DialogOpen             Code = "DIALOG_OPEN"
	NoDialog               Code = "NO_DIALOG"
	DriverLost             Code = "DRIVER_LOST"
	SessionNotFound        Code = "SESSION_NOT_FOUND"
	SessionClosing         Code = "SESSION_CLOSING"
	BrowserError           Code = "BROWSER_ERROR"
	DesktopUnavailable     Code = "DESKTOP_UNAVAILABLE"
	URLNotAllowed          Code = "URL_NOT_ALLOWED"
	RateLimited            Code = "RATE_LIMITED"
	LimitExceeded          Code = "LIMIT_EXCEEDED"
	UnsupportedByEngine    Code = "UNSUPPORTED_BY_ENGINE"
	WorkerUnavailable      Code = "WORKER_UNAVAILABLE"
	OutcomeUnknown         Code = "OUTCOME_UNKNOWN"
	Cancelled              Code = "CANCELLED"
	InvalidArgument        Code = "INVALID_ARGUMENT"
	Unauthorized           Code = "UNAUTHORIZED"
	InternalError          Code = "INTERNAL_ERROR"
)

// CodeInfo describes one code.
type CodeInfo struct {
	Code   Code
	Status int    // of the worker API
	When   string // when it is answered
	Again  string // whether trying again is safe
}

// Codes returns every code with its description.
func Codes() []CodeInfo {
	return []CodeInfo{
		{BrowserNotStarted, http.StatusConflict, "You have no browser session.", "after `browser_start`"},
		{ElementNotFound, http.StatusNotFound, "No element matches, or there is no such frame.", "after looking at the page"},
		{ElementNotInteractable, http.StatusConflict, "The element is hidden, disabled, or covered by another one.", "after looking at the page"},
		{LocatorAmbiguous, http.StatusConflict, "Several elements match.", "with a narrower locator"},
		{StaleElementReference, http.StatusConflict, "The reference no longer fits the page.", "after a new snapshot"},
		{Timeout, http.StatusGatewayTimeout, "The condition did not come true in time, or the action was not delivered in time.", "safe"},
		{WindowNotFound, http.StatusNotFound, "There is no such window.", "after looking"},
		{PageNotFound, http.StatusNotFound, "There is no such page id.", "after looking"},
		{NavigationFailed, http.StatusBadGateway, "The browser shows its own error page; `reason` says which.", "maybe"},
		{DialogOpen, http.StatusConflict, "A dialog blocks the page; `dialog` tells its text.", "after answering the dialog"},
		{NoDialog, http.StatusConflict, "No dialog is open.", "no"},
		{DriverLost, http.StatusGone, "The driver or the browser died; the last action may have happened.", "after a new start, and a look"},
		{SessionNotFound, http.StatusNotFound, "No such session, or it belongs to somebody else.", "no"},
		{SessionClosing, http.StatusConflict, "The session is being closed.", "no"},
		{BrowserError, http.StatusBadGateway, "The browser could not be started; the message says what to install or mend.", "after mending"},
		{DesktopUnavailable, http.StatusServiceUnavailable, "The Windows desktop is locked, disconnected, or not there.", "after mending"},
		{URLNotAllowed, http.StatusForbidden, "The address is not on the list of allowed origins; `reason` says why.", "no"},
		{RateLimited, http.StatusTooManyRequests, "Too many calls; `retryAfterMs` tells when to go on.", "yes, later"},
		{LimitExceeded, http.StatusTooManyRequests, "Too many sessions or pages, or too large an input.", "after freeing some"},
		{UnsupportedByEngine, http.StatusNotImplemented, "This browser cannot do that.", "no"},
		{WorkerUnavailable, http.StatusServiceUnavailable, "No worker can be reached; nothing was done.", "yes"},
		{OutcomeUnknown, http.StatusGatewayTimeout, "The worker went away during the action; it may have happened.", "only after a look"},
		{Cancelled, http.StatusConflict, "Cancelled by the caller before it had any effect.", "yes"},
		{InvalidArgument, http.StatusBadRequest, "An argument is wrong; the message names it.", "corrected"},
		{Unauthorized, http.StatusUnauthorized, "The token is missing or wrong.", "with a token"},
		{InternalError, http.StatusInternalServerError, "A fault of ours; the log has the cause.", "after looking at the log"},
	}
}

// HTTPStatus is the status with which the worker API answers c.
func (c Code) HTTPStatus() int {
	for _, info := range Codes() {
		if info.Code == c {
			return info.Status
		}
	}
	return http.StatusInternalServerError
}

// Error is every failure of an operation. All exported fields but Cause are
// safe to show to the agent; Cause is for the log alone.
type Error struct {
	Code         Code     `json:"error"`
	Message      string   `json:"message"`
	Selector     *Locator `json:"selector,omitempty"`
	OperationID  string   `json:"operationId,omitempty"`
	Dialog       *Dialog  `json:"dialog,omitempty"`
	RetryAfterMs int64    `json:"retryAfterMs,omitempty"`
	Reason       string   `json:"reason,omitempty"` // a stable word that refines the code
	Cause        error    `json:"-"`
}

// Errorf makes an error with a message for the agent: what is wrong, and what
// to do next.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Because sets the hidden cause and returns e.
func (e *Error) Because(cause error) *Error {
	e.Cause = cause
	return e
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

func (e *Error) Unwrap() error { return e.Cause }

// AsError returns err as an *Error: itself, or an InternalError around it.
func AsError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return Errorf(InternalError, "Something went wrong inside iemesh; see its log.").Because(err)
}

// Panicked makes an InternalError of what recover returned, for the deferred
// function that called it. The cause says where the panic began, and leaves out
// what it says, unless it is the runtime that says it: the rest may be built
// from the content of a page.
func Panicked(value any) *Error {
	what := fmt.Sprintf("%T", value)
	if err, ok := value.(runtime.Error); ok {
		what = err.Error()
	}
	callers := make([]uintptr, 32)
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers)]) // from the recovering function on
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, "runtime.") || !more {
			return AsError(fmt.Errorf("panic: %s at %s:%d", what, f.Function, f.Line))
		}
	}
}
