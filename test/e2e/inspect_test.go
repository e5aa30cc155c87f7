package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"iemesh/api"
	"iemesh/test/harness"
	"iemesh/worker/legacyapp"
)

func TestInspectLargePage(t *testing.T) {
	w := open(t)
	run.visit(t, w.client, "/table/2000")

	var first api.InspectResult
	commands, _ := w.commands(t, func() { first = harness.Call[api.InspectResult](t, w.client, "inspect_page", nil) })
	if len(commands) != 1 {
		t.Errorf("%d commands: %q", len(commands), commands)
	}
	within(t, first)
	if !first.Truncated {
		t.Error("truncated is not set")
	}
	if first.TotalElements != legacyapp.TableRows {
		t.Errorf("totalElements is %d, want %d", first.TotalElements, legacyapp.TableRows)
	}
	if n := chars(first.Text); n < api.MaxText-100 {
		t.Errorf("only %d characters of text", n)
	}

	// Reading on gives exactly the whole, once.
	var text strings.Builder
	var links []string
	calls := 0
	for part := first; ; calls++ {
		text.WriteString(part.Text)
		for _, element := range part.Elements {
			links = append(links, element.Text)
		}
		more := part.Truncated
		if whole := len(links) >= first.TotalElements && chars(text.String()) >= first.TotalTextChars; whole || calls > 60 {
			if more && whole {
				t.Error("truncated is set, and nothing is left")
			}
			break
		}
		if !more {
			t.Error("truncated is not set, and something is left")
		}
		part = harness.Call[api.InspectResult](t, w.client, "inspect_page",
			harness.Args{"offset": len(links), "textOffset": chars(text.String())})
		within(t, part)
		if part.TotalElements != first.TotalElements || part.TotalTextChars != first.TotalTextChars {
			t.Fatalf("the totals changed: %d, %d", part.TotalElements, part.TotalTextChars)
		}
	}
	t.Logf("the whole page in %d calls", calls)
	if len(links) != legacyapp.TableRows {
		t.Errorf("%d elements were read", len(links))
	}
	for i, link := range links {
		if want := fmt.Sprintf("D%05d", i+1); link != want {
			t.Fatalf("element %d is %q, want %q", i, link, want)
		}
	}
	if got := chars(text.String()); got != first.TotalTextChars {
		t.Errorf("%d characters were read, totalTextChars is %d", got, first.TotalTextChars)
	}
	want := []string{"伝票一覧", "番号", "伝票", "状態"}
	for i := range legacyapp.TableRows {
		want = append(want, fmt.Sprint(i+1), fmt.Sprintf("D%05d", i+1), "処理済")
	}
	if got := words(text.String()); got != strings.Join(want, " ") {
		t.Errorf("the text is not that of the page: it begins with %.200q", got)
	}
}

// Parts can also be asked for one by one, and past the end there is nothing.
func TestInspectParts(t *testing.T) {
	w := open(t)
	run.visit(t, w.client, "/table/2000")
	inspect := func(args harness.Args) api.InspectResult {
		t.Helper()
		part := harness.Call[api.InspectResult](t, w.client, "inspect_page", args)
		within(t, part)
		return part
	}
	if part := inspect(harness.Args{"offset": 10, "limit": 2}); len(part.Elements) != 2 || part.Elements[0].Text != "D00011" || !part.Truncated {
		t.Errorf("two from the tenth on: %+v", part.Elements)
	}
	if part := inspect(harness.Args{"offset": legacyapp.TableRows, "textOffset": 1 << 20}); len(part.Elements) != 0 || part.Text != "" || part.Truncated {
		t.Errorf("past the end: %+v", part)
	}
}

func TestInspectVeryLargePage(t *testing.T) {
	w := open(t)
	run.visit(t, w.client, "/table/20000nodes")
	part := harness.Call[api.InspectResult](t, w.client, "inspect_page", nil)
	within(t, part)
	if !part.Truncated || len(part.Elements) == 0 {
		t.Errorf("%d elements, truncated: %t", len(part.Elements), part.Truncated)
	}
}

func TestInspectFields(t *testing.T) {
	w := open(t)
	run.visit(t, w.client, "/fields")
	result := harness.Do(t, w.client, "inspect_page", nil)
	encoded, _ := json.Marshal(result)
	for _, secret := range []string{"himitsu7312", "kakushi7312"} {
		if strings.Contains(string(encoded), secret) {
			t.Errorf("the result shows %q", secret)
		}
	}
	seen := map[string]map[string]any{}
	for _, element := range result["elements"].([]any) {
		e := element.(map[string]any)
		id, _ := e["id"].(string)
		seen[id] = e
	}
	for id, want := range map[string]map[string]any{
		"plain":    {"tag": "input", "type": "text", "label": "文字"},
		"preset":   {"value": "初期値"},
		"password": {"type": "password", "label": "パスワード"},
		"locked":   {"readonly": true, "value": "変更不可"},
		"off":      {"disabled": true},
		"memo":     {"tag": "textarea"},
		"hinted":   {"placeholder": "例: 03-0000-0000"},
		"wrapped":  {"label": "電話番号"},
		"agree":    {"type": "checkbox", "checked": false, "label": "同意する"},
		"mail":     {"checked": true},
		"area":     {"tag": "select", "text": "選択してください", "optionCount": 5},
		"push":     {"type": "button"},
	} {
		if seen[id] == nil {
			t.Errorf("%s is not shown", id)
			continue
		}
		for field, value := range want {
			if fmt.Sprint(seen[id][field]) != fmt.Sprint(value) {
				t.Errorf("%s: %s is %v, want %v", id, field, seen[id][field], value)
			}
		}
	}
	if seen["secret"] != nil {
		t.Error("a hidden field is shown")
	}
}

// within checks the limits on one result.
func within(t *testing.T, part api.InspectResult) {
	t.Helper()
	if n := len(part.Elements); n > api.MaxElements {
		t.Errorf("%d elements", n)
	}
	if n := chars(part.Text); n > api.MaxText {
		t.Errorf("%d characters of text", n)
	}
	if encoded, _ := json.Marshal(part); len(encoded) > api.MaxResult {
		t.Errorf("%d bytes", len(encoded))
	}
}

// chars counts as pages do, in UTF-16 code units.
func chars(s string) int { return len(utf16.Encode([]rune(s))) }
