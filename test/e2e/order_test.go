package e2e

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"iemesh/api"
	"iemesh/test/harness"
)

const pipelinedRuns = 300

// Eight calls sent at once act in the order in which they were sent.
func TestPipelinedCallsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	raw := harness.NewRaw(t, harness.Running(t, run.Gateway, []string{"--stdio"}))
	raw.Initialize()
	// Even browser_start may be followed at once by what needs the browser.
	raw.Request(
		harness.ToolCall("start", "browser_start", harness.Args{}),
		harness.ToolCall("visit", "navigate", harness.Args{"url": run.site + "/order"}),
	)
	succeeded(t, raw, "start")
	succeeded(t, raw, "visit")

	// Each look must see what the calls before it did, and nothing of those after it.
	logged, field := "", ""
	look := harness.Args{"offset": 0}
	for i := range pipelinedRuns {
		text := fmt.Sprint("r", i)
		id := func(n int) string { return fmt.Sprintf("%d/%d", i, n) }
		raw.Request(
			harness.ToolCall(id(0), "inspect_page", look),
			harness.ToolCall(id(1), "type", harness.Args{"selector": harness.ID("field"), "text": text}),
			harness.ToolCall(id(2), "inspect_page", look),
			harness.ToolCall(id(3), "click", harness.Args{"selector": harness.ID("press")}),
			harness.ToolCall(id(4), "inspect_page", look),
			harness.ToolCall(id(5), "wait_for", harness.Args{"type": "text", "selector": harness.ID("log"), "text": text}),
			harness.ToolCall(id(6), "wait_for", harness.Args{"type": "title", "text": "順序"}),
			harness.ToolCall(id(7), "inspect_page", look),
		)
		for n := range 8 {
			result := succeeded(t, raw, id(n))
			switch n {
			case 2:
				field = text
			case 4:
				logged = strings.TrimPrefix(logged+","+text, ",")
			}
			if n != 0 && n != 2 && n != 4 && n != 7 {
				continue
			}
			var page api.InspectResult
			if err := json.Unmarshal(result, &page); err != nil || len(page.Elements) != 2 {
				t.Fatalf("%s: %s, %v", id(n), result, err)
			}
			_, seen, _ := strings.Cut(words(page.Text), "追加")
			if strings.TrimSpace(seen) != logged || page.Elements[0].Value != field {
				t.Fatalf("%s saw %q in the log and %q in the field, want %q and %q", id(n), seen, page.Elements[0].Value, logged, field)
			}
		}
	}
}

// succeeded is the structured content of the answer to a tool call.
func succeeded(t *testing.T, raw *harness.Raw, id string) json.RawMessage {
	t.Helper()
	answer := raw.Answer(id)
	var result struct {
		IsError           bool
		StructuredContent json.RawMessage
	}
	if answer.Error != nil || json.Unmarshal(answer.Result, &result) != nil || result.IsError {
		t.Fatalf("%s: %s %+v", id, answer.Result, answer.Error)
	}
	return result.StructuredContent
}

