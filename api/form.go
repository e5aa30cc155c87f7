package api

import "encoding/json"

// Limits of [FillFormInput].
const (
	MaxFields        = 50        // fields of one form
	maxFormSelectors = 10 * 1024 // bytes of their locators together: the result repeats them
)

// FieldValue is what goes into a field: a text, the text of an option, or
// whether a checkbox or radio button is on. In JSON a string or a boolean.
type FieldValue struct {
	Text string
	On   *bool // nil = Text counts
}

// MarshalJSON makes a string or a boolean.
func (v FieldValue) MarshalJSON() ([]byte, error) {
	if v.On != nil {
		return json.Marshal(*v.On)
	}
	return json.Marshal(v.Text)
}

// UnmarshalJSON takes a string or a boolean.
func (v *FieldValue) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '"' {
		return json.Unmarshal(b, &v.On)
	}
	return json.Unmarshal(b, &v.Text)
}

// FormField is a field and what goes into it, in place of what is there.
type FormField struct {
	Target Locator    `json:"target"`
	Value  FieldValue `json:"value"`
}

type formFields []FormField

// FillFormInput lists the fields of a form in the order of filling.
type FillFormInput struct {
	Fields formFields `json:"fields"`
	Frame  Frames     `json:"frame,omitempty"`
}

// Validate bounds texts and locators.
func (in FillFormInput) Validate() error {
	text, selectors := 0, 0
	for _, field := range in.Fields {
		text += len(field.Value.Text)
		selectors += len(field.Target.Value)
	}
	switch {
	case text > MaxInputText:
		return Errorf(InvalidArgument, "The values of all fields may have at most %d bytes together.", MaxInputText)
	case selectors > maxFormSelectors:
		return Errorf(InvalidArgument, "The selectors of all fields may have at most %d bytes together.", maxFormSelectors)
	}
	return nil
}

// Audit counts fields and characters, and tells no text.
func (in FillFormInput) Audit() map[string]any {
	length := 0
	for _, field := range in.Fields {
		length += len([]rune(field.Value.Text))
	}
	return map[string]any{"fields": len(in.Fields), "textLength": length}
}

// FieldStatus is what became of a field.
type FieldStatus string

// The statuses of fields.
const (
	FieldOK      FieldStatus = "ok"
	FieldFailed  FieldStatus = "failed"  // with an error; the fields after it are skipped
	FieldSkipped FieldStatus = "skipped" // not touched
)

// FieldResult is one field of a form. Method is that of a text; Differs: the
// page changed what was filled in.
type FieldResult struct {
	Target  Locator     `json:"target"`
	Status  FieldStatus `json:"status"`
	Method  FillMethod  `json:"method,omitempty"`
	Differs bool        `json:"differs,omitempty"`
	Error   *Error      `json:"error,omitempty"`
}

// FillFormResult has the fields in the order of the input.
type FillFormResult struct {
	Fields []FieldResult `json:"fields"`
	PageState
}

// FillForm is the operation on whole forms.
var FillForm = declare[FillFormInput, FillFormResult](Meta{
	Name: "fill_form", Title: "Fill in a form",
	Description: "Fills in several fields, in order, and stops at the first that fails.",
	Scope:       Page, Effect: Act, Lane: Queued, Profile: Core,
})
