package mcpserver

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"iemesh/api"
)

var byID = map[string]any{"by": "id", "value": "x"}

func TestToolListIsSmall(t *testing.T) {
	s := newServer(t, Options{Worker: newFake()})
	cs := inMemory(t, s, "")
	res, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	p := serveStdio(t, t.Context(), s)
	p.initialize()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	size := len(p.receive().Result)
	p.finish()
	t.Logf("tools/list: %d tools, %d bytes", len(res.Tools), size)
	if size > 12_000 {
		t.Errorf("the result of tools/list has %d bytes, more than 12,000", size)
	}
	want := "browser_close browser_start click inspect_page navigate screenshot select switch_window type wait_for"
	var names []string
	for _, tool := range res.Tools {
		names = append(names, tool.Name)
		in, _ := json.Marshal(tool.InputSchema)
		if strings.Contains(string(in), "null") || strings.Count(string(in), `"linkText"`) > 1 {
			t.Errorf("%s: nulls, or a locator twice: %s", tool.Name, in)
		}
		out, _ := json.Marshal(tool.OutputSchema)
		if strings.Contains(string(out), "null") || strings.Contains(string(out), "required") || strings.Contains(string(out), "additional") {
			t.Errorf("%s: the output is constrained: %s", tool.Name, out)
		}
		if tool.Annotations.DestructiveHint == nil || tool.Annotations.OpenWorldHint == nil {
			t.Errorf("%s: not all hints are set", tool.Name)
		}
		if tool.Title == "" || tool.Description == "" {
			t.Errorf("%s: no title or description", tool.Name)
		}
		t.Logf("%-14s %5d bytes", tool.Name, len(in)+len(out))
	}
	if got := strings.Join(names, " "); got != want {
		t.Errorf("tools are %s", got)
	}
	if cs.InitializeResult() != nil && cs.InitializeResult().Capabilities.Tools.ListChanged {
		t.Error("listChanged is advertised")
	}
}

