package page

import (
	"context"
	"strings"

	"iemesh/api"
)

// Held tells whether a condition held.
type Held struct {
	Doc    `json:"-"`
	Holds  bool   `json:"holds"`
	Status Status `json:"status"` // of the element
}

// Holds checks a condition in the document, once. URL and title are those of
// the document; ready is what the document and its reachable frames say in this
// moment. Text compares with white space collapsed: the visible text of the
// element, the value of a field (never a password), the options of a select.
// Visible demands more than [Actionable]: opacity 0 is not visible.
func Holds(ctx context.Context, ex Executor, guard Guard, in api.WaitInput, ref Ref) (Held, error) {
	input := struct {
		targetInput
		Type api.Condition `json:"type"`
		Text string        `json:"text"`
	}{Type: in.Type, Text: in.Text}
	if in.Target != nil {
		input.Locator = *in.Target
	}
	var h Held
	doc, _, err := run(ctx, ex, guard, holdsScript, input, ref, &h)
	h.Doc = doc
	if doc.Blank {
		h.Status = Missing
		h.Holds = in.Type == api.Gone || in.Type == api.PageLoaded && doc.Complete ||
			in.Type == api.URLHas && strings.Contains(doc.URL, in.Text)
	}
	return h, err
}
