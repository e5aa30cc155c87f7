package e2e

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"iemesh/api"
	"iemesh/test/harness"
)

// atRegister is a client of the remote world whose page is the register form.
// Its session ends with the test.
func atRegister(t *testing.T, w *remoteWorld, query string) (client *mcp.ClientSession, session map[string]any) {
	t.Helper()
	client = harness.Connected(t, w.gateway.MCP("", nil), harness.Modern)
	session = harness.Do(t, client, "browser_start", nil)
	run.visit(t, client, "/register?"+query)
	return client, session
}

func registered(t *testing.T, token string) {
	t.Helper()
	if n := run.app.Registrations(token); n != 1 {
		t.Errorf("submitted %d times, want once", n)
	}
}

var register = harness.Args{"selector": harness.ID("registerButton")}

func TestClickThenAccept(t *testing.T) {
	w := remote(t)
	client, session := atRegister(t, w, query("token", "accept"))
	state := harness.Call[api.PageState](t, client, "click", register)
	if state.Dialog == nil || state.Dialog.Message != "登録しますか?" {
		t.Fatalf("no dialog: %+v", state)
	}
	if n := run.app.Registrations("accept"); n != 0 {
		t.Errorf("submitted %d times before the answer", n)
	}
	id := api.NewID()
	accept := harness.Args{"operation": "handle_dialog", "sessionId": session["sessionId"], "pageId": session["pageId"],
		"input": harness.Args{"action": "accept"}}
	first := w.worker.Must(t, id, accept)
	harness.Do(t, client, "wait_for", harness.Args{"type": "url", "text": "/register"})
	again := w.worker.Must(t, id, accept)
	if !bytes.Equal(first.Body, again.Body) {
		t.Errorf("the same operation answers %s, then %s", first.Body, again.Body)
	}
	if outcome := w.worker.Put(t, api.NewID(), accept); outcome.Status != 409 || outcome.Error.Code != "NO_DIALOG" {
		t.Errorf("another answer: %d %s", outcome.Status, outcome.Body)
	}
	if text := words(harness.Do(t, client, "inspect_page", nil)["text"]); !strings.Contains(text, "1") {
		t.Errorf("the page reads %q", text)
	}
	registered(t, "accept")
}

func TestCancelledClick(t *testing.T) {
	w := remote(t)
	client, _ := atRegister(t, w, "confirm=no&delayMs=1500&"+query("token", "cancelled"))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	ended := make(chan struct{})
	go func() {
		client.CallTool(ctx, &mcp.CallToolParams{Name: "click", Arguments: register})
		close(ended)
	}()
	arrived(t, "cancelled")
	cancel()
	<-ended
	harness.Do(t, client, "wait_for", harness.Args{"type": "gone", "selector": harness.ID("registerButton")})
	registered(t, "cancelled")
}

// A call that is cancelled while it waits for its turn never touches the browser.
func TestCancelledInTheQueue(t *testing.T) {
	w := remote(t)
	client, session := atRegister(t, w, "confirm=no&"+query("token", "queued"))
	click := harness.Args{"operation": "click", "sessionId": session["sessionId"], "pageId": session["pageId"], "input": harness.Args{"target": harness.ID("registerButton")}}
	var both sync.WaitGroup
	waiting, queued := api.NewID(), api.NewID()
	var outcome harness.Outcome
	// The same id with another operation is refused as soon as the first is known.
	known := func(id string) {
		t.Helper()
		if !harness.Until(harness.Soon, func() bool {
			return w.worker.Put(t, id, harness.Args{"operation": "session_list"}).Error.Code == "INVALID_ARGUMENT"
		}) {
			t.Fatal("the operation is not known")
		}
	}
	// It is refused itself where it comes while such a question is being answered.
	put := func(id string, call harness.Args) (o harness.Outcome) {
		harness.Until(harness.Soon, func() bool {
			o = w.worker.Put(t, id, call)
			return o.Error.Code != "INVALID_ARGUMENT"
		})
		return o
	}
	both.Go(func() {
		put(waiting, harness.Args{"operation": "wait", "sessionId": session["sessionId"], "pageId": session["pageId"],
			"input": harness.Args{"type": "title", "text": "never"}, "timeoutMs": 30_000})
	})
	known(waiting)
	both.Go(func() { outcome = put(queued, click) })
	known(queued)
	w.worker.Cancel(t, queued)
	w.worker.Cancel(t, waiting)
	both.Wait()
	if outcome.Status != 409 || outcome.Error.Code != "CANCELLED" {
		t.Errorf("the queued click: %d %s", outcome.Status, outcome.Body)
	}
	harness.Do(t, client, "wait_for", harness.Args{"type": "present", "selector": harness.ID("registerButton")})
	if n := run.app.Registrations("queued"); n != 0 {
		t.Errorf("submitted %d times", n)
	}
}