func TestTenTools(t *testing.T) {
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			f := newFake()
			cs := inMemory(t, newServer(t, Options{Worker: f}), version)
			started := must(t, cs, "browser_start", map[string]any{})
			want(t, started, `{"status":"ready","reused":false,"sessionId":"session1","pageId":"session1-page0","engine":"chromium"}`)
			want(t, must(t, cs, "browser_start", nil), `{"status":"ready","reused":true,"sessionId":"session1","pageId":"session1-page0","engine":"chromium"}`)
			page := `"url":"http://legacy01.local/","title":"Title"`
			want(t, must(t, cs, "navigate", map[string]any{"url": "http://legacy01.local/"}), `{`+page+`}`)
			if got := f.last(); got.Tool != "navigate" || got.SessionID != "session1" || got.PageID != "session1-page0" || got.Caller.Principal != "local" || got.TimeoutMs < 29_000 {
				t.Errorf("the worker was asked %+v", got)
			}
			want(t, must(t, cs, "inspect_page", map[string]any{"frame": byID, "limit": 5}),
				`{"url":"http://legacy01.local/","title":"Title","text":"顧客検索","elements":[{"tag":"a"}],"truncated":false,"totalElements":1,"totalTextChars":0}`)
			want(t, must(t, cs, "click", map[string]any{"selector": byID, "frame": []any{byID}}), `{`+page+`}`)
			if got := string(f.last().Input); got != `{"frame":[{"by":"id","value":"x"}],"target":{"by":"id","value":"x"}}` {
				t.Errorf("click became %s", got)
			}
			want(t, must(t, cs, "type", map[string]any{"selector": byID, "text": "山田", "clear": false, "timeoutMs": 500}),
				`{"status":"ok",`+page+`,"method":"keys"}`)
			if got := f.last().TimeoutMs; got > 500 || got < 100 {
				t.Errorf("timeoutMs became %d", got)
			}
			want(t, must(t, cs, "select", map[string]any{"selector": byID, "by": "index", "value": 2}), `{"text":"東京支店","value":"13","index":2,`+page+`}`)
			want(t, must(t, cs, "wait_for", map[string]any{"type": "visible", "selector": byID}), `{"type":"visible","waitedMs":1,`+page+`}`)
			want(t, must(t, cs, "switch_window", map[string]any{"target": "newest"}), `{`+page+`,"index":1,"windowCount":2,"pageId":"session1-page1"}`)
			if got := string(f.last().Input); got != `{"newest":true,"known":["session1-page0"]}` {
				t.Errorf("switch_window became %s", got)
			}
			must(t, cs, "click", map[string]any{"selector": byID})
			if got := f.last().PageID; got != "session1-page1" {
				t.Errorf("after switch_window the page is %s", got)
			}
			must(t, cs, "switch_window", map[string]any{"target": "newest"})
			if got := string(f.last().Input); got != `{"newest":true,"known":["session1-page0","session1-page1"]}` {
				t.Errorf("switch_window became %s", got)
			}
			must(t, cs, "switch_window", map[string]any{"index": 0})
			if got := must(t, cs, "browser_start", nil)["pageId"]; got != "session1-page0" {
				t.Errorf("browser_start tells page %v", got)
			}
			res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "screenshot"})
			if err != nil {
				t.Fatal(err)
			}
			image, ok := res.Content[0].(*mcp.ImageContent)
			if !ok || string(image.Data) != "\x89PNG" || image.MIMEType != "image/png" {
				t.Errorf("the screenshot is %+v", res.Content[0])
			}
			shot, _ := read(t, res)
			want(t, shot, `{"mimeType":"image/png","width":1280,"height":720,"bytes":4}`)
			if structured, _ := json.Marshal(res.StructuredContent); len(structured) < 10 {
				t.Errorf("structured content is %s", structured)
			}
			want(t, must(t, cs, "browser_close", nil), `{"status":"closed"}`)
			want(t, must(t, cs, "browser_close", nil), `{"status":"closed"}`)
			if f.open() != 0 {
				t.Error("a session is left")
			}
			refused(t, cs, "click", map[string]any{"selector": byID}, api.BrowserNotStarted)
		})
	}
}

// want compares with JSON, in which the order of fields does not matter.
func want(t *testing.T, got map[string]any, wanted string) {
	t.Helper()
	var w map[string]any
	if err := json.Unmarshal([]byte(wanted), &w); err != nil {
		t.Fatal(err)
	}
	a, _ := json.Marshal(got)
	b, _ := json.Marshal(w)
	if string(a) != string(b) {
		t.Errorf("got  %s\nwant %s", a, b)
	}
}

