package driver

import "slices"

// Difference is a way in which an engine is unlike Chromium, for people: a name
// and a sentence.
type Difference string

// The differences. Those that concern what a page may tell come from there being
// no debugger to ask.
const (
	LateWindows    Difference = "late_windows: a window that a page opens may be found up to 12 s after the action"
	SilentWindows  Difference = "silent_windows: a list of windows does not say where they are"
	AssumedDialogs Difference = "assumed_dialogs: a dialog is judged by the page that was read last, or by the address asked for"
	BelievedOpener Difference = "believed_opener: what a blank window says of its opener is believed"
	BlackPictures  Difference = "black_pictures: a picture of a window that is not in front is black, and refused"
	UncheckedParts Difference = "unchecked_parts: a screenshot is judged by the top document, not by its frames"
	UnclearArrival Difference = "unclear_arrival: a navigation cut short between whole seconds does not say whether the new page is there"
	HTMLDialogs    Difference = "html_dialogs: pages have showModalDialog, whose dialogs are windows"
	DocumentModes  Difference = "document_modes: documents have a mode, which inspecting them tells"
)

// Differences lists those of an engine; none for one that is unknown.
func Differences(engine string) []Difference {
	e, err := engineOf(engine)
	if err != nil {
		return nil
	}
	return e.differences()
}

// Differs says whether the session's engine has a difference.
func (s *Session) Differs(d Difference) bool { return slices.Contains(s.differences, d) }
