package api

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// PageState is where a page is after an operation. URL and Title are absent
// while a dialog is open, and when the page could not be asked in time.
type PageState struct {
	URL        string   `json:"url,omitempty"`
	Title      *string  `json:"title,omitempty"`
	Dialog     *Dialog  `json:"dialog,omitempty"`
	NewWindows []Window `json:"newWindows,omitempty"` // seen for the first time by this call
	Loading    bool     `json:"loading,omitempty"`    // the action was delivered; its page has not finished
}

// Dialog is an open alert, confirm or prompt.
type Dialog struct {
	Message string `json:"message"`
	Type    string `json:"type,omitempty"` // alert, confirm, prompt; "" where the engine cannot tell
}

// Window is a window or tab of a session.
type Window struct {
	PageID string `json:"pageId"`
	Index  int    `json:"index"` // order of first sight, 0 the first; it does not shift while the window lives
	URL    string `json:"url,omitempty"`
}

// PageList lists the windows of a session by index.
type PageList struct {
	Pages []Window `json:"pages"`
}

// PageFindInput asks for one window. Exactly one of Newest and Index.
type PageFindInput struct {
	Newest bool     `json:"newest,omitempty"` // the newest one that is not in Known; waits for it, then takes the last one
	Known  []string `json:"known,omitempty"`  // page ids
	Index  *int     `json:"index,omitempty"`
}

// Validate implements the rule of the two fields.
func (in PageFindInput) Validate() error {
	if in.Newest == (in.Index != nil) {
		return Errorf(InvalidArgument, `Give either target "newest" or index.`)
	}
	return nil
}

// PageFindResult is the window that was found, with its state.
type PageFindResult struct {
	PageState
	PageID      string `json:"pageId"`
	Index       int    `json:"index"`
	WindowCount int    `json:"windowCount"`
}

// MaxURL is the longest URL to visit, in bytes.
const MaxURL = 8192

// NavigateInput is a place to visit.
type NavigateInput struct {
	URL string `json:"url" jsonschema:"Absolute http or https URL."`
}

// Validate bounds the URL; whether it may be visited is policy.
func (in NavigateInput) Validate() error {
	if in.URL == "" || len(in.URL) > MaxURL {
		return Errorf(InvalidArgument, "url must have 1 to %d bytes.", MaxURL)
	}
	return nil
}

// Audit leaves the query out: it may hold data of the application.
func (in NavigateInput) Audit() map[string]any {
	return map[string]any{"url": LoggedURL(in.URL)}
}

// LoggedURL is raw without user, query and fragment.
func LoggedURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "unreadable"
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	if u.Opaque != "" {
		return u.Scheme + ":…"
	}
	return u.String()
}

// Condition is what a wait waits for.
type Condition string

// The conditions.
const (
	Present    Condition = "present"
	Visible    Condition = "visible"
	Enabled    Condition = "enabled"
	TextHas    Condition = "text"
	URLHas     Condition = "url"
	TitleHas   Condition = "title"
	Gone       Condition = "gone"
	PageLoaded Condition = "ready"
)

// Conditions lists them all.
func Conditions() []Condition {
	return []Condition{Present, Visible, Enabled, TextHas, URLHas, TitleHas, Gone, PageLoaded}
}

// WaitInput is a condition with what it needs.
type WaitInput struct {
	Type   Condition `json:"type"`
	Target *Locator  `json:"target,omitempty"`
	Frame  Frames    `json:"frame,omitempty"`
	Text   string    `json:"text,omitempty"` // a part of the element's text, the URL or the title
}

// Validate demands what the condition needs.
func (in WaitInput) Validate() error {
	switch in.Type {
	case Present, Visible, Enabled, Gone, TextHas:
		if in.Target == nil {
			return Errorf(InvalidArgument, "%s needs a selector.", in.Type)
		}
	}
	switch in.Type {
	case TextHas, URLHas, TitleHas:
		if in.Text == "" {
			return Errorf(InvalidArgument, "%s needs a text.", in.Type)
		}
	}
	return nil
}

// Audit names the condition.
func (in WaitInput) Audit() map[string]any {
	attrs := map[string]any{"condition": string(in.Type)}
	if in.Target != nil {
		attrs["selector"] = in.Target
	}
	return attrs
}

// WaitResult tells how long it took.
type WaitResult struct {
	Type     Condition `json:"type"`
	WaitedMs int64     `json:"waitedMs"`
	PageState
}

// ScreenshotResult describes the PNG in the reply's only blob.
type ScreenshotResult struct {
	MimeType string `json:"mimeType"`
	Width    int    `json:"width"`
	Height   int    `json:"height"`
	Bytes    int    `json:"bytes"`
}

// DialogAction answers a dialog.
type DialogAction string

// The answers.
const (
	Accept  DialogAction = "accept"
	Dismiss DialogAction = "dismiss"
)

// HandleDialogInput is an answer.
type HandleDialogInput struct {
	Action DialogAction `json:"action"`
	Text   *string      `json:"text,omitempty"` // typed into a prompt first
}