func TestArguments(t *testing.T) {
	f := newFake()
	cs := inMemory(t, newServer(t, Options{Worker: f}), "")
	must(t, cs, "browser_start", nil)
	asked := len(f.asked())
	for _, c := range []struct {
		tool, arguments, says string
	}{
		{"click", `{}`, "selector is required"},
		{"click", `null`, "selector is required"},
		{"click", `{"target":{"by":"id","value":"x"}}`, "selector is required"},
		{"click", `{"selector":{"by":"id","value":"x"},"target":1}`, `no argument "target"`},
		{"click", `{"selector":{"by":"tag","value":"x"}}`, "selector.by must be one of"},
		{"click", `{"selector":{"by":"id","value":"x","nth":1}}`, `"selector.nth"`},
		{"click", `{"selector":{"by":"id","value":"x"},"timeoutMs":99}`, "timeoutMs must be from 100 to 300000"},
		{"click", `{"selector":{"by":"id","value":"x"},"timeoutMs":"500"}`, "timeoutMs must be an integer"},
		{"click", `{"selector":{"by":"id","value":"x"},"sessionId":""}`, "sessionId must not be empty"},
		{"click", `[]`, "The input must be an object"},
		{"browser_start", `{"sessionID":"x"}`, `no argument "sessionID"`},
		{"browser_close", `{"force":true}`, `no argument "force"`},
		{"switch_window", `{}`, `either target "newest" or index`},
		{"switch_window", `{"target":"newest","index":1}`, `either target "newest" or index`},
		{"switch_window", `{"target":"oldest"}`, "target must be one of newest"},
		{"switch_window", `{"newest":true}`, `no argument "newest"`},
		{"wait_for", `{"type":"visible"}`, "visible needs a selector"},
		{"wait_for", `{"type":"title"}`, "title needs a text"},
		{"wait_for", `{"type":"idle"}`, "type must be one of"},
		{"select", `{"selector":{"by":"id","value":"x"},"by":"index","value":"two"}`, "value must be an index"},
		{"type", `{"selector":{"by":"id","value":"x"},"text":5}`, "text must be a string"},
		{"navigate", `{"url":""}`, "url must have 1 to"},
		{"inspect_page", `{"limit":301}`, "limit must be from 1 to 300"},
	} {
		result := refused(t, cs, c.tool, json.RawMessage(c.arguments), api.InvalidArgument)
		if message, _ := result["message"].(string); !strings.Contains(message, c.says) {
			t.Errorf("%s %s: %q does not say %q", c.tool, c.arguments, message, c.says)
		}
	}
	if len(f.asked()) != asked {
		t.Errorf("the worker was asked: %v", f.asked()[asked:])
	}
	if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "tap"}); err == nil {
		t.Error("an unknown tool was called")
	}
}

func TestErrors(t *testing.T) {
	var answer *api.Error
	f := newFake()
	cs := inMemory(t, newServer(t, Options{Worker: f}), "2025-11-25")
	must(t, cs, "browser_start", nil)
	f.before = func(context.Context, *api.Call) error {
		if answer == nil {
			return nil
		}
		return answer
	}
	click := map[string]any{"selector": byID}
	answer = &api.Error{Code: api.ElementNotFound, Message: "Element was not found: id=x", Selector: &api.Locator{By: "id", Value: "x"}}
	want(t, refused(t, cs, "click", click, api.ElementNotFound),
		`{"error":"ELEMENT_NOT_FOUND","message":"Element was not found: id=x","selector":{"by":"id","value":"x"}}`)
	answer = api.Errorf(api.BrowserError, "Install Edge.")
	want(t, refused(t, cs, "browser_start", nil, api.InternalError), `{"error":"INTERNAL_ERROR","message":"Install Edge."}`)
	answer = api.Errorf(api.PageNotFound, "There is no such page.")
	if m := refused(t, cs, "click", click, api.WindowNotFound)["message"].(string); !strings.Contains(m, "switch_window") {
		t.Errorf("a closed window says %q", m)
	}
	answer = api.Errorf(api.WorkerUnavailable, "No worker.")
	refused(t, cs, "browser_close", nil, api.WorkerUnavailable)

	// A failed session says so once.
	answer = api.Errorf(api.DriverLost, "The browser died.")
	refused(t, cs, "click", click, api.DriverLost)
	refused(t, cs, "click", click, api.BrowserNotStarted)
	want(t, must(t, cs, "browser_close", nil), `{"status":"closed"}`)

	// So does one that idled out.
	answer = nil
	must(t, cs, "browser_start", nil)
	f.mu.Lock()
	clear(f.sessions)
	f.mu.Unlock()
	refused(t, cs, "click", click, api.BrowserNotStarted)
	refused(t, cs, "click", click, api.BrowserNotStarted)
	refused(t, cs, "click", map[string]any{"selector": byID, "sessionId": "session9"}, api.SessionNotFound)
	if got := must(t, cs, "browser_start", nil); got["reused"] != false {
		t.Errorf("browser_start after that: %v", got)
	}
	// To close a session that is gone is no error.
	f.mu.Lock()
	clear(f.sessions)
	f.mu.Unlock()
	want(t, must(t, cs, "browser_close", nil), `{"status":"closed"}`)
}

