package api

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Key names a key to press, with modifiers before it: "Enter", "a",
// "Control+A", "Shift+Tab". "+" is the plus key, "Control++" too.
type Key string

// named is a key or a modifier and its character in WebDriver's table of keys
// (W3C WebDriver, "Keyboard actions").
type named struct {
	name string
	char rune
}

var (
	modifierKeys = []named{{"Shift", '\ue008'}, {"Control", '\ue009'}, {"Alt", '\ue00a'}}
	namedKeys    = []named{
		{"Enter", '\ue007'}, {"Tab", '\ue004'}, {"Escape", '\ue00c'}, {"Space", ' '},
		{"Backspace", '\ue003'}, {"Delete", '\ue017'}, {"Insert", '\ue016'},
		{"Home", '\ue011'}, {"End", '\ue010'}, {"PageUp", '\ue00e'}, {"PageDown", '\ue00f'},
		{"ArrowLeft", '\ue012'}, {"ArrowUp", '\ue013'}, {"ArrowRight", '\ue014'}, {"ArrowDown", '\ue015'},
		{"F1", '\ue031'}, {"F2", '\ue032'}, {"F3", '\ue033'}, {"F4", '\ue034'}, {"F5", '\ue035'}, {"F6", '\ue036'},
		{"F7", '\ue037'}, {"F8", '\ue038'}, {"F9", '\ue039'}, {"F10", '\ue03a'}, {"F11", '\ue03b'}, {"F12", '\ue03c'},
	}
)

// Chord returns the characters that stand for the key in WebDriver: the
// modifiers in the order given, then the key. A letter has the case that its
// modifiers give it. The error is an InvalidArgument that lists the known keys.
func (k Key) Chord() ([]rune, error) {
	name := string(k)
	var chord []rune
	if at := strings.LastIndexByte(strings.TrimSuffix(name, "+"), '+'); at >= 0 {
		for modifier := range strings.SplitSeq(name[:at], "+") {
			char, ok := lookupKey(modifierKeys, modifier)
			if !ok || slices.Contains(chord, char) {
				return nil, k.unknown()
			}
			chord = append(chord, char)
		}
		name = name[at+1:]
	}
	if char, ok := lookupKey(namedKeys, name); ok {
		return append(chord, char), nil
	}
	char, size := utf8.DecodeRuneInString(name)
	if size == 0 || size != len(name) || char == utf8.RuneError || char > 0xffff || !unicode.IsPrint(char) {
		return nil, k.unknown()
	}
	switch {
	case slices.Contains(chord, modifierKeys[0].char):
		char = unicode.ToUpper(char)
	case len(chord) > 0:
		char = unicode.ToLower(char)
	}
	return append(chord, char), nil
}

func (k Key) unknown() error {
	var names []string
	for _, key := range slices.Concat(modifierKeys, namedKeys) {
		names = append(names, key.name)
	}
	list := strings.Join(names[len(modifierKeys):], ", ")
	return Errorf(InvalidArgument, "There is no key %.40q. Known are single characters and %s; before it %s, each with a +.",
		string(k), list, strings.Join(names[:len(modifierKeys)], ", "))
}

func lookupKey(table []named, name string) (rune, bool) {
	at := slices.IndexFunc(table, func(n named) bool { return n.name == name })
	if at < 0 {
		return 0, false
	}
	return table[at].char, true
}

// PressInput is a key, for Target or for the element that has the focus, be it in a
// frame. With Frame and without Target, it is the one that has it in there.
type PressInput struct {
	Key    Key      `json:"key"`
	Target *Locator `json:"target,omitempty"`
	Frame  Frames   `json:"frame,omitempty"`
}

// Validate knows the keys.
func (in PressInput) Validate() error {
	_, err := in.Key.Chord()
	return err
}

// Audit names the element, not the key: a character may be part of a password.
func (in PressInput) Audit() map[string]any {
	if in.Target == nil {
		return nil
	}
	return map[string]any{"selector": in.Target}
}

// Press is the operation on keys.
var Press = declare[PressInput, PageState](Meta{
	Name: "press", Title: "Press a key",
	Description: "Presses a key, with modifiers, in an element or where the focus is.",
	Scope:       Page, Effect: Act, Lane: Queued, Profile: Core,
})
