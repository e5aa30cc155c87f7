package e2e

import (
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"iemesh/api"
	"iemesh/test/harness"
)

const limit = 2000 // milliseconds given to what never ends

// inTime checks how long a call with that limit took.
func inTime(t *testing.T, took time.Duration) {
	t.Helper()
	if took < 2*time.Second || took > 2600*time.Millisecond {
		t.Errorf("it took %v, want 2.0 to 2.6 s", took)
	}
}

func took(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}

func TestNavigateToWhatNeverLoads(t *testing.T) {
	w := open(t)
	for _, c := range []struct {
		page, title string // "" = the document never comes
	}{
		{"/never/half", "途中の画面"},
		{"/never/silent", ""},
		{"/never/image", "画像待ち"},
	} {
		t.Run(c.page, func(t *testing.T) {
			run.visit(t, w.client, "/order")
			var result *mcp.CallToolResult
			inTime(t, took(func() {
				result = harness.Ask(t, w.client, "navigate", harness.Args{"url": run.site + c.page, "timeoutMs": limit})
			}))
			if c.title == "" {
				if failure := harness.Failure(t, "navigate", result); failure["error"] != "TIMEOUT" {
					t.Errorf("%v, want TIMEOUT", failure)
				}
			} else if state, ok := result.StructuredContent.(map[string]any); !ok || state["loading"] != true || state["url"] != run.site+c.page || state["title"] != c.title {
				t.Errorf("%s, want the new page and loading", harness.Text(result))
			}

			next := took(func() { harness.Do(t, w.client, "inspect_page", harness.Args{"timeoutMs": 5000}) })
			if next > time.Second {
				t.Errorf("the next call took %v", next)
			}
			again := took(func() { run.visit(t, w.client, "/order") })
			if again > 2*time.Second {
				t.Errorf("the next navigation took %v", again)
			}
		})
	}
}

func TestClickOnWhatNeverLoads(t *testing.T) {
	w := open(t)
	for _, c := range []struct{ id, text string }{
		{"half", ""},
		{"silentButton", ""},
		{"image", ""},
	} {
		t.Run(c.id, func(t *testing.T) {
			run.visit(t, w.client, "/never/links")
			var state api.PageState
			spent := took(func() {
				state = harness.Call[api.PageState](t, w.client, "click", harness.Args{"selector": harness.ID(c.id), "timeoutMs": limit})
			})
			if !state.Loading {
				t.Errorf("loading is not told: %+v", state)
			}
			if spent > 2600*time.Millisecond {
				t.Errorf("it took %v", spent)
			}
			w.restart(t) // the load goes on for as long as the server likes
		})
	}
}

// A form whose answer takes 5 s: the click under a limit of 2 s is delivered
// once, its answer is not dropped, and the next call sees it.
func TestFormThatIsAnsweredLate(t *testing.T) {
	w := open(t)
	run.visit(t, w.client, "/slow/form?"+query("token", "late"))
	var state api.PageState
	inTime(t, took(func() {
		state = harness.Call[api.PageState](t, w.client, "click", harness.Args{"selector": harness.ID("submitButton"), "timeoutMs": limit})
	}))
	if !state.Loading {
		t.Errorf("loading is not told: %+v", state)
	}
	harness.Do(t, w.client, "wait_for", harness.Args{"type": "title", "text": "受付完了"})
	if text := words(harness.Do(t, w.client, "inspect_page", nil)["text"]); !strings.Contains(text, "受付回数: 1") {
		t.Errorf("the answer reads %q", text)
	}
	if n := run.app.Registrations("late"); n != 1 {
		t.Errorf("submitted %d times", n)
	}
}

// While the answer is on its way, a call with a short limit ends in time and
// says that nothing was done.
func TestCallsWhileAPageLoads(t *testing.T) {
	w := open(t)
	run.visit(t, w.client, "/slow/form?delayMs=3000&"+query("token", "queue"))
	harness.Do(t, w.client, "click", harness.Args{"selector": harness.ID("submitButton"), "timeoutMs": 500})
	spent := took(func() {
		harness.Refused(t, w.client, "click", harness.Args{"selector": harness.ID("submitButton"), "timeoutMs": 500}, "TIMEOUT")
	})
	if spent > time.Second {
		t.Errorf("a limit of 500 ms took %v", spent)
	}
	harness.Do(t, w.client, "wait_for", harness.Args{"type": "title", "text": "受付完了"})
	if n := run.app.Registrations("queue"); n != 1 {
		t.Errorf("submitted %d times", n)
	}
}