func TestNamedSession(t *testing.T) {
	f := newFake()
	s := newServer(t, Options{Worker: f})
	f.sessions["mine"] = "local"
	cs := inMemory(t, s, "")
	must(t, cs, "click", map[string]any{"selector": byID, "sessionId": "mine"})
	if got := f.last(); got.SessionID != "mine" || got.PageID != "mine-page0" {
		t.Errorf("the worker was asked %+v", got)
	}
	must(t, cs, "switch_window", map[string]any{"target": "newest", "sessionId": "mine"})
	must(t, cs, "click", map[string]any{"selector": byID, "sessionId": "mine"})
	if got := f.last(); got.PageID != "mine-page1" {
		t.Errorf("the page of a named session is %s", got.PageID)
	}
	if n := f.count("session_get"); n != 1 {
		t.Errorf("session_get was asked %d times", n)
	}
	refused(t, cs, "click", map[string]any{"selector": byID}, api.BrowserNotStarted)
	must(t, cs, "browser_close", map[string]any{"sessionId": "mine"})
	if f.open() != 0 {
		t.Error("the named session is left")
	}
}

// Whoever names a session wants that one: another would be a second browser
// beside the one that the caller has.
func TestStartOfANamedSession(t *testing.T) {
	f := newFake()
	s := newServer(t, Options{Worker: f})
	cs := inMemory(t, s, "")
	own := must(t, cs, "browser_start", nil)["sessionId"]
	refused(t, cs, "browser_start", map[string]any{"sessionId": "unknown"}, api.SessionNotFound)
	f.sessions["alices"] = "alice"
	refused(t, cs, "browser_start", map[string]any{"sessionId": "alices"}, api.SessionNotFound)
	if n := f.count("session_ensure"); n != 1 {
		t.Errorf("%d browsers were asked for", n)
	}
	if got := must(t, cs, "browser_start", nil); got["sessionId"] != own || got["reused"] != true {
		t.Errorf("the caller's own is %v", got)
	}
	// One that is there is taken, and one that failed replaced: the worker sees to both.
	if got := must(t, cs, "browser_start", map[string]any{"sessionId": own}); got["sessionId"] != own {
		t.Errorf("by name it is %v", got)
	}
	f.before = func(_ context.Context, call *api.Call) error {
		if call.Operation == "session_get" {
			return api.Errorf(api.DriverLost, "The browser died.")
		}
		return nil
	}
	must(t, cs, "browser_start", map[string]any{"sessionId": own})
	if n := f.count("session_ensure"); n != 4 {
		t.Errorf("%d browsers were asked for", n)
	}
}

func TestToolsForDocumentation(t *testing.T) {
	tools, err := Tools([]string{"ie"})
	if err != nil || len(tools) != 10 {
		t.Fatalf("%d tools, %v", len(tools), err)
	}
	if _, err := Tools([]string{"firefox"}); err == nil {
		t.Error("an unknown profile is accepted")
	}
	if _, err := New(Options{Worker: newFake()}); err == nil {
		t.Error("a server without tools is made")
	}
}

func TestPlain(t *testing.T) {
	for _, text := range []string{"", `a&b<c>`, `\u0026`, `\\u0026`, "\"\n\u2028顧客", `\`, `&\&`} {
		escaped, _ := json.Marshal(text)
		var back string
		if err := json.Unmarshal(plain(escaped), &back); err != nil || back != text {
			t.Errorf("%q became %s: %q, %v", text, plain(escaped), back, err)
		}
	}
	if got := plain(json.RawMessage(`{"url":"/?a\u0026b\u003c\u003e"}`)); string(got) != `{"url":"/?a&b<>"}` {
		t.Errorf("got %s", got)
	}
}
