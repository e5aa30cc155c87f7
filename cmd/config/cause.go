package access

import (
	"encoding/json"
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

// hider returns a function that takes out of a text what the caller typed and
// the queries of URLs. Messages are written to have neither; drivers, whose
// words end up in causes, promise nothing. What stands in the audit may stay.
func hider(entry *api.Entry, input json.RawMessage, audited map[string]any) func(string) string {
	var pairs []string
	if entry != nil {
		var values any
		if json.Unmarshal(input, &values) == nil {
			for _, secret := range freeTexts(entry.Input, values) {
				if len(secret) < shortSecret || slices.Contains(texts(audited), secret) {
					continue
				}
				for _, form := range []string{secret, strings.Trim(strconv.Quote(secret), `"`), strings.Trim(strconv.QuoteToASCII(secret), `"`)} {
					pairs = append(pairs, form, "…")
				}
			}
		}
	}
	replacer := strings.NewReplacer(pairs...)
	return func(s string) string {
		return addressTail.ReplaceAllString(replacer.Replace(s), "$1")
	}
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

// shorten keeps the first line of what a driver says: below it are stack traces.
func shorten(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	if runes := []rune(s); len(runes) > maxCause {
		return string(runes[:maxCause]) + "…"
	}
	return s
}
