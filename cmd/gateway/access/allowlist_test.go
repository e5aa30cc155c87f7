package access

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"iemesh/api"
	"iemesh/api/origin"
)

func TestAllowlist(t *testing.T) {
	own := origin.Own{Ports: []uint16{7310}, Hosts: []string{"gatewaybox"}}
	for _, c := range []struct {
		input, want string // what goes on, or ""
		code        api.Code
		reason      string
	}{
		{`{"url":"HTTP://Legacy01.local"}`, `{"url":"http://legacy01.local/"}`, "", ""},
		{`{"url":"http://legacy01.local/a?b=c"}`, `{"url":"http://legacy01.local/a?b=c"}`, "", ""},
		{`{"url":"http://evil.test/","url":"http://legacy01.local/"}`, `{"url":"http://legacy01.local/"}`, "", ""},
		{`{"url":"http://legacy01.local/","url":"http://evil.test/"}`, "", api.URLNotAllowed, "not_listed"},
		{`{"url":"http://legacy01.local/","URL":"http://evil.test/"}`, "", api.InvalidArgument, ""},
		{`{"url":"http://legacy01.local:8080/"}`, "", api.URLNotAllowed, "not_listed"},
		{`{"url":"http://legacy01.local@evil.test/"}`, "", api.URLNotAllowed, "userinfo"},
		{`{"url":"javascript:alert(1)"}`, "", api.URLNotAllowed, "scheme"},
		{`{"url":"/customer"}`, "", api.InvalidArgument, "not_absolute"},
		{`{"url":"http://localhost:7310/mcp"}`, "", api.URLNotAllowed, "own_port"},
		{`{"url":"http://gatewaybox:7310/mcp"}`, "", api.URLNotAllowed, "own_port"},
		{`{"url":7}`, "", api.InvalidArgument, ""},
		{`[]`, "", api.InvalidArgument, ""},
		{`{}`, `{}`, "", ""}, // it is for the schema to demand a URL
	} {
		next := &worker{}
		call := &api.Call{Operation: "navigate", Input: json.RawMessage(c.input), Policy: api.Policy{Origins: []string{"http://evil.test"}}}
		_, err := allowlist(next, policy(t, "http://legacy01.local"), own).Do(t.Context(), call)
		if code(err) != c.code || err != nil && api.AsError(err).Reason != c.reason {
			t.Errorf("%s: %v", c.input, err)
		}
		if c.want == "" {
			if next.last != nil {
				t.Errorf("%s went on", c.input)
			}
			continue
		}
		if got := string(next.last.Input); got != c.want {
			t.Errorf("%s: went on as %s", c.input, got)
		}
		if got := next.last.Policy.Origins; !slices.Equal(got, []string{"http://legacy01.local"}) {
			t.Errorf("policy %v", got)
		}
		if string(call.Input) != c.input || call.Policy.Origins[0] != "http://evil.test" {
			t.Error("the caller's call was changed")
		}
	}
}

func TestAnyOriginButOurOwn(t *testing.T) {
	w := allowlist(&worker{}, policy(t, "*"), origin.Own{Ports: []uint16{7310}})
	if _, err := w.Do(t.Context(), navigate("http://anywhere.test/")); err != nil {
		t.Error(err)
	}
	if _, err := w.Do(t.Context(), navigate("http://127.0.0.1:7310/mcp")); code(err) != api.URLNotAllowed {
		t.Errorf("own port: %v", err)
	}
}

func TestEveryCallCarriesThePolicy(t *testing.T) {
	next := &worker{}
	input := json.RawMessage(`{"url":"http://evil.test/"}`) // not a place to visit: the operation says so
	if _, err := allowlist(next, policy(t, "*"), origin.Own{}).Do(t.Context(), &api.Call{Operation: "inspect", Input: input}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(next.last.Policy.Origins, ","); got != "*" {
		t.Errorf("policy %s", got)
	}
}
