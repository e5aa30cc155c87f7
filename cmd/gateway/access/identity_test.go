package access

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
)

type names map[string]string

func (n names) Name(token string) (string, bool) { name, ok := n[token]; return name, ok }

// user answers with the user of the request.
var user = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	name := "nobody"
	if info := auth.TokenInfoFromContext(r.Context()); info != nil {
		name = info.UserID
	}
	fmt.Fprint(w, name)
})

func ask(h http.Handler, address, authorization string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
	r.RemoteAddr = address
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestBearer(t *testing.T) {
	h := Bearer(names{"right": "alice"}, silent)(user)
	for authorization, want := range map[string]int{
		"Bearer right": 200, "bearer right": 200, "": 401, "Bearer wrong": 401, "Basic right": 401, "Bearer": 401, "Bearer right right": 401,
	} {
		w := ask(h, "10.0.0.7:1234", authorization)
		if w.Code != want {
			t.Errorf("%q: %d %s", authorization, w.Code, w.Body)
		}
		if asks := w.Header().Get("WWW-Authenticate") == "Bearer"; asks != (want == 401) {
			t.Errorf("%q: WWW-Authenticate %v", authorization, w.Header())
		}
		if want == 200 && w.Body.String() != "alice" {
			t.Errorf("%q is %s", authorization, w.Body)
		}
	}
}

func TestWithoutTokensEveryoneIsNobody(t *testing.T) {
	if w := ask(Bearer(nil, silent)(user), "127.0.0.1:1", "Bearer whatever"); w.Code != 200 || w.Body.String() != "nobody" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestWrongTokensAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out lines
		h := Bearer(names{"right": "alice"}, out.logger())(user)
		for i := range wrongAtOnce {
			if w := ask(h, fmt.Sprintf("10.0.0.7:%d", i), "Bearer wrong"); w.Code != 401 {
				t.Fatalf("attempt %d: %d", i, w.Code)
			}
		}
		if line := out.last(t); line["event"] != "token refused" || line["address"] != "10.0.0.7" {
			t.Errorf("log: %v", line)
		}
		written := out.Len()
		w := ask(h, "10.0.0.7:99", "Bearer wrong")
		if w.Code != 429 || w.Header().Get("Retry-After") != "2" || out.Len() != written {
			t.Errorf("%d, retry after %q", w.Code, w.Header().Get("Retry-After"))
		}
		for address, want := range map[string]int{"10.0.0.8:1": 401, "[2001:db8::1]:1": 401} {
			if w := ask(h, address, "Bearer wrong"); w.Code != want {
				t.Errorf("%s: %d", address, w.Code)
			}
		}
		if w := ask(h, "10.0.0.7:1", "Bearer right"); w.Code != 200 {
			t.Errorf("the right token: %d", w.Code)
		}
		<-time.After(time.Second) // of the bubble's clock
		if w := ask(h, "10.0.0.7:1", "Bearer wrong"); w.Code != 401 {
			t.Errorf("a second later: %d", w.Code)
		}
	})
}

func TestClientAddress(t *testing.T) {
	for remote, want := range map[string]string{
		"10.0.0.7:1": "10.0.0.7", "[::ffff:10.0.0.7]:1": "10.0.0.7",
		"[2001:db8:1:2:3::4]:1": "2001:db8:1:2::/64", "[fe80::1%eth0]:1": "fe80::/64", "@": "@",
	} {
		if got := clientAddress(&http.Request{RemoteAddr: remote}); got != want {
			t.Errorf("%s: %s, want %s", remote, got, want)
		}
	}
}
