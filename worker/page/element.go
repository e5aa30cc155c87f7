package page

import (
	"context"
	"strings"
	"unicode/utf16"

	"iemesh/api"
)

// Status says whether an element can be used, and what is in the way.
type Status string

// The statuses.
const (
	OK             Status = "ok"
	Missing        Status = "missing"        // no element matches
	NeedsFind      Status = "find"           // a script cannot search that way here: find it by the driver, pass the Ref
	Hidden         Status = "hidden"         // not displayed, or out of view for good
	Disabled       Status = "disabled"       // itself, or its fieldset
	Covered        Status = "covered"        // something else gets the click; By says what
	ReadOnly       Status = "readOnly"       // a field for reading only
	NotEditable    Status = "notEditable"    // takes no text
	NotSelect      Status = "notSelect"      // not a select
	NoOption       Status = "noOption"       // the select has no such option
	OptionDisabled Status = "optionDisabled" // it has, and it cannot be chosen
	NotBox         Status = "notBox"         // neither a checkbox nor a radio button
	StaysOn        Status = "staysOn"        // a radio button that is on: only another one turns it off
	NotTable       Status = "notTable"       // not a table
	NotFile        Status = "notFile"        // not a file field
)

// Found is an element that was looked for. Ref is set when Status is OK.
type Found struct {
	Doc    `json:"-"`
	Status Status `json:"status"`
	By     string `json:"by"` // what covers it: div#cover "読込中"
	Ref    Ref    `json:"-"`
}

type targetInput struct {
	Locator api.Locator `json:"locator"`
	Clear   bool        `json:"clear"`
}

// look runs a script that ends with an element, into out, whose Found it fills.
func look(ctx context.Context, ex Executor, guard Guard, s script, input any, ref Ref, out any, found *Found) error {
	found.Status = Missing // of a page of which nothing is read
	doc, el, err := run(ctx, ex, guard, s, input, ref, out)
	found.Doc, found.Ref = doc, el
	return err
}

// Actionable looks for the element, or takes ref if not nil, and checks that a
// click would reach it: displayed, enabled, brought into view, and not covered
// at the centre of its first visible box.
func Actionable(ctx context.Context, ex Executor, guard Guard, loc api.Locator, ref Ref) (Found, error) {
	var f Found
	err := look(ctx, ex, guard, actionableScript, targetInput{Locator: loc}, ref, &f, &f)
	return f, err
}

// FileField looks for a file field that is not disabled. It may be hidden behind
// a label that looks better.
func FileField(ctx context.Context, ex Executor, guard Guard, loc api.Locator, ref Ref) (Found, error) {
	var f Found
	err := look(ctx, ex, guard, fileScript, targetInput{Locator: loc}, ref, &f, &f)
	return f, err
}

// Focus is the element that has the focus, or else the body.
type Focus struct {
	Found
	Frame bool `json:"frame"` // it is a frame, and the focus inside
}

// Focused looks for what gets the keys in the document. With take, the document
// gets the focus from another frame first.
func Focused(ctx context.Context, ex Executor, guard Guard, take bool) (Focus, error) {
	var f Focus
	input := struct {
		Take bool `json:"take"`
	}{take}
	err := look(ctx, ex, guard, focusedScript, input, nil, &f, &f.Found)
	return f, err
}

// FrameLocator looks for the first frame or iframe that matches.
func FrameLocator(ctx context.Context, ex Executor, guard Guard, loc api.Locator) (Found, error) {
	var f Found
	err := look(ctx, ex, guard, frameScript, targetInput{Locator: loc}, nil, &f, &f)
	return f, err
}

// FieldKind says how a text gets into a field.
type FieldKind string

// The kinds of fields.
const (
	TextField   FieldKind = "text"   // by keys
	ScriptField FieldKind = "script" // date, time, month, week, color, range: by [Filled] alone
	SelectField FieldKind = "select" // by a click on the option
	BoxField    FieldKind = "box"    // by a click
)

// Field is a field that was made ready for keys.
type Field struct {
	Found
	Kind    FieldKind `json:"kind"`
	OneLine bool      `json:"oneLine"` // a line break would not fit in
	Empty   bool      `json:"empty"`   // held nothing
}