// The connection between gateway and worker breaks at each moment; the call
// succeeds all the same, and the form is submitted once.
func TestCutConnection(t *testing.T) {
	w := remote(t)
	t.Run("before the request", func(t *testing.T) {
		client, _ := atRegister(t, w, "confirm=no&"+query("token", "before"))
		w.wire.Refuse(1)
		harness.Do(t, client, "click", register)
		registered(t, "before")
	})
	t.Run("during the click", func(t *testing.T) {
		client, _ := atRegister(t, w, "confirm=no&delayMs=1000&"+query("token", "during"))
		answered := make(chan *mcp.CallToolResult, 1)
		go func() {
			result, err := client.CallTool(context.Background(), &mcp.CallToolParams{Name: "click", Arguments: register})
			if err != nil {
				t.Error(err)
			}
			answered <- result
		}()
		arrived(t, "during")
		cuts := w.wire.Cuts()
		w.wire.Cut()
		if w.wire.Cuts() == cuts {
			t.Error("nothing was cut")
		}
		if result := <-answered; result == nil || result.IsError {
			t.Errorf("the click: %+v", result)
		}
		harness.Do(t, client, "wait_for", harness.Args{"type": "gone", "selector": harness.ID("registerButton")})
		registered(t, "during")
	})
	t.Run("before the answer", func(t *testing.T) {
		client, _ := atRegister(t, w, "confirm=no&"+query("token", "answer"))
		cuts := w.wire.Cuts()
		w.wire.CutAnswer()
		harness.Do(t, client, "click", register)
		if w.wire.Cuts() == cuts {
			t.Error("nothing was cut")
		}
		registered(t, "answer")
	})
}

// When the worker itself is gone in the middle of an action, nobody can tell
// whether it happened, and the answer says so.
func TestWorkerDiesDuringTheClick(t *testing.T) {
	t.Parallel()
	winworker, err := harness.Serve(run.Winworker, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { winworker.Stop(winworker.Address) })
	gateway := harness.Serving(t, run.Gateway, nil, "--worker", winworker.Base)
	client := harness.Connected(t, gateway.MCP("", nil), harness.Modern)
	harness.Do(t, client, "browser_start", nil)
	run.visit(t, client, "/register?confirm=no&delayMs=30000&"+query("token", "orphan"))
	answered := make(chan *mcp.CallToolResult, 1)
	go func() {
		result, err := client.CallTool(context.Background(), &mcp.CallToolParams{Name: "click",
			Arguments: harness.Args{"selector": harness.ID("registerButton"), "timeoutMs": 2000}})
		if err != nil {
			t.Error(err)
		}
		answered <- result
	}()
	arrived(t, "orphan")
	winworker.Signal(os.Kill)
	select {
	case result := <-answered:
		failure := harness.Failure(t, "click", result)
		if failure["error"] != "OUTCOME_UNKNOWN" {
			t.Errorf("%v, want OUTCOME_UNKNOWN", failure)
		}
	case <-time.After(2*time.Second + harness.Soon):
		t.Error("the call hangs")
	}
	winworker.Ended(harness.GoneWithin)
	for _, left := range winworker.Left(winworker.Address) {
		t.Errorf("left behind: %s", left)
	}
	harness.Refused(t, client, "browser_start", nil, "WORKER_UNAVAILABLE")
	registered(t, "orphan")
}

func TestTwoPutsOfOneOperation(t *testing.T) {
	w := remote(t)
	_, session := atRegister(t, w, "confirm=no&delayMs=500&"+query("token", "twice"))
	id := api.NewID()
	click := harness.Args{"operation": "click", "sessionId": session["sessionId"], "pageId": session["pageId"],
		"input": harness.Args{"target": harness.ID("registerButton")}}
	var outcomes [2]harness.Outcome
	var both sync.WaitGroup
	for i := range outcomes {
		both.Go(func() { outcomes[i] = w.worker.Put(t, id, click) })
	}
	both.Wait()
	if outcomes[0].Status != 200 || !bytes.Equal(outcomes[0].Body, outcomes[1].Body) {
		t.Errorf("%d %s and %d %s", outcomes[0].Status, outcomes[0].Body, outcomes[1].Status, outcomes[1].Body)
	}
	if outcomes[0].OperationID != id {
		t.Errorf("operationId is %q", outcomes[0].OperationID)
	}
	click["input"] = harness.Args{"target": harness.ID("customerName")}
	if outcome := w.worker.Put(t, id, click); outcome.Status != 400 || outcome.Error.Code != "INVALID_ARGUMENT" {
		t.Errorf("another input under the same id: %d %s", outcome.Status, outcome.Body)
	}
	registered(t, "twice")
}

// arrived waits until the form with the token was submitted.
func arrived(t *testing.T, token string) {
	t.Helper()
	if !harness.Until(harness.Soon, func() bool { return run.app.Registrations(token) > 0 }) {
		t.Fatal("the click never arrived")
	}
}