// Two principals have two browsers; to each the other's does not exist.
func TestTwoPrincipals(t *testing.T) {
	t.Parallel()
	tokens := filepath.Join(t.TempDir(), "tokens")
	alice, bob := newToken(t, run.Gateway, tokens, "alice"), newToken(t, run.Gateway, tokens, "bob")
	gateway := harness.Serving(t, run.Gateway, nil, "--token-file", tokens, "--rate", "0")
	hers := harness.Connected(t, gateway.MCP(alice, nil), harness.Modern)
	his := harness.Connected(t, gateway.MCP(bob, nil), harness.Modern)
	first := harness.Do(t, hers, "browser_start", nil)
	second := harness.Do(t, his, "browser_start", nil)
	if first["sessionId"] == second["sessionId"] || browsers(gateway.Program) != 2 {
		t.Fatalf("%v and %v share a browser", first, second)
	}
	run.visit(t, hers, "/customer")
	run.visit(t, his, "/order")
	for tool, args := range map[string]harness.Args{
		"navigate":      {"url": run.site + "/order"},
		"inspect_page":  {},
		"click":         {"selector": harness.ID("customerName")},
		"type":          {"selector": harness.ID("customerName"), "text": "his"},
		"select":        {"selector": harness.ID("branch"), "by": "index", "value": 0},
		"wait_for":      {"type": "title", "text": "顧客"},
		"switch_window": {"index": 0},
		"screenshot":    {},
	} {
		for _, session := range []any{first["sessionId"], "ABCDEFGHIJKLMNOPQRSTUVWXYZ"} {
			args["sessionId"] = session
			failure := harness.Failure(t, tool, harness.Ask(t, his, tool, args))
			if failure["error"] != "SESSION_NOT_FOUND" {
				t.Errorf("%s: %v", tool, failure)
			}
		}
	}
	// Closing what is not there succeeds, and so closes nothing here.
	harness.Do(t, his, "browser_close", harness.Args{"sessionId": first["sessionId"]})
	seen := harness.Do(t, hers, "inspect_page", nil)
	if seen["title"] != "顧客検索" {
		t.Errorf("her page: %v", seen)
	}
	if elements := fmt.Sprint(seen["elements"]); strings.Contains(elements, "his") {
		t.Errorf("he typed into her page: %s", elements)
	}
}

// The worker itself enforces ownership, for every operation that it knows.
func TestForeignSessionsDoNotExist(t *testing.T) {
	w := remote(t)
	carol := harness.Args{"principal": "carol"}
	created := w.worker.Must(t, api.NewID(), harness.Args{"operation": "session_create", "caller": carol, "timeoutMs": 60_000}).Result
	session, page := created["sessionId"], created["pageId"]
	t.Cleanup(func() {
		w.worker.Must(t, api.NewID(), harness.Args{"operation": "session_close", "sessionId": session, "caller": carol})
	})
	target := harness.ID("customerName")
	inputs := map[string]harness.Args{
		"click":         {"target": target},
		"fill":          {"target": target, "text": "x"},
		"select_option": {"target": target, "by": "index", "value": 0},
		"page_find":     {"index": 0},
		"navigate":      {"url": run.site + "/customer"},
		"wait":          {"type": "title", "text": "x"},
		"handle_dialog": {"action": "accept"},
		"press":         {"key": "Enter"},
		"fill_form":     {"fields": []harness.Args{{"target": target, "value": "x"}}},
		"read_table":    {"target": target},
		"upload_file":   {"target": target, "fileName": "x", "content": ""},
	}
	answers := map[string][]byte{}
	for _, entry := range api.Catalogue() {
		if entry.Scope == api.None {
			continue
		}
		for _, id := range []any{session, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"} {
			call := harness.Args{"operation": entry.Name, "sessionId": id, "caller": harness.Args{"principal": "mallory"}, "timeoutMs": 5000}
			if entry.Scope == api.Page {
				call["pageId"] = page
			}
			if input := inputs[entry.Name]; input != nil {
				call["input"] = input
			}
			outcome := w.worker.Put(t, api.NewID(), call)
			if outcome.Status != 404 || outcome.Error.Code != "SESSION_NOT_FOUND" {
				t.Errorf("%s on %v: %d %s", entry.Name, id, outcome.Status, outcome.Body)
			}
			// The same words, whether the session exists or not.
			if other := answers[entry.Name]; other != nil && outcome.Error.Message != string(other) {
				t.Errorf("%s tells %q and %q", entry.Name, other, outcome.Error.Message)
			}
			answers[entry.Name] = []byte(outcome.Error.Message)
		}
	}
	list := w.worker.Must(t, api.NewID(), harness.Args{"operation": "session_list", "caller": harness.Args{"principal": "mallory"}})
	if sessions, _ := list.Result["sessions"].([]any); len(sessions) != 0 {
		t.Errorf("mallory sees %v", sessions)
	}
}
