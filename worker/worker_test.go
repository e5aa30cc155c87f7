package worker

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"iemesh/api"
	"iemesh/worker/driver"
	"iemesh/worker/legacyapp"
)

func TestMain(m *testing.M) {
	driver.Supervise()
	os.Setenv("GORACE", "atexit_sleep_ms=0") // or each supervisor sleeps a second at its end
	os.Exit(func() int {
		folder, err := os.MkdirTemp("", "programs")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(folder)
		programs = folder
		temporary, err := os.MkdirTemp("/tmp", "wt") // short: Chromium's sockets lie below it
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(temporary)
		os.Setenv("TMPDIR", temporary)
		status := m.Run()
		if left, _ := os.ReadDir(temporary); len(left) > 0 {
			fmt.Fprintln(os.Stderr, "left in the temporary folder:", left)
			return 1
		}
		return status
	}())
}

// browser is one session at a worker, with the legacy application to visit.
type browser struct {
	*Worker
	t    *testing.T
	app  *legacyapp.App
	site string
	ref  api.SessionRef
	call api.Call // names session, page, caller and policy
}

// newWorker starts a worker without sessions.
func newWorker(t *testing.T, sessions int) *Worker {
	t.Helper()
	return newWorkerWith(t, sessions, driver.Config{Engine: "chromium", Headless: "true"})
}

func newWorkerWith(t *testing.T, sessions int, browser driver.Config) *Worker {
	t.Helper()
	w := New(Config{Browser: browser, MaxSessions: sessions})
	t.Cleanup(w.Close)
	return w
}

// open starts a session.
func open(t *testing.T) *browser {
	t.Helper()
	return openAt(t, newWorker(t, 1))
}

func openAt(t *testing.T, w *Worker) *browser {
	t.Helper()
	b := &browser{Worker: w, t: t, app: legacyapp.New()}
	server := httptest.NewServer(b.app)
	t.Cleanup(server.Close)
	t.Cleanup(b.app.Close)
	b.site = server.URL
	b.call = api.Call{TimeoutMs: 60_000, Caller: api.Caller{Gateway: "local", Principal: "alice"}, Policy: api.Policy{Origins: []string{"*"}}}
	ref, _, err := api.Do(t.Context(), w, api.SessionCreate, b.call, api.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	b.ref = ref
	b.call.SessionID, b.call.PageID, b.call.TimeoutMs = ref.SessionID, ref.PageID, 10_000
	return b
}

// within returns a copy of b whose calls have that limit.
func (b *browser) within(limit time.Duration) *browser {
	c := *b
	c.call.TimeoutMs = limit.Milliseconds()
	return &c
}

// ask carries out an operation that must succeed.
func ask[In, Out any](b *browser, op *api.Operation[In, Out], in In) Out {
	b.t.Helper()
	out, err := try(b, op, in)
	if err != nil {
		b.t.Fatalf("%s: %v (%v) %+v", op.Name, err, api.AsError(err).Cause, api.AsError(err).Dialog)
	}
	return out
}

func try[In, Out any](b *browser, op *api.Operation[In, Out], in In) (Out, error) {
	out, _, err := api.Do(context.Background(), b, op, b.call, in)
	return out, err
}

// refused carries out an operation that must fail with that code.
func refused[In, Out any](b *browser, op *api.Operation[In, Out], in In, want api.Code) *api.Error {
	b.t.Helper()
	out, err := try(b, op, in)
	if code(err) != want {
		b.t.Fatalf("%s: %+v, %v, want %s", op.Name, out, err, want)
	}
	return api.AsError(err)
}

func (b *browser) visit(path string) api.PageState {
	b.t.Helper()
	return ask(b, api.Navigate, api.NavigateInput{URL: b.site + path})
}

func id(value string) api.Locator  { return api.Locator{By: api.ByID, Value: value} }
func css(value string) api.Locator { return api.Locator{By: api.ByCSS, Value: value} }

// text is what the element shows.
func (b *browser) shows(at api.Locator, text string) {
	b.t.Helper()
	ask(b, api.Wait, api.WaitInput{Type: api.TextHas, Target: &at, Text: text})
}

func TestEveryOperationIsBound(t *testing.T) {
	for _, e := range api.Catalogue() {
		if functions[e.Name] == nil {
			t.Errorf("%s has no function", e.Name)
		}
	}
}
