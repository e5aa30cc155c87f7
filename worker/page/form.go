package page

import (
	"context"
	"regexp"
	"strings"

	"iemesh/api"
)

// Entry is a field of a form and what goes into it, in place of what is there.
type Entry struct {
	Target api.Locator
	Value  api.FieldValue
	Kind   FieldKind // once [FormStep] has told it
}

// Step is what [FormStep] found.
type Step struct {
	Field        // the next one
	Set    bool  `json:"set"` // of select and box: it holds the choice already
	Before *Fill `json:"-"`   // what became of the field before; nil when there was none
}

// FormStep goes from one field of a form to the next in one round trip (two when
// the text of the field before has to be set): it looks at before as [Filled]
// does, then makes next ready: a field for text as [Editable] does; the option of
// a select, or a box, as [Actionable] does. Either may be nil. A repeat with the
// same before changes nothing.
func FormStep(ctx context.Context, ex Executor, guard Guard, before, next *Entry, ref Ref) (Step, error) {
	var input struct {
		typedInput
		Before       FieldKind    `json:"before"`
		Locator      *api.Locator `json:"locator"`
		Box          bool         `json:"box"`
		On           bool         `json:"on"`
		By           string       `json:"by"`
		OptionLength int          `json:"optionLength"`
		OptionSum    uint32       `json:"optionSum"`
	}
	if before != nil {
		input.Before, input.typedInput = before.Kind, typed(before.Value.Text, true)
	}
	input.Clear = true
	if next != nil {
		input.Locator, input.Box = &next.Target, next.Value.On != nil
		input.On = input.Box && *next.Value.On
		input.By = "sum"
		input.OptionLength, input.OptionSum = measure(tidy(next.Value.Text))
	}
	type outcome struct {
		Before struct {
			Fill
			Arrived *bool `json:"arrived"`
		} `json:"before"`
		Next Step `json:"next"`
	}
	var out outcome
	round := func() (Doc, Ref, error) {
		out = outcome{Next: Step{Field: Field{Found: Found{Status: Missing}}}}
		out.Before.Gone = true // of a page of which nothing is read
		return run(ctx, ex, guard, formScript, input, ref, &out)
	}
	doc, found, err := round()
	if arrived := out.Before.Arrived; err == nil && before != nil && arrived != nil && !*arrived {
		input.Probe, input.Want = false, before.Value.Text
		doc, found, err = round()
	}
	step := out.Next
	step.Doc, step.Ref = doc, found
	if err == nil && before != nil {
		became := out.Before.Fill
		if became.Doc = doc; became.Method == "" && (before.Kind == TextField || before.Kind == ScriptField) {
			became.Method = api.Keys
		}
		step.Before = &became
	}
	return step, err
}

// space is what the scripts collapse to one blank.
var space = regexp.MustCompile(`[ \t\n\r\f\v\x{00a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}]+`)

// tidy collapses white space as the function of the same name in the page does.
func tidy(s string) string { return strings.Trim(space.ReplaceAllString(s, " "), " ") }