func TestDialogs(t *testing.T) {
	w := remote(t)
	client := harness.Connected(t, w.gateway.MCP("", nil), harness.Legacy)
	started := harness.Do(t, client, "browser_start", nil)
	session, page := started["sessionId"].(string), started["pageId"].(string)
	t.Cleanup(func() { harness.Do(t, client, "browser_close", nil) })
	answer := func(t *testing.T) map[string]any {
		t.Helper()
		return w.worker.Must(t, api.NewID(), harness.Args{"operation": "handle_dialog", "sessionId": session, "pageId": page,
			"input": harness.Args{"action": "accept"}}).Result
	}
	atDialog := func(t *testing.T, state api.PageState, message string) {
		t.Helper()
		if state.Dialog == nil || state.Dialog.Message != message {
			t.Errorf("the dialog is %+v, want %q", state.Dialog, message)
		}
		if state.URL != "" || state.Title != nil {
			t.Errorf("url and title beside a dialog: %+v", state)
		}
	}

	run.visit(t, client, "/order") // a warm browser

	t.Run("while loading", func(t *testing.T) {
		var state api.PageState
		spent := took(func() {
			state = harness.Call[api.PageState](t, client, "navigate", harness.Args{"url": run.site + "/dialog/onload"})
		})
		if spent > time.Second {
			t.Errorf("it took %v", spent)
		}
		atDialog(t, state, "本日 18:00 からシステムを停止します。")
		failure := harness.Refused(t, client, "inspect_page", nil, "DIALOG_OPEN")
		if dialog, _ := failure["dialog"].(map[string]any); dialog["message"] != "本日 18:00 からシステムを停止します。" {
			t.Errorf("DIALOG_OPEN without the dialog: %v", failure)
		}
		if result := answer(t); result["url"] != run.site+"/dialog/onload" || result["title"] != "お知らせ" {
			t.Errorf("after the answer: %v", result)
		}
	})

	t.Run("by timer", func(t *testing.T) {
		run.visit(t, client, "/dialog/timer?ms=200")
		result := harness.Ask(t, client, "wait_for", harness.Args{"type": "title", "text": "never", "timeoutMs": 5000})
		failure := harness.Failure(t, "wait_for", result)
		if failure["error"] != "DIALOG_OPEN" {
			t.Errorf("%v, want DIALOG_OPEN", failure)
		}
		answer(t)
	})

	t.Run("confirm", func(t *testing.T) {
		run.visit(t, client, "/dialog")
		atDialog(t, harness.Call[api.PageState](t, client, "click", harness.Args{"selector": harness.ID("confirmButton")}), "削除しますか?")
		if result := answer(t); result["message"] != "削除しますか?" || result["action"] != "accept" {
			t.Errorf("the answer: %v", result)
		}
		harness.Do(t, client, "wait_for", harness.Args{"type": "text", "selector": harness.ID("confirmResult"), "text": "OK"})
	})

	t.Run("beside a new window", func(t *testing.T) {
		run.visit(t, client, "/popup/alert")
		var state api.PageState
		spent := took(func() {
			state = harness.Call[api.PageState](t, client, "click", harness.Args{"selector": harness.ID("openThenAlert")})
		})
		if spent > 3*time.Second {
			t.Errorf("it took %v", spent)
		}
		atDialog(t, state, "帳票を開きました。")
		windows := state.NewWindows
		if result := answer(t); len(windows) == 0 && result["newWindows"] == nil {
			t.Errorf("the new window is never told: %+v, then %v", state, result)
		}
		found := harness.Do(t, client, "switch_window", harness.Args{"target": "newest"})
		if found["url"] != run.site+"/popup/detail" || found["index"] != 1.0 || found["windowCount"] != 2.0 {
			t.Errorf("the new window: %v", found)
		}
		back := harness.Do(t, client, "switch_window", harness.Args{"index": 0})
		if back["url"] != run.site+"/popup/alert" {
			t.Errorf("back: %v", back)
		}
		harness.Refused(t, client, "switch_window", harness.Args{"index": 7}, "WINDOW_NOT_FOUND")
	})
}
