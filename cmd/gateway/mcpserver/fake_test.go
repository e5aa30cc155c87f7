package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"iemesh/api"
)

// fakeWorker answers every operation with something of the right shape, and
// records in which order it was asked. It stands in for browsers, which these
// tests are not about.
type fakeWorker struct {
	// before runs ahead of each operation; an error is the answer.
	before func(ctx context.Context, call *api.Call) error

	mu       sync.Mutex
	calls    []api.Call
	sessions map[string]string // open ones → owner
	started  int
	windows  int
	image    []byte // of the next screenshots; nil = a few bytes
}

func newFake() *fakeWorker {
	return &fakeWorker{sessions: map[string]string{}, windows: 2}
}

func (f *fakeWorker) Do(ctx context.Context, call *api.Call) (*api.Reply, error) {
	f.mu.Lock()
	f.calls = append(f.calls, *call)
	f.mu.Unlock()
	entry, err := api.Lookup(call.Operation)
	if err != nil {
		return nil, err
	}
	if call.ID == "" || call.TimeoutMs < 100 || call.Caller.Principal == "" {
		return nil, api.Errorf(api.InternalError, "The call is incomplete.")
	}
	if err := entry.Check(call.Input); err != nil {
		return nil, err
	}
	if f.before != nil {
		if err := f.before(ctx, call); err != nil {
			return nil, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if entry.Scope != api.None && f.sessions[call.SessionID] != call.Caller.Principal {
		return nil, api.Errorf(api.SessionNotFound, "There is no such session.")
	}
	if entry.Scope == api.Page && call.PageID == "" {
		return nil, api.Errorf(api.InvalidArgument, "pageId is missing.")
	}
	return f.answer(call)
}

func (f *fakeWorker) answer(call *api.Call) (*api.Reply, error) {
	title := "Title"
	page := api.PageState{URL: "http://legacy01.local/", Title: &title}
	var blobs []api.Blob
	var result any = page
	switch call.Operation {
	case "session_ensure":
		var in api.EnsureInput
		_ = json.Unmarshal(call.Input, &in)
		id, reused := in.SessionID, f.sessions[in.SessionID] == call.Caller.Principal
		if !reused {
			f.started++
			id = fmt.Sprintf("session%d", f.started)
			f.sessions[id] = call.Caller.Principal
		}
		result = api.EnsureResult{SessionRef: ref(id), Reused: reused}
	case "session_get":
		result = api.SessionInfo{SessionRef: ref(call.SessionID), State: api.Ready}
	case "session_close":
		delete(f.sessions, call.SessionID)
		result = api.Empty{}
	case "session_renew":
		result = api.Empty{}
	case "page_find":
		var in api.PageFindInput
		_ = json.Unmarshal(call.Input, &in)
		index := f.windows - 1
		for i := range f.windows {
			if id := fmt.Sprintf("%s-page%d", call.SessionID, i); in.Index != nil && *in.Index == i || in.Newest && !slices.Contains(in.Known, id) {
				index = i
			}
		}
		if in.Index != nil && *in.Index >= f.windows {
			return nil, api.Errorf(api.WindowNotFound, "There is no such window.")
		}
		result = api.PageFindResult{PageState: page, PageID: fmt.Sprintf("%s-page%d", call.SessionID, index), Index: index, WindowCount: f.windows}
	case "inspect":
		result = api.InspectResult{URL: page.URL, Title: title, Text: "顧客検索", Elements: []api.Element{{Tag: "a"}}, TotalElements: 1}
	case "fill":
		result = api.FillResult{PageState: page, Method: api.Keys}
	case "select_option":
		result = api.SelectResult{Text: "東京支店", Value: "13", Index: 2, PageState: page}
	case "wait":
		var in api.WaitInput
		_ = json.Unmarshal(call.Input, &in)
		result = api.WaitResult{Type: in.Type, WaitedMs: 1, PageState: page}
	case "handle_dialog":
		var in api.HandleDialogInput
		_ = json.Unmarshal(call.Input, &in)
		result = api.HandleDialogResult{Message: "登録しますか?", Action: in.Action, PageState: page}
	case "fill_form":
		var in api.FillFormInput
		_ = json.Unmarshal(call.Input, &in)
		form := api.FillFormResult{PageState: page}
		for _, field := range in.Fields {
			form.Fields = append(form.Fields, api.FieldResult{Target: field.Target, Status: api.FieldOK})
		}
		result = form
	case "read_table":
		result = api.ReadTableResult{Header: []string{"番号"}, Rows: [][]string{{"1"}}, RowCount: 2, ColumnCount: 1, Truncated: true}
	case "upload_file":
		var in api.UploadInput
		_ = json.Unmarshal(call.Input, &in)
		content, _ := in.Bytes()
		result = api.UploadResult{FileName: in.FileName, Bytes: len(content), PageState: page}
	case "screenshot":
		blobs = []api.Blob{{MediaType: "image/png", Data: []byte("\x89PNG")}}
		if f.image != nil {
			blobs[0].Data = f.image
		}
		result = api.ScreenshotResult{MimeType: "image/png", Width: 1280, Height: 720, Bytes: 4}
	}
	data, err := json.Marshal(result)
	return &api.Reply{Result: data, Blobs: blobs}, err
}

func ref(id string) api.SessionRef {
	return api.SessionRef{SessionID: id, PageID: id + "-page0", Engine: "chromium"}
}

// asked lists the operations so far, without upkeep.
func (f *fakeWorker) asked() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var list []string
	for _, c := range f.calls {
		if c.Operation != "session_renew" {
			list = append(list, c.Operation)
		}
	}
	return list
}

func (f *fakeWorker) last() api.Call {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[len(f.calls)-1]
}

func (f *fakeWorker) count(operation string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, c := range f.calls {
		if c.Operation == operation {
			n++
		}
	}
	return n
}

func (f *fakeWorker) open() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.sessions)
}