// Editable is [Actionable] for typing. It focuses the field, selects its
// content when clear is set, so that keys replace it, else puts the caret at the
// end, and remembers the field for [Filled].
func Editable(ctx context.Context, ex Executor, guard Guard, loc api.Locator, ref Ref, clear bool) (Field, error) {
	var f Field
	err := look(ctx, ex, guard, editableScript, targetInput{loc, clear}, ref, &f, &f.Found)
	return f, err
}

// Fill is what became of a text that was typed.
type Fill struct {
	Doc     `json:"-"`
	Gone    bool           `json:"gone"` // the remembered field is no longer in the document
	Method  api.FillMethod `json:"method"`
	Differs bool           `json:"differs"` // the page changed the text
	Sent    bool           `json:"-"`       // the text was sent to be set: without it, nothing was done
}

// Filled reads the field that [Editable] remembered, after the keys of want
// were sent with the same clear. If the field still holds its old value, or
// characters outside ASCII were altered while the others arrived, it sets the
// value, cut to the field's limit, with the events that a user causes. A line
// break is "\n", "\r\n" or "\r".
//
// The text itself goes into the page only when it must be set there, and then
// only into the document that holds the field: a first round trip, most often
// the only one, compares by length and checksum.
func Filled(ctx context.Context, ex Executor, guard Guard, want string, clear bool) (Fill, error) {
	input := typed(want, clear)
	var probe struct {
		Gone    bool `json:"gone"`
		Arrived bool `json:"arrived"`
	}
	probe.Gone = true
	doc, _, err := run(ctx, ex, guard, filledScript, input, nil, &probe)
	if err != nil || probe.Gone || probe.Arrived {
		return Fill{Doc: doc, Gone: probe.Gone, Method: api.Keys}, err
	}
	input.Probe, input.Want = false, want
	f := Fill{Gone: true, Sent: true}
	f.Doc, _, err = run(ctx, ex, guard, filledScript, input, nil, &f)
	return f, err
}

// typedInput is a text that was typed, as the scripts compare it.
type typedInput struct {
	Probe  bool   `json:"probe"` // only say whether it arrived
	Length int    `json:"length"`
	Sum    uint32 `json:"sum"`
	Want   string `json:"want"` // "" in a probe
	Clear  bool   `json:"clear"`
}

func typed(want string, clear bool) typedInput {
	length, sum := measure(newlines.Replace(want))
	return typedInput{Probe: true, Length: length, Sum: sum, Clear: clear}
}

var newlines = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func measure(s string) (length int, sum uint32) {
	units := utf16.Encode([]rune(s))
	return len(units), checksum(units)
}

// checksum is FNV-1a over code units, as the script computes it.
func checksum(units []uint16) uint32 {
	h := uint32(0x811c9dc5)
	for _, u := range units {
		h = (h ^ uint32(u)) * 0x01000193
	}
	return h
}

// Choice is an option that was looked for. Ref is that of the option.
type Choice struct {
	Found
	Text     string `json:"text"`  // white space collapsed; at most 1,000 characters
	Value    string `json:"value"` // at most 1,000 characters
	Index    int    `json:"index"`
	Selected bool   `json:"selected"` // it is chosen already
	Multiple bool   `json:"multiple"` // the select takes several
}

// Option looks for a select as [Actionable] does, and for the first of its
// options that key names, white space in texts collapsed. It remembers the
// select for [Selected].
func Option(ctx context.Context, ex Executor, guard Guard, loc api.Locator, ref Ref, by api.OptionBy, key string) (Choice, error) {
	input := struct {
		targetInput
		By    api.OptionBy `json:"by"`
		Key   string       `json:"key"`
		Index int          `json:"index"`
	}{targetInput{Locator: loc}, by, key, -1}
	if n, ok := api.OptionKey(key).Index(); ok {
		input.Index = n
	}
	var c Choice
	err := look(ctx, ex, guard, optionScript, input, ref, &c, &c.Found)
	return c, err
}

// Chosen is what a select shows.
type Chosen struct {
	Doc   `json:"-"`
	Gone  bool   `json:"gone"` // the remembered select is no longer in the document
	Text  string `json:"text"`
	Value string `json:"value"`
	Index int    `json:"index"` // -1: nothing is chosen
}

// Selected reads the select that [Option] remembered.
func Selected(ctx context.Context, ex Executor, guard Guard) (Chosen, error) {
	c := Chosen{Gone: true, Index: -1}
	var err error
	c.Doc, _, err = run(ctx, ex, guard, selectedScript, struct{}{}, nil, &c)
	return c, err
}
