package mcpserver

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"iemesh/api"
)

var both = []string{"ie", "legacy"}

func TestFifteenToolsAreSmall(t *testing.T) {
	s := newServer(t, Options{Worker: newFake(), Profiles: both})
	p := serveStdio(t, t.Context(), s)
	p.initialize()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	result := p.receive().Result
	p.finish()
	var list struct {
		Tools []struct {
			Name, Title, Description  string
			InputSchema, OutputSchema json.RawMessage
		}
	}
	if err := json.Unmarshal(result, &list); err != nil || len(list.Tools) != 15 {
		t.Fatalf("%d tools, %v", len(list.Tools), err)
	}
	t.Logf("tools/list: %d tools, %d bytes", len(list.Tools), len(result))
	if len(result) > 17_000 {
		t.Errorf("the result of tools/list has %d bytes, more than 17,000", len(result))
	}
	for _, tool := range list.Tools {
		t.Logf("%-14s %5d bytes", tool.Name, len(tool.InputSchema)+len(tool.OutputSchema))
		in := string(tool.InputSchema)
		if strings.Contains(in, "null") || strings.Count(in, `"linkText"`) > 1 || strings.Contains(in, `"target":{"$ref`) {
			t.Errorf("%s: nulls, a locator twice, or one under the name of the operation: %s", tool.Name, in)
		}
		if tool.Title == "" || tool.Description == "" || len(tool.OutputSchema) == 0 {
			t.Errorf("%s: no title, description or output schema", tool.Name)
		}
	}
	// The operations keep their own names.
	if in, _ := json.Marshal(api.FillForm.Input); strings.Contains(string(in), "selector") {
		t.Errorf("fill_form became %s", in)
	}
}

func TestLegacyTools(t *testing.T) {
	f := newFake()
	cs := inMemory(t, newServer(t, Options{Worker: f, Profiles: both}), "")
	must(t, cs, "browser_start", nil)
	page := `"url":"http://legacy01.local/","title":"Title"`
	asked := func(operation, input string) {
		t.Helper()
		if got := f.last(); got.Operation != operation || got.PageID != "session1-page0" || string(got.Input) != input {
			t.Errorf("the worker was asked for %s: %s", got.Operation, got.Input)
		}
	}
	want(t, must(t, cs, "handle_dialog", map[string]any{"action": "accept"}), `{"message":"登録しますか?","action":"accept",`+page+`}`)
	asked("handle_dialog", `{"action":"accept"}`)
	want(t, must(t, cs, "press_key", map[string]any{"key": "Control+A", "selector": byID}), `{"status":"ok",`+page+`}`)
	asked("press", `{"key":"Control+A","target":{"by":"id","value":"x"}}`)
	want(t, must(t, cs, "fill_form", map[string]any{"fields": []any{map[string]any{"selector": byID, "value": "a"}, map[string]any{"selector": byID, "value": true}}}),
		`{"fields":[{"selector":{"by":"id","value":"x"},"status":"ok"},{"selector":{"by":"id","value":"x"},"status":"ok"}],`+page+`}`)
	asked("fill_form", `{"fields":[{"target":{"by":"id","value":"x"},"value":"a"},{"target":{"by":"id","value":"x"},"value":true}]}`)
	want(t, must(t, cs, "read_table", map[string]any{"selector": byID, "offset": 0, "limit": 1}),
		`{"header":["番号"],"rows":[["1"]],"rowCount":2,"columnCount":1,"offset":0,"truncated":true}`)
	asked("read_table", `{"limit":1,"offset":0,"target":{"by":"id","value":"x"}}`)
	big := base64.StdEncoding.EncodeToString(make([]byte, api.MaxUpload))
	want(t, must(t, cs, "upload_file", map[string]any{"selector": byID, "fileName": "a.bin", "content": big}), `{"status":"ok","fileName":"a.bin","bytes":10485760,`+page+`}`)

	before := len(f.asked())
	for _, c := range []struct{ tool, arguments, says string }{
		{"handle_dialog", `{}`, "action is required"},
		{"press_key", `{"key":"Return"}`, `There is no key "Return"`},
		{"fill_form", `{"fields":[]}`, "fields must have 1 to 50 items"},
		{"fill_form", `{"fields":[{"selector":{"by":"id","value":"x"}}]}`, "fields[0].value is required"},
		{"fill_form", `{"fields":[{"target":{"by":"id","value":"x"},"value":"v"}]}`, "fields[0].selector is required"},
		{"fill_form", `{"fields":[{"selector":{"by":"id","value":"x"},"value":7}]}`, "fields[0].value must be a string or boolean"},
		{"read_table", `{"selector":{"by":"id","value":"x"},"limit":2001}`, "limit must be from 1 to 2000"},
		{"upload_file", `{"selector":{"by":"id","value":"x"},"fileName":"a","content":"%"}`, "content is not base64"},
		{"upload_file", `{"selector":{"by":"id","value":"x"},"fileName":"a/b","content":""}`, "fileName must be a bare name"},
	} {
		result := refused(t, cs, c.tool, json.RawMessage(c.arguments), api.InvalidArgument)
		if message, _ := result["message"].(string); !strings.Contains(message, c.says) {
			t.Errorf("%s %s: %q does not say %q", c.tool, c.arguments, message, c.says)
		}
	}
	if len(f.asked()) != before {
		t.Errorf("the worker was asked: %v", f.asked()[before:])
	}
}

// A dialog is answered although another call runs and more are queued.
func TestHandleDialogOvertakes(t *testing.T) {
	f := newFake()
	cs := inMemory(t, newServer(t, Options{Worker: f, Profiles: both}), "")
	must(t, cs, "browser_start", nil)
	waiting, answered := make(chan struct{}), make(chan struct{})
	f.before = func(ctx context.Context, call *api.Call) error {
		switch call.Operation {
		case "wait":
			close(waiting)
			<-answered
		case "handle_dialog":
			close(answered)
		}
		return nil
	}
	done := make(chan api.Code, 1)
	go func() {
		_, failure := do(t, cs, "wait_for", map[string]any{"type": "ready"})
		done <- failure
	}()
	<-waiting
	must(t, cs, "handle_dialog", map[string]any{"action": "dismiss"})
	if failure := <-done; failure != "" {
		t.Error(failure)
	}
}
