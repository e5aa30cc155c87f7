package api

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Strategy says how a [Locator] finds its element.
type Strategy string

// The strategies. Matching is exact; linkText compares the visible text with
// white space collapsed.
const (
	ByID       Strategy = "id"
	ByName     Strategy = "name"
	ByCSS      Strategy = "css"
	ByXPath    Strategy = "xpath"
	ByLinkText Strategy = "linkText"
)

// MaxLocator is the longest value of a locator, in bytes.
const MaxLocator = 4096

// Locator names an element: the first match in document order.
type Locator struct {
	By    Strategy `json:"by"`
	Value string   `json:"value"`
}

// String is the short form used in messages: "id=searchButton".
func (l Locator) String() string {
	const most = 80
	value := []rune(l.Value)
	if len(value) > most {
		value = append(value[:most], '…')
	}
	return fmt.Sprintf("%s=%s", l.By, string(value))
}

// MaxFrames is the deepest nesting of frames that a call can name.
const MaxFrames = 5

// Frames leads to a frame: one locator, or a list from the outermost inwards.
// In JSON a single locator may stand alone. Empty is the top document.
type Frames []Locator

// UnmarshalJSON takes one locator or a list of them.
func (f *Frames) UnmarshalJSON(b []byte) error {
	if trimmed := bytes.TrimSpace(b); len(trimmed) > 0 && trimmed[0] == '{' {
		*f = make(Frames, 1)
		return json.Unmarshal(b, &(*f)[0])
	}
	return json.Unmarshal(b, (*[]Locator)(f))
}
