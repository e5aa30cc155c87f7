package access

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"reflect"
	"strings"
	"testing"

	"iemesh/api"
	"iemesh/cmd/config"
)

// lines collects log lines as the programs write them.
type lines struct{ bytes.Buffer }

func (l *lines) logger() *slog.Logger { return config.NewLogger(l, "info") }

func (l *lines) last(t *testing.T) map[string]any {
	t.Helper()
	all := strings.Split(strings.TrimSpace(l.String()), "\n")
	var line map[string]any
	if err := json.Unmarshal([]byte(all[len(all)-1]), &line); err != nil {
		t.Fatalf("%v in %q", err, all)
	}
	return line
}

// The lines that the contract shows. Times and durations differ.
func TestAuditLines(t *testing.T) {
	selector := &api.Locator{By: api.ByID, Value: "x"}
	for _, c := range []struct {
		call *api.Call
		err  error
		want string
	}{
		{
			&api.Call{Tool: "navigate", Operation: "navigate", Input: json.RawMessage(`{"url":"http://legacy01.local/customer?name=secret"}`)}, nil,
			`{"level":"info","tool":"navigate","url":"http://legacy01.local/customer"}`,
		},
		{
			&api.Call{Tool: "type", Operation: "fill", Input: json.RawMessage(`{"target":{"by":"id","value":"password"},"text":"secret0123456789"}`)}, nil,
			`{"level":"info","tool":"type","selector":{"by":"id","value":"password"},"textLength":16}`,
		},
		{
			&api.Call{Tool: "click", Operation: "click", Input: json.RawMessage(`{"target":{"by":"id","value":"x"}}`)},
			&api.Error{Code: api.ElementNotFound, Message: "Element was not found: id=x", Selector: selector, Cause: errors.New("<html>")},
			`{"level":"error","tool":"click","selector":{"by":"id","value":"x"},"error":"ELEMENT_NOT_FOUND","message":"Element was not found: id=x"}`,
		},
		{
			&api.Call{ID: "op1", Tool: "browser_start", Operation: "session_ensure", SessionID: "s1", Caller: api.Caller{Principal: "alice"}},
			api.Errorf(api.BrowserError, "The browser could not be started.").Because(errors.New("exec: not found\n#0 0x55 <unknown>")),
			`{"level":"error","tool":"browser_start","error":"BROWSER_ERROR","message":"The browser could not be started.","cause":"exec: not found",
			  "session":"s1","operationId":"op1","principal":"alice"}`,
		},
		{
			&api.Call{Tool: "click", Operation: "no such"}, errors.New("nil map"),
			`{"level":"error","tool":"click","error":"INTERNAL_ERROR","message":"Something went wrong inside iemesh; see its log.","cause":"nil map"}`,
		},
	} {
		var out lines
		_, _ = audit(&worker{err: c.err}, out.logger()).Do(t.Context(), c.call)
		got := out.last(t)
		var want map[string]any
		if err := json.Unmarshal([]byte(c.want), &want); err != nil {
			t.Fatal(err)
		}
		if ms, ok := got["durationMs"].(float64); !ok || ms < 0 {
			t.Errorf("no duration: %v", got)
		}
		maps.DeleteFunc(got, func(k string, _ any) bool { return k == "time" || k == "durationMs" })
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
	}
}

func TestAuditIsSilentAboutCallsWithoutATool(t *testing.T) {
	var out lines
	_, _ = audit(&worker{}, out.logger()).Do(t.Context(), &api.Call{Operation: "session_renew"})
	if out.Len() > 0 {
		t.Errorf("wrote %s", &out)
	}
}

func TestAuditOfAPanic(t *testing.T) {
	var out lines
	w := audit(api.WorkerFunc(func(context.Context, *api.Call) (*api.Reply, error) { panic("page text") }), out.logger())
	_, err := w.Do(t.Context(), &api.Call{Tool: "click", Operation: "click"})
	cause, _ := out.last(t)["cause"].(string)
	if code(err) != api.InternalError || !strings.HasPrefix(cause, "panic: string at iemesh/cmd/gateway/access.TestAuditOfAPanic") {
		t.Errorf("%v, %s", err, &out)
	}
}

// Whatever a driver says, typed text and queries of URLs stay out of the log.
func TestAuditHidesSecrets(t *testing.T) {
	for _, c := range []struct{ operation, input, cause, want string }{
		{
			"fill", `{"target":{"by":"id","value":"password"},"text":"pässwört"}`,
			`cannot type "pässwört" (p\u00e4ssw\u00f6rt) into id=password`,
			`cannot type "…" (…) into id=password`,
		},
		{
			"fill", `{"target":{"by":"name","value":"frame1"},"frame":{"by":"name","value":"main"},"text":"two\nlines"}`,
			`name=frame1 in frame main: "two\nlines"`,
			`name=frame1 in frame main: "…"`,
		},
		{
			"select_option", `{"target":{"by":"id","value":"branch"},"by":"text","value":"東京支店"}`,
			`no option 東京支店 by text`, `no option … by text`,
		},
		{
			"navigate", `{"url":"http://legacy01.local/c?q=secret"}`,
			`GET http://legacy01.local/c?q=secret#x: refused`, `GET …#x: refused`,
		},
		{
			"navigate", `{"url":"http://legacy01.local/"}`,
			`GET http://legacy01.local/?id=7: refused, see https://a.test/b#c.`, `GET http://legacy01.local/ refused, see https://a.test/b`,
		},
		{"no such", `{"text":"secret"}`, strings.Repeat("x", 400), strings.Repeat("x", 300) + "…"},
	} {
		var out lines
		err := api.Errorf(api.DriverLost, "The browser died: %s", c.cause).Because(errors.New(c.cause))
		_, _ = audit(&worker{err: err}, out.logger()).Do(t.Context(), &api.Call{Tool: "tool", Operation: c.operation, Input: json.RawMessage(c.input)})
		if got := out.last(t)["cause"]; got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
		if strings.Contains(out.String(), "secret") {
			t.Errorf("a secret in %s", &out)
		}
	}
}
