package link

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"iemesh/api"
)

const good = `{"operation":"click","sessionId":"s","pageId":"p","timeoutMs":5000,"caller":{"principal":"alice"},` +
	`"policy":{"origins":["http://legacy01.local"]},"input":{"target":{"by":"id","value":"b"}}}`

func path(id string) string { return operationsPath + id }

func body(t *testing.T, w *httptest.ResponseRecorder) (a answer) {
	t.Helper()
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
		t.Fatalf("%d %q: %v", w.Code, w.Body, err)
	}
	return a
}

func TestAnswerOnTheWire(t *testing.T) {
	f := newFake()
	s := newServer(f, Options{})
	id := api.NewID()
	w := request(t, s, "PUT", path(id), good)
	if w.Code != 200 || w.Header().Get("Content-Type") != jsonType || w.Header().Get(InstanceHeader) != s.instance {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	var fields map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &fields); err != nil {
		t.Fatal(err)
	}
	blob, _ := fields["blobs"].([]any)[0].(map[string]any)
	if len(fields) != 4 || fields["operationId"] != id || fields["origin"] != "http://legacy01.local" ||
		blob["mediaType"] != "image/png" || !strings.HasPrefix(blob["data"].(string), "AAH+/wAB") {
		t.Errorf("%.200s", w.Body)
	}

	w = request(t, s, "PUT", path(id), strings.Replace(good, `"b"`, `"wrong"`, 1))
	if w.Code != 200 {
		t.Errorf("a repeat after the end is the worker's to judge: %d", w.Code)
	}
	id = api.NewID()
	w = request(t, s, "PUT", path(id), strings.Replace(good, `"b"`, `"wrong"`, 1))
	want := `{"error":{"error":"ELEMENT_NOT_FOUND","message":"Element was not found: id=wrong","operationId":"` + id + `"}}`
	if w.Code != 404 || w.Body.String() != want {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestRefusedRequests(t *testing.T) {
	with := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	for name, test := range map[string]struct {
		method, path, body string
		header             []string
		status             int
		code               api.Code
		says               string
	}{
		"foreign host":         {header: []string{"Host", "evil.test"}, status: 403, code: api.Unauthorized},
		"look-alike":           {header: []string{"Host", "localhost.evil.test"}, status: 403, code: api.Unauthorized},
		"no host":              {header: []string{"Host", ""}, status: 403, code: api.Unauthorized},
		"address of a network": {header: []string{"Host", "192.168.1.2:7311"}, status: 403, code: api.Unauthorized},
		"origin":               {header: []string{"Origin", "http://127.0.0.1:7311"}, status: 403, code: api.Unauthorized},
		"origin null":          {header: []string{"Origin", "null"}, status: 403, code: api.Unauthorized},
		"fetch metadata":       {header: []string{"Sec-Fetch-Site", "none"}, status: 403, code: api.Unauthorized},
		"referer":              {header: []string{"Referer", "http://localhost/"}, status: 403, code: api.Unauthorized},
		"cookie":               {header: []string{"Cookie", "a=b"}, status: 403, code: api.Unauthorized},
		"other instance":       {header: []string{InstanceHeader, "another"}, status: 412, code: api.WorkerUnavailable},
		"no type":              {header: []string{"Content-Type", ""}, status: 400, code: api.InvalidArgument, says: "Content-Type"},
		"a form's type":        {header: []string{"Content-Type", "text/plain"}, status: 400, code: api.InvalidArgument, says: "Content-Type"},
		"compressed":           {header: []string{"Content-Encoding", "gzip"}, status: 400, code: api.InvalidArgument},
		"GET":                  {method: "GET", status: 405, code: api.InvalidArgument},
		"POST":                 {method: "POST", status: 405, code: api.InvalidArgument},
		"CONNECT":              {method: "CONNECT", status: 405, code: api.InvalidArgument},
		"short id":             {path: path("short"), status: 400, code: api.InvalidArgument, says: "operation id"},
		"long id":              {path: path(strings.Repeat("a", 65)), status: 400, code: api.InvalidArgument},
		"encoded id":           {path: path("aaaaaaaaaaaaaaaaaaaa%41"), status: 400, code: api.InvalidArgument},
		"unicode id":           {path: path("%C3%A9aaaaaaaaaaaaaaaaaaaa"), status: 400, code: api.InvalidArgument},
		"no id":                {path: path(""), status: 400, code: api.InvalidArgument},
		"deeper":               {path: path("aaaaaaaaaaaaaaaaaaaa/x"), status: 404, code: api.InvalidArgument},
		"upwards":              {path: "/v1/operations/../operations/aaaaaaaaaaaaaaaaaaaa", status: 404, code: api.InvalidArgument},
		"two slashes":          {path: "//v1/operations/aaaaaaaaaaaaaaaaaaaa", status: 404, code: api.InvalidArgument},
		"elsewhere":            {path: "/v1/sessions", status: 404, code: api.InvalidArgument},
		"empty":                {body: " ", status: 400, code: api.InvalidArgument},
		"cut":                  {body: good[:50], status: 400, code: api.InvalidArgument},
		"list":                 {body: "[]", status: 400, code: api.InvalidArgument},
		"null":                 {body: "null", status: 400, code: api.InvalidArgument},
		"two values":           {body: good + "{}", status: 400, code: api.InvalidArgument, says: "after the call"},
		"deep":                 {body: strings.Repeat("[", 100_000), status: 400, code: api.InvalidArgument},
		"unknown field":        {body: with(`"timeoutMs"`, `"x":1,"timeoutMs"`), status: 400, code: api.InvalidArgument},
		"forged gateway":       {body: with(`"principal"`, `"gateway":"x","principal"`), status: 400, code: api.InvalidArgument},
		"id in the body":       {body: with(`"timeoutMs"`, `"id":"x","timeoutMs"`), status: 400, code: api.InvalidArgument},
		"no operation":         {body: with(`"click"`, `""`), status: 400, code: api.InvalidArgument, says: "operation"},
		"unknown operation":    {body: with(`"click"`, `"erase"`), status: 400, code: api.InvalidArgument, says: "erase"},
		"no principal":         {body: with(`"alice"`, `""`), status: 400, code: api.InvalidArgument, says: "caller.principal"},
		"time too short":       {body: with("5000", "99"), status: 400, code: api.InvalidArgument, says: "timeoutMs"},
		"time too long":        {body: with("5000", "300001"), status: 400, code: api.InvalidArgument, says: "timeoutMs"},
		"negative time":        {body: with("5000", "-5"), status: 400, code: api.InvalidArgument, says: "timeoutMs"},
		"endless time":         {body: with("5000", "1e400"), status: 400, code: api.InvalidArgument},
		"half a time":          {body: with("5000", "500.5"), status: 400, code: api.InvalidArgument, says: "timeoutMs"},
		"time as text":         {body: with("5000", `"5000"`), status: 400, code: api.InvalidArgument, says: "timeoutMs"},
		"too large":            {body: with(`"b"`, `"`+strings.Repeat("x", maxBody)+`"`), status: 429, code: api.LimitExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			if test.method == "" {
				test.method = "PUT"
			}
			if test.path == "" {
				test.path = path("aaaaaaaaaaaaaaaaaaaa")
			}
			if test.body == "" {
				test.body = good
			}
			f := newFake()
			w := request(t, newServer(f, Options{}), test.method, test.path, test.body, test.header...)
			a := body(t, w)
			if w.Code != test.status || a.Error == nil || a.Error.Code != test.code || !strings.Contains(a.Error.Message, test.says) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			if len(f.runs) != 0 {
				t.Error("it ran")
			}
			if w.Header().Get(InstanceHeader) == "" {
				t.Error("no instance")
			}
		})
	}
}

func TestHosts(t *testing.T) {
	s := newServer(newFake(), Options{Hosts: []string{"winbox.corp"}})
	for _, host := range []string{"127.0.0.1", "127.8.9.1:80", "[::1]:7311", "localhost", "LocalHost:7311", "WinBox.corp:7311"} {
		if w := request(t, s, "PUT", path(api.NewID()), good, "Host", host); w.Code != 200 {
			t.Errorf("%s: %d", host, w.Code)
		}
	}
}

func TestTokensDecideTheGateway(t *testing.T) {
	file := t.TempDir() + "/tokens"
	token, err := NewToken(file, "gw1")
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := LoadTokens(file)
	if err != nil {
		t.Fatal(err)
	}
	f := newFake()
	s, h := serve(t, f, Options{Tokens: tokens})
	for _, bad := range []string{"", "Bearer", "Bearer ", "Bearer x", "Basic " + token, token, "Bearer " + token + " "} {
		w := request(t, s, "PUT", path(api.NewID()), good, "Authorization", bad)
		if w.Code != 401 || w.Header().Get("WWW-Authenticate") == "" {
			t.Errorf("%q: %d %s", bad, w.Code, w.Body)
		}
	}
	if w := request(t, s, "DELETE", path(api.NewID()), ""); w.Code != 401 {
		t.Errorf("DELETE: %d", w.Code)
	}
	call := click("b", 5*time.Second)
	reply, err := newClient(t, ClientOptions{URL: h.URL, Token: token}).Do(t.Context(), call)
	wantReply(t, call, reply, err)
	if f.callers[0].Gateway != "gw1" {
		t.Errorf("caller %+v", f.callers[0])
	}
	for _, call := range []*api.Call{click("b", 5*time.Second), reading(5 * time.Second)} {
		_, err = newClient(t, ClientOptions{URL: h.URL, Token: "wrong"}).Do(t.Context(), call)
		if e := wantCode(t, err, api.Unauthorized); !strings.Contains(e.Message, "--worker-token-file") {
			t.Error(e)
		}
	}
	if len(f.runs) != 1 {
		t.Errorf("%d executions", len(f.runs))
	}
}

func TestRepeatsShareOneExecution(t *testing.T) {
	w := newWorld(t)
	call := click("block", 5*time.Second)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			reply, err := w.client.Do(t.Context(), call)
			wantReply(t, call, reply, err)
		})
	}
	id := <-w.worker.started
	other := *call
	for what, change := range map[string]func(){
		"operation": func() { other.Operation = "page_list" },
		"session":   func() { other.SessionID = "t" },
		"page":      func() { other.PageID = "q" },
		"principal": func() { other.Caller.Principal = "bob" },
		"input":     func() { other.Input = []byte(`{"target":{"by":"id","value":"other"}}`) },
	} {
		other = *call
		change()
		_, err := w.client.Do(t.Context(), &other)
		if e := wantCode(t, err, api.InvalidArgument); !strings.Contains(e.Message, "id") {
			t.Errorf("%s: %v", what, e)
		}
	}
	other = *call
	other.TimeoutMs, other.Policy = 200, api.Policy{}
	all.Go(func() {
		// Time limit and policy of a repeat do not count, nor does white space.
		r := request(t, w.server, "PUT", path(id), `{ "operation":"click","sessionId":"s","pageId":"p","timeoutMs":100,"caller":{"principal":"alice"},"policy":{"origins":[]},"input":{ "target" : {"by":"id","value":"block"}}}`)
		if r.Code != 200 {
			t.Errorf("%d %s", r.Code, r.Body)
		}
	})
	close(w.worker.release)
	all.Wait()
	if n := w.worker.count(call.ID); n != 1 {
		t.Errorf("%d executions", n)
	}
}