// Audit tells the answer, and only the length of the text.
func (in HandleDialogInput) Audit() map[string]any {
	attrs := map[string]any{"action": string(in.Action)}
	if in.Text != nil {
		attrs["textLength"] = len([]rune(*in.Text))
	}
	return attrs
}

// HandleDialogResult repeats the dialog that was answered.
type HandleDialogResult struct {
	Message string       `json:"message"`
	Type    string       `json:"type,omitempty"`
	Action  DialogAction `json:"action"`
	PageState
}

// Limits of [InspectResult].
const (
	MaxElements = 300       // elements in one result
	MaxText     = 4000      // characters (UTF-16 code units) of text in one result
	MaxResult   = 16 * 1024 // bytes of JSON; elements are cut to fit
)

type (
	offset       int
	elementLimit int
)

// InspectInput says which part of a page to describe.
type InspectInput struct {
	Frame      Frames       `json:"frame,omitempty"`
	Offset     offset       `json:"offset,omitempty" jsonschema:"Skip this many elements."`
	Limit      elementLimit `json:"limit,omitempty" jsonschema:"Elements at most."`
	TextOffset offset       `json:"textOffset,omitempty" jsonschema:"Skip this many characters of text."`
}

// InspectResult describes the document in the frame, or the top one.
// Truncated is set when elements or text remain after what is here.
type InspectResult struct {
	URL            string    `json:"url"`
	Title          string    `json:"title"`
	Text           string    `json:"text"`
	Elements       []Element `json:"elements"`
	Truncated      bool      `json:"truncated"`
	TotalElements  int       `json:"totalElements"`
	TotalTextChars int       `json:"totalTextChars"`
	DocumentMode   int       `json:"documentMode,omitempty"` // of IE
	Charset        string    `json:"charset,omitempty"`
}

// Element is one thing on a page that can be used. Fields are left out when
// they say nothing. Value is never that of a password; for a select, Text is
// the chosen option.
type Element struct {
	Tag         string `json:"tag"`
	ID          string `json:"id,omitempty"`
	Name        string `json:"name,omitempty"`
	Type        string `json:"type,omitempty"`
	Text        string `json:"text,omitempty"`
	Value       string `json:"value,omitempty"`
	Label       string `json:"label,omitempty"`
	Placeholder string `json:"placeholder,omitempty"`
	Href        string `json:"href,omitempty"`
	OptionCount *int   `json:"optionCount,omitempty"`
	Checked     *bool  `json:"checked,omitempty"` // of checkbox and radio
	Disabled    bool   `json:"disabled,omitempty"`
	ReadOnly    bool   `json:"readonly,omitempty"`
}

// navigationTimeout is longer than that of other operations: a page may be slow.
const navigationTimeout = 30 * time.Second

// The operations on pages.
var (
	PagesList = declare[Empty, PageList](Meta{
		Name: "page_list", Title: "List windows",
		Description: "Lists the windows and tabs of a session.",
		Scope:       Session, Effect: Read, Lane: Queued, Profile: Core,
	})
	PageFind = declare[PageFindInput, PageFindResult](Meta{
		Name: "page_find", Title: "Find a window",
		Description: "Finds a window by index, or the newest one, waiting for it to open.",
		Scope:       Session, Effect: Read, Lane: Queued,
	})
	Navigate = declare[NavigateInput, PageState](Meta{
		Name: "navigate", Title: "Go to a URL",
		Description: "Opens a URL in the page and waits until it has loaded.",
		Scope:       Page, Effect: Act, Lane: Queued, Profile: Core, Visits: true, Timeout: navigationTimeout,
	})
	Inspect = declare[InspectInput, InspectResult](Meta{
		Name: "inspect", Title: "Inspect a page",
		Description: "Describes the page: URL, title, visible text, and the elements that can be used.",
		Scope:       Page, Effect: Read, Lane: Queued,
	})
	Wait = declare[WaitInput, WaitResult](Meta{
		Name: "wait", Title: "Wait for a condition",
		Description: "Waits until a condition holds.",
		Scope:       Page, Effect: Read, Lane: Queued, Profile: Core,
	})
	Screenshot = declare[Empty, ScreenshotResult](Meta{
		Name: "screenshot", Title: "Take a screenshot",
		Description: "Takes a PNG of what the window shows.",
		Scope:       Page, Effect: Read, Lane: Queued, Profile: Core,
	})
	HandleDialog = declare[HandleDialogInput, HandleDialogResult](Meta{
		Name: "handle_dialog", Title: "Answer a dialog",
		Description: "Accepts or dismisses the open alert, confirm or prompt.",
		Scope:       Page, Effect: Act, Lane: Overtake, Profile: Core,
	})
)

// OptionKey is an option's text, value, or index; JSON takes an integer too.
type OptionKey string

// UnmarshalJSON takes a string or an integer.
func (k *OptionKey) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] != '"' {
		*k = OptionKey(b)
		return nil
	}
	return json.Unmarshal(b, (*string)(k))
}

// Index reads the key as an index from 0.
func (k OptionKey) Index() (int, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(string(k)))
	return n, err == nil && n >= 0
}
