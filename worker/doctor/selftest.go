package doctor

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"time"

	"iemesh/api"
)

// SelfTest is how a session went through the doctor's own page.
type SelfTest struct {
	Passed         bool   `json:"passed"`
	BrowserVersion string `json:"browserVersion"`
	Steps          []Step `json:"steps"`
}

// StepState is how a step went.
type StepState string

// The states of steps.
const (
	StepOK      StepState = "ok"
	StepFailed  StepState = "failed"
	StepSkipped StepState = "skipped" // one before it failed that it needs
)

// Step is one thing that was done in the browser.
type Step struct {
	Name       string    `json:"name"`
	State      StepState `json:"state"`
	DurationMs int64     `json:"durationMs"`
	Error      api.Code  `json:"error"`   // "" when it went well
	Message    string    `json:"message"` // what went wrong, or what was seen
	picture    []byte    // PNG, of a screenshot
}

//go:embed pages
var pages embed.FS

// The texts of the pages.
const (
	customer = "山田太郎"
	branch   = "東京支店"
	question = "登録しますか?"
)

// Test drives one session of w, whose browsers are on the machine that was
// examined, through a page that this process serves on loopback. It leaves
// nothing. In IE mode it does not start while somebody else uses the desktop.
func (e Examination) Test(ctx context.Context, w api.Worker) SelfTest {
	t := &trial{worker: w, result: SelfTest{Passed: true, Steps: []Step{}}}
	for _, c := range e.Report.Checks {
		if c.ID == idOneSession && c.State == api.CheckWarning {
			return t.refused(api.LimitExceeded, "Another IEDriverServer runs: the self-test would take its desktop.")
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return t.refused(api.InternalError, "No page can be served: "+err.Error())
	}
	files, _ := fs.Sub(pages, "pages")
	server := &http.Server{Handler: http.FileServerFS(files), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	t.site = "http://" + listener.Addr().String()
	t.call = api.Call{TimeoutMs: 15_000, Caller: api.Caller{Gateway: "local", Principal: "doctor"}, Policy: api.Policy{Origins: []string{t.site}}}
	t.run(ctx, e.Report.Engine)
	return t.result
}

type trial struct {
	worker api.Worker
	site   string
	call   api.Call
	result SelfTest
	over   bool   // nothing more can be tried
	taken  []byte // picture of the step under way
}

// refused is the result of a test that cannot begin.
func (t *trial) refused(code api.Code, message string) SelfTest {
	t.result.Passed = false
	t.result.Steps = append(t.result.Steps, Step{Name: "start", State: StepFailed, Error: code, Message: message})
	return t.result
}

// step carries out one step; do returns what was seen.
func (t *trial) step(ctx context.Context, name string, do func(context.Context) (string, error)) bool {
	if t.over {
		t.result.Steps = append(t.result.Steps, Step{Name: name, State: StepSkipped})
		return false
	}
	began := time.Now()
	seen, err := do(ctx)
	s := Step{Name: name, State: StepOK, DurationMs: time.Since(began).Milliseconds(), Message: discreet(seen), picture: t.taken}
	t.taken = nil
	if err != nil {
		e := api.AsError(err)
		s.State, s.Error, s.Message = StepFailed, e.Code, discreet(e.Message)
		t.result.Passed = false
		if t.call.SessionID != "" {
			s.picture = t.picture(ctx)
		}
	}
	t.result.Steps = append(t.result.Steps, s)
	return err == nil
}

// needed is a step without which nothing more can be tried.
func (t *trial) needed(ctx context.Context, name string, do func(context.Context) (string, error)) {
	if !t.step(ctx, name, do) {
		t.over = true
	}
}

func (t *trial) run(ctx context.Context, engine string) {
	t.needed(ctx, "start", func(ctx context.Context) (string, error) {
		call := t.call
		call.TimeoutMs = startTime.Milliseconds() * 3 / 2
		ref, _, err := api.Do(ctx, t.worker, api.SessionCreate, call, api.Empty{})
		t.call.SessionID, t.call.PageID = ref.SessionID, ref.PageID
		if err != nil {
			return "", err
		}
		info, err := perform(ctx, t, api.Runtime, api.Empty{})
		t.result.BrowserVersion = info.BrowserVersion
		return engine + " " + info.BrowserVersion, err
	})
	t.needed(ctx, "navigate", func(ctx context.Context) (string, error) {
		st, err := perform(ctx, t, api.Navigate, api.NavigateInput{URL: t.site + "/form.html"})
		return st.URL, err
	})
	t.step(ctx, "inspect", t.inspect)
	t.step(ctx, "type", func(ctx context.Context) (string, error) {
		r, err := perform(ctx, t, api.Fill, api.FillInput{Target: id("customer"), Text: customer})
		if err == nil && r.Differs {
			err = api.Errorf(api.InternalError, "The field holds something else than was typed.")
		}
		return "by " + string(r.Method), err
	})
	t.step(ctx, "select", func(ctx context.Context) (string, error) {
		r, err := perform(ctx, t, api.SelectOption, api.SelectInput{Target: id("branch"), By: api.OptionText, Value: branch})
		return r.Text + " = " + r.Value, err
	})
	t.step(ctx, "click", func(ctx context.Context) (string, error) {
		if _, err := perform(ctx, t, api.Click, api.ClickInput{Target: id("show")}); err != nil {
			return "", err
		}
		return t.shows(ctx, "shown", customer+" / "+branch, nil)
	})
	t.step(ctx, "confirm", t.confirm)
	t.step(ctx, "popup", t.popup)
	t.step(ctx, "frameset", t.frameset)
	t.step(ctx, "screenshot", func(ctx context.Context) (string, error) {
		shot, reply, err := api.Do(ctx, t.worker, api.Screenshot, t.call, api.Empty{})
		if err != nil {
			return "", err
		}
		t.taken = reply.Blobs[0].Data
		return fmt.Sprintf("%d x %d, %d bytes", shot.Width, shot.Height, shot.Bytes), nil
	})
	t.over = t.call.SessionID == ""
	t.step(context.WithoutCancel(ctx), "quit", func(ctx context.Context) (string, error) {
		_, err := perform(ctx, t, api.SessionClose, api.Empty{})
		t.call.SessionID = ""
		return "", err
	})
}

func (t *trial) inspect(ctx context.Context) (string, error) {
	page, err := perform(ctx, t, api.Inspect, api.InspectInput{})
	if err != nil {
		return "", err
	}
	if page.Title != "iemesh doctor" || !strings.Contains(page.Text, "顧客名") || page.TotalElements != 5 {
		return "", api.Errorf(api.InternalError, "The page is not seen as it is: title %q, %d elements, text %q.", page.Title, page.TotalElements, page.Text)
	}
	seen := fmt.Sprintf("%d elements", page.TotalElements)
	if page.DocumentMode > 0 {
		seen += fmt.Sprintf(", document mode %d", page.DocumentMode)
	}
	return seen, nil
}

func (t *trial) confirm(ctx context.Context) (string, error) {
	st, err := perform(ctx, t, api.Click, api.ClickInput{Target: id("ask")})
	if err != nil {
		return "", err
	}
	answered, err := perform(ctx, t, api.HandleDialog, api.HandleDialogInput{Action: api.Accept})
	if err != nil {
		return "", err
	}
	if st.Dialog == nil || answered.Message != question {
		return "", api.Errorf(api.InternalError, "The dialog was not told: %q.", answered.Message)
	}
	return t.shows(ctx, "answer", "はい", nil)
}

func (t *trial) popup(ctx context.Context) (string, error) {
	first := t.call.PageID
	if _, err := perform(ctx, t, api.Click, api.ClickInput{Target: id("open")}); err != nil {
		return "", err
	}
	found, err := perform(ctx, t, api.PageFind, api.PageFindInput{Newest: true, Known: []string{first}})
	if err != nil {
		return "", err
	}
	if found.PageID == first {
		return "", api.Errorf(api.WindowNotFound, "The window that the page opened was not found.")
	}
	defer func() { t.call.PageID = first }()
	t.call.PageID = found.PageID
	seen, err := t.shows(ctx, "detail", "顧客詳細", nil)
	if err != nil {
		return "", err
	}
	_, err = perform(ctx, t, api.Click, api.ClickInput{Target: id("close")})
	return seen, err
}

func (t *trial) frameset(ctx context.Context) (string, error) {
	if _, err := perform(ctx, t, api.Navigate, api.NavigateInput{URL: t.site + "/frames.html"}); err != nil {
		return "", err
	}
	frame := func(name string) api.Frames { return api.Frames{{By: api.ByName, Value: name}} }
	if _, err := perform(ctx, t, api.Click, api.ClickInput{Target: id("go"), Frame: frame("menu")}); err != nil {
		return "", err
	}
	return t.shows(ctx, "work", "業務画面", frame("main"))
}

// shows waits until the element shows the text, and returns it.
func (t *trial) shows(ctx context.Context, element, text string, frame api.Frames) (string, error) {
	at := id(element)
	_, err := perform(ctx, t, api.Wait, api.WaitInput{Type: api.TextHas, Target: &at, Frame: frame, Text: text})
	return text, err
}

// picture is what the window shows, if that can be had.
func (t *trial) picture(ctx context.Context) []byte {
	_, reply, err := api.Do(ctx, t.worker, api.Screenshot, t.call, api.Empty{})
	if err != nil || len(reply.Blobs) == 0 {
		return nil
	}
	return reply.Blobs[0].Data
}

func id(value string) api.Locator { return api.Locator{By: api.ByID, Value: value} }

func perform[In, Out any](ctx context.Context, t *trial, op *api.Operation[In, Out], in In) (Out, error) {
	out, _, err := api.Do(ctx, t.worker, op, t.call, in)
	return out, err
}
