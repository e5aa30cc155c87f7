package api

// ClickInput names what to click.
type ClickInput struct {
	Target Locator `json:"target"`
	Frame  Frames  `json:"frame,omitempty"`
}

// Audit names the element.
func (in ClickInput) Audit() map[string]any { return map[string]any{"selector": in.Target} }

// MaxInputText is the longest text to type at once, in bytes.
const MaxInputText = 256 * 1024

// FillInput is a text for a field.
type FillInput struct {
	Target Locator `json:"target"`
	Frame  Frames  `json:"frame,omitempty"`
	Text   string  `json:"text"`
	Clear  *bool   `json:"clear,omitempty" jsonschema:"Replace what is there (default true), or append."`
}

// Replaces tells whether the text takes the place of what stands in the field.
func (in FillInput) Replaces() bool { return in.Clear == nil || *in.Clear }

// Validate bounds the text.
func (in FillInput) Validate() error {
	if len(in.Text) > MaxInputText {
		return Errorf(InvalidArgument, "text may have at most %d bytes.", MaxInputText)
	}
	return nil
}

// Audit tells the length of the text, never the text.
func (in FillInput) Audit() map[string]any {
	return map[string]any{"selector": in.Target, "textLength": len([]rune(in.Text))}
}

// FillMethod is how a text came into its field.
type FillMethod string

// The methods.
const (
	Keys   FillMethod = "keys"   // typed
	Script FillMethod = "script" // set, with the events that typing causes
)

// FillResult tells how it was done. Differs: the page changed what was typed.
type FillResult struct {
	PageState
	Method  FillMethod `json:"method"`
	Differs bool       `json:"differs,omitempty"`
}

// OptionBy says how an option is named.
type OptionBy string

// The ways to name an option.
const (
	OptionText  OptionBy = "text"
	OptionValue OptionBy = "value"
	OptionIndex OptionBy = "index"
)

// SelectInput names a select and one of its options.
type SelectInput struct {
	Target Locator   `json:"target"`
	Frame  Frames    `json:"frame,omitempty"`
	By     OptionBy  `json:"by"`
	Value  OptionKey `json:"value"`
}

// Validate checks that an index is one.
func (in SelectInput) Validate() error {
	if _, ok := in.Value.Index(); in.By == OptionIndex && !ok {
		return Errorf(InvalidArgument, "value must be an index from 0 when by is index.")
	}
	return nil
}

// Audit names the element.
func (in SelectInput) Audit() map[string]any { return map[string]any{"selector": in.Target} }

// SelectResult is the option that is now chosen.
type SelectResult struct {
	Text  string `json:"text"`
	Value string `json:"value"`
	Index int    `json:"index"`
	PageState
}

// The operations on elements.
var (
	Click = declare[ClickInput, PageState](Meta{
		Name: "click", Title: "Click an element",
		Description: "Waits until the element can be clicked, then clicks it once.",
		Scope:       Page, Effect: Act, Lane: Queued, Profile: Core,
	})
	Fill = declare[FillInput, FillResult](Meta{
		Name: "fill", Title: "Type into a field",
		Description: "Types a text into a field.",
		Scope:       Page, Effect: Act, Lane: Queued, Profile: Core,
	})
	SelectOption = declare[SelectInput, SelectResult](Meta{
		Name: "select_option", Title: "Choose an option",
		Description: "Chooses an option of a select.",
		Scope:       Page, Effect: Act, Lane: Queued, Profile: Core,
	})
)
