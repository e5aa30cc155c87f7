package e2e

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"iemesh/test/harness"
)

// mostListed is the limit on the result of tools/list, in bytes.
const mostListed = 12_000

func tenTools() []string {
	return []string{"browser_close", "browser_start", "click", "inspect_page", "navigate",
		"screenshot", "select", "switch_window", "type", "wait_for"}
}

func TestTenTools(t *testing.T) {
	t.Parallel()
	raw := harness.NewRaw(t, harness.Running(t, run.Gateway, []string{"--stdio", "--tools", "ie"}))
	var info struct {
		Instructions string
		ServerInfo   struct{ Name, Version string }
	}
	if err := json.Unmarshal(raw.Initialize().Result, &info); err != nil || info.Instructions == "" || info.ServerInfo.Name == "" {
		t.Errorf("initialize: %+v, %v", info, err)
	}
	raw.Request(harness.Args{"id": 1, "method": "tools/list", "params": harness.Args{}})
	result := raw.Answer(1).Result
	t.Logf("tools/list: %d bytes of %d", len(result), mostListed)
	if len(result) > mostListed {
		t.Errorf("tools/list has %d bytes, at most %d are allowed", len(result), mostListed)
	}
	var list struct {
		NextCursor string
		Tools      []struct {
			Name, Title, Description  string
			InputSchema, OutputSchema json.RawMessage
			Annotations               map[string]bool
		}
	}
	annotated := bytes.ReplaceAll(result, []byte(`"annotations":{"title"`), []byte(`"annotations":{"-"`))
	if err := json.Unmarshal(annotated, &list); err != nil {
		t.Fatal(err)
	}
	if list.NextCursor != "" {
		t.Error("the list goes on")
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if tool.Title == "" || tool.Description == "" || len(tool.InputSchema) == 0 || len(tool.OutputSchema) == 0 {
			t.Errorf("%s lacks a title, a description or a schema", tool.Name)
		}
		for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
			if _, given := tool.Annotations[hint]; !given && hint != "idempotentHint" && hint != "destructiveHint" {
				t.Errorf("%s has no %s", tool.Name, hint)
			}
		}
		for _, schema := range []json.RawMessage{tool.InputSchema, tool.OutputSchema} {
			if bytes.Contains(schema, []byte(`"null"`)) {
				t.Errorf("%s: a union with null: %s", tool.Name, schema)
			}
			if n := bytes.Count(schema, []byte(`"linkText"`)); n > 1 {
				t.Errorf("%s: %d definitions of a locator", tool.Name, n)
			}
		}
		var input struct {
			Properties map[string]any
		}
		if err := json.Unmarshal(tool.InputSchema, &input); err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{"sessionId", "timeoutMs"} {
			if input.Properties[field] == nil {
				t.Errorf("%s takes no %s", tool.Name, field)
			}
		}
	}
	slices.Sort(names)
	if !slices.Equal(names, tenTools()) {
		t.Errorf("the tools are %q", names)
	}
}

// Whatever comes in, standard output carries JSON-RPC, and the next call is answered.
func TestStandardOutputIsPure(t *testing.T) {
	t.Parallel()
	nothing := t.TempDir()
	gateway := harness.Running(t, run.Gateway, []string{"--stdio"}, "PATH="+nothing)
	raw := harness.NewRaw(t, gateway)
	raw.Initialize()
	for _, line := range []string{
		"", "   ", "hello", "{", "[]", "[{}]", "null", "17", `"text"`, "\xff\xfe", "{}\r",
		`{"jsonrpc":"1.0","id":7,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		`{"jsonrpc":"2.0","method":"tools/call","params":[]}`,
		`{"jsonrpc":"2.0","id":"stray","result":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}}`,
	} {
		raw.Write(line + "\n")
	}
	raw.Request(harness.Args{"id": 1, "method": "no/such/method"})
	if answer := raw.Answer(1); answer.Error == nil || answer.Error.Code != -32601 {
		t.Errorf("an unknown method: %+v", answer)
	}
	raw.Request(harness.ToolCall(2, "no_such_tool", nil))
	if answer := raw.Answer(2); answer.Error == nil {
		t.Errorf("an unknown tool: %s", answer.Result)
	}

	for name, call := range map[string]struct {
		tool, arguments, want string
	}{
		"no browser program": {"browser_start", `{}`, `"INTERNAL_ERROR"`},
		"no session":         {"inspect_page", `{}`, `"BROWSER_NOT_STARTED"`},
		"closing nothing":    {"browser_close", `{}`, `"closed"`},
		"wrong type":         {"navigate", `{"url":17}`, `"INVALID_ARGUMENT"`},
		"missing field":      {"click", `{}`, `"INVALID_ARGUMENT"`},
		"unknown field":      {"click", `{"selector":{"by":"id","value":"x"},"twice":true}`, `"INVALID_ARGUMENT"`},
		"unknown strategy":   {"click", `{"selector":{"by":"magic","value":"x"}}`, `"INVALID_ARGUMENT"`},
		"too many frames":    {"inspect_page", `{"frame":[` + strings.Repeat(`{"by":"id","value":"x"},`, 5) + `{"by":"id","value":"x"}]}`, `"INVALID_ARGUMENT"`},
		"short time":         {"inspect_page", `{"timeoutMs":99}`, `"INVALID_ARGUMENT"`},
		"long time":          {"inspect_page", `{"timeoutMs":300001}`, `"INVALID_ARGUMENT"`},
		"array of arguments": {"inspect_page", `[]`, `"INVALID_ARGUMENT"`},
		"unknown session":    {"inspect_page", `{"sessionId":"ABCDEFGH"}`, `"SESSION_NOT_FOUND"`},
	} {
		raw.Request(harness.Args{"id": name, "method": "tools/call", "params": harness.Args{"name": call.tool, "arguments": json.RawMessage(call.arguments)}})
		answer := raw.Answer(name)
		if !strings.Contains(strings.ReplaceAll(string(answer.Result), `\"`, `"`), call.want) {
			t.Errorf("%s: %s %+v, want %s", name, answer.Result, answer.Error, call.want)
		}
	}

	gateway.Stdin.Close()
	if code, ended := gateway.Ended(harness.GoneWithin); !ended || code != 0 {
		t.Errorf("after the end of its input: exit code %d, ended: %t", code, ended)
	}
	for line := range strings.SplitSeq(strings.TrimRight(gateway.Written(), "\n"), "\n") {
		var message struct{ JSONRPC string }
		if json.Unmarshal([]byte(line), &message) != nil || message.JSONRPC != "2.0" {
			t.Errorf("on standard output: %q", line)
		}
	}
	for _, line := range gateway.Lines() {
		if !json.Valid([]byte(line)) {
			t.Errorf("on standard error: %q", line)
		}
	}
}

func TestMissingBrowserNamesTheCommandThatInstallsIt(t *testing.T) {
	t.Parallel()
	gateway := harness.Running(t, run.Gateway, []string{"--stdio"}, "PATH="+t.TempDir())
	client := harness.Connected(t, gateway.Stdio(), harness.Modern)
	failure := harness.Refused(t, client, "browser_start", nil, "INTERNAL_ERROR")
	if message, _ := failure["message"].(string); !strings.Contains(message, "apt-get install chromium chromium-driver") {
		t.Errorf("the message: %q", message)
	}
}