// newServer makes a server that ends with the test.
func newServer(t *testing.T, o Options) *Server {
	t.Helper()
	if o.Profiles == nil {
		o.Profiles = []string{"ie"}
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Shutdown(context.Background()) })
	return s
}

// inMemory connects a client without any transport of ours.
func inMemory(t *testing.T, s *Server, version string) *mcp.ClientSession {
	t.Helper()
	theirs, ours := mcp.NewInMemoryTransports()
	if _, err := s.mcp.Connect(t.Context(), ours, nil); err != nil {
		t.Fatal(err)
	}
	return connect(t, theirs, version, nil)
}

// connect makes a client of that protocol version; "" is the newest.
func connect(t *testing.T, transport mcp.Transport, version string, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o)
	cs, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cs.Close() })
	return cs
}

// do calls a tool; failure is the code of a tool error, or "".
func do(t *testing.T, cs *mcp.ClientSession, tool string, arguments any) (result map[string]any, failure api.Code) {
	t.Helper()
	res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return read(t, res)
}

func read(t *testing.T, res *mcp.CallToolResult) (map[string]any, api.Code) {
	t.Helper()
	var fields map[string]any
	text := res.Content[len(res.Content)-1].(*mcp.TextContent).Text
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		t.Fatalf("the text is no JSON object: %v: %s", err, text)
	}
	if !res.IsError {
		return fields, ""
	}
	if res.StructuredContent != nil || len(res.Content) != 1 {
		t.Errorf("an error has more than its text: %+v", res)
	}
	return fields, api.Code(fields["error"].(string))
}

// must calls a tool that has to succeed.
func must(t *testing.T, cs *mcp.ClientSession, tool string, arguments any) map[string]any {
	t.Helper()
	result, failure := do(t, cs, tool, arguments)
	if failure != "" {
		t.Fatalf("%s failed: %v", tool, result)
	}
	return result
}

// refused calls a tool that has to fail with code.
func refused(t *testing.T, cs *mcp.ClientSession, tool string, arguments any, code api.Code) map[string]any {
	t.Helper()
	result, failure := do(t, cs, tool, arguments)
	if failure != code {
		t.Fatalf("%s answered %v, want %s", tool, result, code)
	}
	return result
}

func jsonLog(w io.Writer) *slog.Logger { return slog.New(slog.NewJSONHandler(w, nil)) }

// eventually waits for a condition that other goroutines bring about.
func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-deadline:
			t.Fatalf("never: %s", what)
		case <-tick.C:
		}
	}
}
