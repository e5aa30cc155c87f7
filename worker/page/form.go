package page

import (
	"context"
	"crypto/rand"
	"regexp"
	"strings"

	"iemesh/api"
)

// Form fills in fields one after the other: [Form.Ready] for each, then what the
// driver has to do, then [Form.Filled]; at the end [Form.Review]. That is one round
// trip a field, and one more when the script has to set its text.
type Form struct {
	id      string // by which a document knows the fields that it was asked for
	entries []Entry
	typed   int // the field for text that was filled in last, counted from 1; 0 = it was looked at
}

// Entry is a field of a form, and what became of it as far as is known.
type Entry struct {
	api.FormField
	Kind    FieldKind      // once it was ready
	Method  api.FillMethod // of a text
	Differs bool           // the page changed the text, or took the choice back
	filled  bool
}

// Step is a field of a form that was made ready for what the driver has to do:
// keys for a text, a click for everything else.
type Step struct {
	Field
	Set bool `json:"set"` // the option is chosen, or the box as it is to be: there is nothing to do
}

// NewForm makes a form that begins with the first field.
func NewForm(fields []api.FormField) *Form {
	f := &Form{id: rand.Text(), entries: make([]Entry, len(fields))}
	for i, field := range fields {
		f.entries[i].FormField = field
	}
	return f
}

// Entry returns field i.
func (f *Form) Entry(i int) Entry { return f.entries[i] }

// Filled notes that the driver did what field i needs.
func (f *Form) Filled(i int) {
	e := &f.entries[i]
	e.filled = true
	if e.Kind == TextField || e.Kind == ScriptField {
		e.Method = api.Keys
		f.typed = i + 1
	}
}

// Ready looks, as [Filled] does, at a text that was filled in before, then makes
// field i ready: a field for text as [Editable] does, to replace what it holds; the
// option of a select, or a box, as [Actionable] does. It may be called again.
func (f *Form) Ready(ctx context.Context, ex Executor, guard Guard, i int, ref Ref) (Step, error) {
	e := &f.entries[i]
	input := f.input()
	input.At, input.Locator, input.Box = i, &e.Target, e.Value.On != nil
	input.On = e.Value.On == nil || *e.Value.On
	input.OptionLength, input.OptionSum = measure(tidy(e.Value.Text))
	out, err := f.step(ctx, ex, guard, input, ref)
	e.Kind = out.Next.Kind
	return out.Next, err
}

// Review looks at the text that was filled in last, and at whether all fields hold
// what went into them now: leaving a field, or filling another one, can change it.
func (f *Form) Review(ctx context.Context, ex Executor, guard Guard) (Doc, error) {
	input := f.input()
	for _, e := range f.entries {
		length, sum := measure(newlines.Replace(e.Value.Text))
		input.All = append(input.All, wanted{e.Kind, length, sum})
	}
	out, err := f.step(ctx, ex, guard, input, nil)
	for i, differs := range out.Differs {
		if e := &f.entries[i]; e.filled && differs != nil {
			e.Differs = *differs
		}
	}
	return out.Next.Doc, err
}

// formInput is what form.js takes.
type formInput struct {
	typedInput
	Form         string       `json:"form"`
	Typed        bool         `json:"typed"` // there is a text to look at first
	At           int          `json:"at"`
	Locator      *api.Locator `json:"locator"`
	Box          bool         `json:"box"`
	On           bool         `json:"on"`
	By           string       `json:"by"`
	OptionLength int          `json:"optionLength"`
	OptionSum    uint32       `json:"optionSum"`
	All          []wanted     `json:"all"`
}

type wanted struct {
	Kind   FieldKind `json:"kind"`
	Length int       `json:"length"`
	Sum    uint32    `json:"sum"`
}

// formOutput is what it gives.
type formOutput struct {
	Before struct {
		Fill
		Arrived *bool `json:"arrived"`
	} `json:"before"`
	Next    Step    `json:"next"`
	Differs []*bool `json:"differs"`
}

func (f *Form) input() formInput {
	input := formInput{Form: f.id, By: "sum", All: []wanted{}}
	if f.typed > 0 {
		input.Typed, input.typedInput = true, typed(f.entries[f.typed-1].Value.Text, true)
	}
	input.Clear = true
	return input
}

// step runs the script, and again with the text when that has to be set.
func (f *Form) step(ctx context.Context, ex Executor, guard Guard, input formInput, ref Ref) (out formOutput, err error) {
	round := func() error {
		out = formOutput{}
		out.Before.Gone, out.Next.Status = true, Missing // of a page of which nothing is read
		out.Next.Doc, out.Next.Ref, err = run(ctx, ex, guard, formScript, input, ref, &out)
		return err
	}
	if round() == nil && input.Typed && out.Before.Arrived != nil && !*out.Before.Arrived {
		input.Probe, input.Want = false, f.entries[f.typed-1].Value.Text
		_ = round()
	}
	if err != nil || !input.Typed {
		return out, err
	}
	if e := &f.entries[f.typed-1]; !out.Before.Gone && out.Before.Method != "" {
		e.Method, e.Differs = out.Before.Method, out.Before.Differs
	}
	f.typed = 0
	return out, nil
}

// space is what the scripts collapse to one blank.
var space = regexp.MustCompile(`[ \t\n\r\f\v\x{00a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]+`)

// tidy collapses white space as the function of the same name in the page does.
func tidy(s string) string { return strings.Trim(space.ReplaceAllString(s, " "), " ") }
