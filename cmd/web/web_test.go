package web

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

var silent = slog.New(slog.DiscardHandler)

func router(api http.Handler, around ...func(http.Handler) http.Handler) http.Handler {
	return NewRouter(Options{
		Path: "/mcp", API: api, Around: around, Log: silent,
		Ready:   func() Readiness { return Readiness{Ready: true} },
		Metrics: NewMetrics("tool").Handler(),
	})
}

func get(h http.Handler, method, url string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, url, nil)
	for _, f := range change {
		f(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

var fine = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "fine") })

func TestRoutes(t *testing.T) {
	closed := func(http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", http.StatusUnauthorized) })
	}
	h := router(fine, closed)
	for target, want := range map[string]int{
		"/healthz": 200, "/readyz": 200, "/metrics": 200, "/mcp": 401, "/": 404, "/mcp/x": 404, "/debug/pprof/": 404,
	} {
		if w := get(h, "GET", target); w.Code != want {
			t.Errorf("%s: %d", target, w.Code)
		}
	}
	if w := get(h, "GET", "/healthz"); w.Body.String() != "ok" {
		t.Errorf("healthz: %q", w.Body)
	}
	for _, method := range []string{"GET", "POST", "DELETE"} {
		if w := get(router(fine), method, "/mcp"); w.Body.String() != "fine" {
			t.Errorf("%s: %d", method, w.Code)
		}
	}
}

func TestLimitBody(t *testing.T) {
	var read int64
	var failure error
	h := LimitBody(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { read, failure = io.Copy(io.Discard, r.Body) }))
	body := func(size int) io.Reader { return bytes.NewReader(make([]byte, size)) }

	r := httptest.NewRequest("POST", "/mcp", body(MaxBody))
	h.ServeHTTP(httptest.NewRecorder(), r)
	if failure != nil || read != MaxBody {
		t.Errorf("the largest body: %d, %v", read, failure)
	}
	read = 0
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("POST", "/mcp", body(MaxBody+1)))
	if w.Code != http.StatusRequestEntityTooLarge || read != 0 {
		t.Errorf("told to be larger: %d, read %d", w.Code, read)
	}
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/mcp", io.MultiReader(body(MaxBody+1)))) // length unknown
	if _, ok := errors.AsType[*http.MaxBytesError](failure); !ok || read != MaxBody {
		t.Errorf("found to be larger: %d, %v", read, failure)
	}
}

func TestPanic(t *testing.T) {
	var out bytes.Buffer
	for value, logged := range map[any]string{"page text": "cause=string", 7: "cause=int"} {
		h := recovered(slog.New(slog.NewTextHandler(&out, nil)))(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(value) }))
		if w := get(h, "GET", "/mcp"); w.Code != 500 || !strings.Contains(out.String(), logged) {
			t.Errorf("%d, %s", w.Code, &out)
		}
	}
	if strings.Contains(out.String(), "page text") {
		t.Errorf("logged %s", &out)
	}
}
