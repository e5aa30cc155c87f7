package e2e

import (
	"fmt"
	"strings"
	"testing"

	"iemesh/test/harness"
)

// Each call leaves one line that tells what was done, never what was typed or seen.
func TestLogLines(t *testing.T) {
	w := open(t)
	run.visit(t, w.client, "/order")
	harness.Until(harness.Soon, func() bool { // a line may come after its answer
		lines := w.Log()
		return strings.HasSuffix(fmt.Sprint(lines[len(lines)-1]["url"]), "/order")
	})
	before := len(w.Log())
	run.visit(t, w.client, "/fields?"+query("picked", "himitsu1"))
	harness.Do(t, w.client, "type", harness.Args{"selector": harness.ID("password"), "text": "himitsu2 パス"})
	harness.Do(t, w.client, "inspect_page", nil)
	harness.Refused(t, w.client, "click", harness.Args{"selector": harness.ID("x"), "timeoutMs": 200}, "ELEMENT_NOT_FOUND")
	harness.Refused(t, w.client, "navigate", harness.Args{"url": "http://user:himitsu3@127.0.0.1/"}, "URL_NOT_ALLOWED")
	harness.Refused(t, w.client, "click", harness.Args{"selector": harness.ID("x"), "twice": true}, "INVALID_ARGUMENT")

	var lines []map[string]any
	harness.Until(harness.Soon, func() bool {
		lines = w.Log()[before:]
		return len(lines) >= 6
	})
	wanted := []map[string]any{
		{"level": "info", "tool": "navigate", "url": run.site + "/fields"},
		{"level": "info", "tool": "type", "selector": map[string]any{"by": "id", "value": "password"}, "textLength": 11},
		{"level": "info", "tool": "inspect_page"},
		{"level": "error", "tool": "click", "selector": map[string]any{"by": "id", "value": "x"}, "error": "ELEMENT_NOT_FOUND", "message": "Element was not found: id=x"},
		{"level": "error", "tool": "navigate", "error": "URL_NOT_ALLOWED"},
		{"level": "error", "tool": "click", "error": "INVALID_ARGUMENT"},
	}
	if len(lines) != len(wanted) {
		t.Fatalf("%d lines, want %d: %v", len(lines), len(wanted), lines)
	}
	for i, want := range wanted {
		for field, value := range want {
			if fmt.Sprint(lines[i][field]) != fmt.Sprint(value) {
				t.Errorf("line %d: %s is %v, want %v", i, field, lines[i][field], value)
			}
		}
		if _, timed := lines[i]["durationMs"].(float64); !timed {
			t.Errorf("line %d has no durationMs: %v", i, lines[i])
		}
	}
	if all := strings.Join(w.Lines(), "\n"); strings.Contains(all, "himitsu") {
		t.Errorf("the log tells a secret:\n%s", all)
	}
}
