package page

import (
	"context"
	"encoding/json"
	"strings"
	"unicode/utf16"

	"iemesh/api"
)

// Inspect describes the document: its visible text, and what can be used in
// it. Characters are UTF-16 code units; reading on with TextOffset moved by the
// length of the text gives exactly the whole. Each string of an element has at
// most 200 characters and "…". Elements are cut so that the result's JSON has at
// most [api.MaxResult] bytes; the text never is.
func Inspect(ctx context.Context, ex Executor, guard Guard, in api.InspectInput) (api.InspectResult, Doc, error) {
	input := struct {
		Offset     int `json:"offset"`
		Limit      int `json:"limit"`
		TextOffset int `json:"textOffset"`
		MaxText    int `json:"maxText"`
	}{int(in.Offset), int(in.Limit), int(in.TextOffset), api.MaxText}
	if input.Limit <= 0 || input.Limit > api.MaxElements {
		input.Limit = api.MaxElements
	}
	var result api.InspectResult
	doc, _, err := run(ctx, ex, guard, inspectScript, input, nil, &result)
	if err != nil {
		return api.InspectResult{}, doc, err
	}
	result.URL, result.Title, result.DocumentMode = doc.URL, doc.Title, doc.Mode
	if charset := strings.ToLower(doc.Charset); charset != "utf-8" {
		result.Charset = charset
	}
	return fit(result, input.Offset, input.TextOffset), doc, nil
}

// fit drops elements from the end until the JSON has at most api.MaxResult
// bytes, and says whether anything remains to be read.
func fit(r api.InspectResult, offset, textOffset int) api.InspectResult {
	elements := r.Elements
	r.Elements = []api.Element{}
	r.Truncated = false // the longer word
	size := jsonSize(r)
	n := 0
	for ; n < len(elements); n++ {
		if size += jsonSize(elements[n]) + len(","); size > api.MaxResult {
			break
		}
	}
	r.Elements = append(r.Elements, elements[:n]...)
	r.Truncated = offset+n < r.TotalElements || textOffset+len(utf16.Encode([]rune(r.Text))) < r.TotalTextChars
	return r
}

func jsonSize(v any) int {
	encoded, err := json.Marshal(v)
	if err != nil {
		return api.MaxResult + 1
	}
	return len(encoded)
}
