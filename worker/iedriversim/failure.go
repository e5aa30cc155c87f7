package main

import (
	"encoding/json"
	"net/http"
)

// failure is an error in the driver's dialect. With code "" it is one of those that the
// driver sends as success, with the message as the value.
type failure struct {
	code, message string
	data          map[string]string
}

func (f *failure) Error() string { return f.message }

func fail(code, message string) *failure { return &failure{code: code, message: message} }

const (
	noWindow      = "no such window"
	noElement     = "no such element"
	stale         = "stale element reference"
	badArgument   = "invalid argument"
	notCreated    = "session not created"
	scriptError   = "javascript error"
	scriptTimeout = "script timeout"
	alertOpen     = "unexpected alert open"
	noAlert       = "no such alert"
	interactable  = "element not interactable"
)

var statuses = map[string]int{
	"":                            http.StatusOK,
	"element click intercepted":   http.StatusBadRequest,
	"element not selectable":      http.StatusBadRequest,
	interactable:                  http.StatusBadRequest,
	"insecure certificate":        http.StatusBadRequest,
	badArgument:                   http.StatusBadRequest,
	"invalid cookie domain":       http.StatusBadRequest,
	"invalid element state":       http.StatusBadRequest,
	"invalid selector":            http.StatusBadRequest,
	"invalid element coordinates": http.StatusBadRequest,
	"invalid session id":          http.StatusNotFound,
	"no such cookie":              http.StatusNotFound,
	noAlert:                       http.StatusNotFound,
	noElement:                     http.StatusNotFound,
	"no such frame":               http.StatusNotFound,
	noWindow:                      http.StatusNotFound,
	stale:                         http.StatusNotFound,
	"unknown command":             http.StatusNotFound,
	"unknown method":              http.StatusMethodNotAllowed,
}

func (f *failure) status() int {
	if status, ok := statuses[f.code]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// MarshalJSON implements json.Marshaler: it gives the value of the answer.
func (f *failure) MarshalJSON() ([]byte, error) {
	if f.code == "" {
		return json.Marshal(f.message)
	}
	value := map[string]any{"error": f.code, "message": f.message, "stacktrace": ""}
	if f.data != nil {
		value["data"] = f.data
	}
	return json.Marshal(value)
}
