package config

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"iemesh/api"
)

// shortSecret is the length in bytes from which a text is hidden: shorter ones
// occur by chance, and would take every message apart.
const shortSecret = 4

// addressTail is what follows the path of a URL in a running text.
var addressTail = regexp.MustCompile(`(\b[a-zA-Z][a-zA-Z0-9+.-]*://[^\s?#"'<>]*)[?#][^\s"'<>]*`)

// Scrubber returns a function that takes out of a text what the caller typed
// and the queries of URLs. Messages are written to have neither; drivers, whose
// words end up in causes, promise nothing. What the audit shows may stay.
func Scrubber(call *api.Call) func(string) string {
	var pairs []string
	for _, secret := range secrets(call) {
		for _, form := range []string{secret, strings.Trim(strconv.Quote(secret), `"`), strings.Trim(strconv.QuoteToASCII(secret), `"`)} {
			pairs = append(pairs, form, "…")
		}
	}
	replacer := strings.NewReplacer(pairs...)
	return func(s string) string {
		return addressTail.ReplaceAllString(replacer.Replace(s), "$1")
	}
}

// secrets are the texts of a call that may not be logged.
func secrets(call *api.Call) []string {
	entry, err := api.Lookup(call.Operation)
	if err != nil {
		return nil
	}
	var values any
	if json.Unmarshal(call.Input, &values) != nil {
		return nil
	}
	shown := texts(entry.Audit(call.Input))
	return slices.DeleteFunc(freeTexts(entry.Input, values), func(s string) bool {
		return len(s) < shortSecret || slices.Contains(shown, s)
	})
}

// freeTexts are the strings of v that the caller is free to choose: neither
// words of an enumeration nor locators.
func freeTexts(s *jsonschema.Schema, v any) []string {
	if s == nil {
		return nil
	}
	var list []string
	switch v := v.(type) {
	case string:
		if len(s.Enum) == 0 {
			list = append(list, v)
		}
	case []any:
		for _, item := range v {
			list = append(list, freeTexts(s.Items, item)...)
		}
	case map[string]any:
		for name, item := range v {
			if sub := s.Properties[name]; sub != nil && sub.Ref == "" && len(sub.AnyOf) == 0 {
				list = append(list, freeTexts(sub, item)...)
			}
		}
	}
	return list
}

// texts are the strings in a JSON-like value.
func texts(v any) []string {
	b, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	var values any
	if json.Unmarshal(b, &values) != nil {
		return nil
	}
	var list []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			list = append(list, v)
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			for _, item := range v {
				walk(item)
			}
		}
	}
	walk(values)
	return list
}

// maxCause bounds what a driver may write into the log, in runes.
const maxCause = 300

// Cause is what may be logged of the hidden cause of a failed call: that of
// errors whose remedy is in the log, without what the caller typed. The causes
// of all others describe pages; theirs is "".
func Cause(call *api.Call, e *api.Error) string {
	if e.Cause == nil {
		return ""
	}
	switch e.Code {
	case api.InternalError, api.BrowserError, api.DesktopUnavailable, api.DriverLost, api.WorkerUnavailable, api.OutcomeUnknown, api.Unauthorized:
		text := e.Cause.Error()
		// An error that wraps another of ours carries its cause in turn.
		if inner, ok := errors.AsType[*api.Error](e.Cause); ok && inner.Cause != nil {
			text += ": " + inner.Cause.Error()
		}
		return shorten(Scrubber(call)(text))
	}
	return ""
}

// shorten keeps the first line of what a driver says: below it are stack traces.
func shorten(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	if runes := []rune(s); len(runes) > maxCause {
		return string(runes[:maxCause]) + "…"
	}
	return s
}