func TestDelete(t *testing.T) {
	f := newFake()
	s, _ := serve(t, f, Options{})

	// Before the PUT: it never runs.
	id := api.NewID()
	if w := request(t, s, "DELETE", path(id), ""); w.Code != 204 {
		t.Errorf("unknown id: %d", w.Code)
	}
	for range 2 {
		if w := request(t, s, "PUT", path(id), good); body(t, w).Error.Code != api.Cancelled || f.count(id) != 0 {
			t.Errorf("%d %s, %d executions", w.Code, w.Body, f.count(id))
		}
	}

	// During: both requests that wait get the worker's answer.
	id = api.NewID()
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			w := request(t, s, "PUT", path(id), strings.Replace(good, `"b"`, `"block"`, 1))
			if a := body(t, w); a.Error == nil || a.Error.Code != api.Cancelled {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
	<-f.started
	request(t, s, "DELETE", path(id), "")
	all.Wait()

	// After: the outcome stays.
	id = api.NewID()
	request(t, s, "PUT", path(id), good)
	request(t, s, "DELETE", path(id), "")
	if w := request(t, s, "PUT", path(id), good); w.Code != 200 || f.count(id) != 1 {
		t.Errorf("%d %s, %d executions", w.Code, w.Body, f.count(id))
	}
	if w := request(t, s, "DELETE", path("x"), ""); w.Code != 400 {
		t.Errorf("bad id: %d", w.Code)
	}
}

func TestDeleteOfAnotherGateway(t *testing.T) {
	file := t.TempDir() + "/tokens"
	one, _ := NewToken(file, "one")
	two, _ := NewToken(file, "two")
	tokens, err := LoadTokens(file)
	if err != nil {
		t.Fatal(err)
	}
	f := newFake()
	s, _ := serve(t, f, Options{Tokens: tokens})
	id := api.NewID()
	request(t, s, "DELETE", path(id), "", "Authorization", "Bearer "+two)
	done := make(chan *httptest.ResponseRecorder)
	go func() {
		done <- request(t, s, "PUT", path(id), strings.Replace(good, `"b"`, `"block"`, 1), "Authorization", "Bearer "+one)
	}()
	<-f.started
	request(t, s, "DELETE", path(id), "", "Authorization", "Bearer "+two)
	if w := request(t, s, "PUT", path(id), strings.Replace(good, `"b"`, `"block"`, 1), "Authorization", "Bearer "+two); w.Code != 400 {
		t.Errorf("joined another gateway's operation: %d", w.Code)
	}
	close(f.release)
	if w := <-done; w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// The loss of the connection cancels nothing.
func TestOperationOutlivesItsRequest(t *testing.T) {
	f := newFake()
	s, _ := serve(t, f, Options{})
	id := api.NewID()
	ctx, cancel := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, "PUT", path(id), strings.NewReader(strings.Replace(good, `"b"`, `"block"`, 1)))
	r.Host = "localhost"
	r.Header.Set("Content-Type", jsonType)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		s.ServeHTTP(httptest.NewRecorder(), r)
	}()
	<-f.started
	cancel()
	<-gone
	close(f.release)
	w := request(t, s, "PUT", path(id), strings.Replace(good, `"b"`, `"block"`, 1))
	if w.Code != 200 || f.count(id) != 1 {
		t.Errorf("%d %s, %d executions", w.Code, w.Body, f.count(id))
	}
}

func TestServerBoundsTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		s := newServer(newFake(), Options{})
		w := request(t, s, "PUT", path(api.NewID()), strings.Replace(good, `"b"`, `"block"`, 1))
		if took := time.Since(start); took != 6*time.Second || w.Code != 409 {
			t.Errorf("after %v: %d", took, w.Code)
		}
	})
}

func TestTombstonesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stones tombstones
		grave := func(i int) grave { return grave{"g", fmt.Sprint(i)} }
		for i := range maxTombstones + 1 {
			stones.add(grave(i))
			stones.add(grave(i))
		}
		if stones.has(grave(0)) || !stones.has(grave(1)) || len(stones.order) != maxTombstones || len(stones.at) != maxTombstones {
			t.Errorf("%d in order, %d at hand", len(stones.order), len(stones.at))
		}
		time.Sleep(tombstoneLife + 1) // of the fake clock
		stones.add(grave(5))
		if stones.has(grave(1)) || !stones.has(grave(5)) || len(stones.order) != 1 || len(stones.at) != 1 {
			t.Errorf("%d in order, %d at hand", len(stones.order), len(stones.at))
		}
	})
}

func TestPanicsCostOneCall(t *testing.T) {
	f := newFake()
	var reported []string
	s := newServer(f, Options{Report: func(call *api.Call, err *api.Error) {
		reported = append(reported, call.ID+" "+err.Cause.Error())
	}})
	for value, cause := range map[string]string{
		"panic": "panic: string at iemesh/api/link.(*fake).run:",
		"crash": "panic: runtime error: invalid memory address or nil pointer dereference at iemesh/api/link.(*fake).run:",
		"wrong": "the hidden cause",
	} {
		reported = nil
		id := api.NewID()
		w := request(t, s, "PUT", path(id), strings.Replace(good, `"b"`, `"`+value+`"`, 1))
		a := body(t, w)
		if value != "wrong" && (w.Code != 500 || a.Error.Code != api.InternalError || a.Error.OperationID != id) {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		if len(reported) != 1 || !strings.HasPrefix(reported[0], id+" "+cause) {
			t.Errorf("reported %q", reported)
		}
		if strings.Contains(w.Body.String()+strings.Join(reported, ""), "secret") {
			t.Error("the panic's words got out")
		}
	}
	if w := request(t, s, "PUT", path(api.NewID()), good); w.Code != 200 {
		t.Error("the next call failed")
	}
}

// Bodies that a decent client does not send.
func TestRawRequests(t *testing.T) {
	f := newFake()
	_, h := serve(t, f, Options{})
	head := "PUT " + path("aaaaaaaaaaaaaaaaaaaa") + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	chunk := strings.Repeat("x", 1<<20)
	for name, test := range map[string]struct {
		request string
		status  int
	}{
		"chunked":              {head + fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n", len(good), good), 200},
		"chunks beyond limit":  {head + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat(fmt.Sprintf("%x\r\n%s\r\n", len(chunk), chunk), 17), 429},
		"negative length":      {head + "Content-Length: -5\r\n\r\n", 400},
		"two lengths":          {head + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}", 400},
		"overflowing length":   {head + "Content-Length: 99999999999999999999\r\n\r\n", 400},
		"length and chunks":    {head + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
		"bad chunk":            {head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400},
		"no host":              {strings.Replace(head, "Host: localhost\r\n", "", 1) + "\r\n", 400},
		"two hosts":            {head + "Host: evil.test\r\n\r\n", 400},
		"absolute target":      {strings.Replace(head, path(""), "http://evil.test"+path(""), 1) + "\r\n", 403},
		"no body":              {head + "\r\n", 400},
		"endless header":       {head + "X: " + strings.Repeat("y", 2<<20), 431},
		"connect":              {"CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n\r\n", 403},
		"HTTP/1.0 and no host": {strings.Replace(strings.Replace(head, "1.1", "1.0", 1), "Host: localhost\r\n", "", 1) + "\r\n", 403},
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := net.Dial("tcp", h.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			go func() { _, _ = io.WriteString(conn, test.request) }()
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			if res.StatusCode != test.status {
				t.Errorf("%d, want %d", res.StatusCode, test.status)
			}
		})
	}
}

func FuzzParseCall(f *testing.F) {
	f.Add([]byte(good))
	f.Add([]byte(`{"timeoutMs":1e400}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		call, err := parseCall(body)
		if err != nil {
			if e := api.AsError(err); e.Code != api.InvalidArgument {
				t.Fatal(e)
			}
			return
		}
		again, err := json.Marshal(call)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseCall(again); err != nil {
			t.Fatalf("%s: %v", again, err)
		}
	})
}
