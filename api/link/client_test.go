package link

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"iemesh/api"
)

func TestAnswersOverTheNetwork(t *testing.T) {
	w := newWorld(t)
	call := click("b", 5*time.Second)
	reply, err := w.client.Do(t.Context(), call)
	wantReply(t, call, reply, err)
	if w.worker.count(call.ID) != 1 {
		t.Errorf("%d executions", w.worker.count(call.ID))
	}
	if got := w.worker.callers[0]; got != (api.Caller{Gateway: "local", Principal: "alice"}) {
		t.Errorf("caller %+v", got)
	}
	_, err = w.client.Do(t.Context(), click("wrong", 5*time.Second))
	if e := wantCode(t, err, api.ElementNotFound); e.OperationID == "" || e.Cause != nil || e.Message != "Element was not found: id=wrong" {
		t.Errorf("%+v", e)
	}
	if w.proxy.dialled() != 1 {
		t.Errorf("%d connections for two calls in a row", w.proxy.dialled())
	}
}

// Whatever happens to the connection, an acting operation runs once and its
// outcome arrives.
func TestBrokenConnections(t *testing.T) {
	const page = "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\nsad!"
	faults := map[string][]fault{
		"before the request":         {{atOnce: true}},
		"twice before the request":   {{atOnce: true}, {atOnce: true}},
		"within the header":          {{up: cutAfter(100)}},
		"within the body":            {{up: cutAfter(40_000)}},
		"before the answer":          {{down: cutAfter(0)}},
		"within the answer's header": {{down: cutAfter(50)}},
		"within the answer's body":   {{down: cutAfter(3000)}},
		"answer cut short in order":  {{down: closeAfter(3000)}},
		"stalled answer":             {{down: swallow}},
		"stalled request":            {{up: swallow}},
		"page of a proxy":            {{down: insteadOf(page)}},
		"redirect":                   {{down: insteadOf("HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n")}},
		"rubbish":                    {{down: insteadOf("\x16\x03\x01\r\n\r\n")}},
		"one after the other":        {{down: cutAfter(0)}, {up: cutAfter(300)}, {down: closeAfter(200)}, {down: insteadOf(page)}},
	}
	for name, list := range faults {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.client.silence = 300 * time.Millisecond
			w.know()
			w.proxy.arm(list...)
			call := click("b", 10*time.Second)
			call.Operation = "fill"
			call.Input = []byte(`{"target":{"by":"id","value":"b"},"text":"` + strings.Repeat("x", 100_000) + `"}`)
			reply, err := w.client.Do(t.Context(), call)
			wantReply(t, call, reply, err)
			if n := w.worker.count(call.ID); n != 1 {
				t.Errorf("%d executions", n)
			}
			if w.proxy.armed() != 0 {
				t.Error("a fault was not used")
			}
		})
	}
}

func TestCutWhileRunning(t *testing.T) {
	w := newWorld(t)
	w.know()
	call := click("block", 10*time.Second)
	go func() {
		<-w.worker.started
		w.proxy.cutAll()
		eventually(t, "the client asks again", func() bool { return w.proxy.dialled() == 3 })
		close(w.worker.release)
	}()
	reply, err := w.client.Do(t.Context(), call)
	wantReply(t, call, reply, err)
	if n := w.worker.count(call.ID); n != 1 {
		t.Errorf("%d executions", n)
	}
}

// A worker that was started anew must not run what its predecessor may have run.
func TestRestartInBetween(t *testing.T) {
	for _, learned := range []bool{false, true} {
		w := newWorld(t)
		w.know()
		successor := newFake()
		s, h := serve(t, successor, Options{})
		w.proxy.arm(fault{down: func(b *breaker, from, to net.Conn) {
			_, _ = from.Read(make([]byte, 1)) // the operation is done
			b.target.Store(h.Listener.Addr().String())
			if learned { // by another call, before this one is repeated
				w.client.instance.Store(s.instance)
			}
			reset(to)
		}})
		call := click("b", 3*time.Second)
		_, err := w.client.Do(t.Context(), call)
		wantCode(t, err, api.OutcomeUnknown)
		if a, b := w.worker.count(call.ID), successor.count(call.ID); a != 1 || b != 0 {
			t.Errorf("executions: %d before, %d after the restart", a, b)
		}
		// Nothing is in doubt about the next one.
		call = click("b", 3*time.Second)
		reply, err := w.client.Do(t.Context(), call)
		wantReply(t, call, reply, err)
	}
}

func TestRestartBetweenCalls(t *testing.T) {
	w := newWorld(t)
	w.know()
	successor := newFake()
	_, h := serve(t, successor, Options{})
	w.proxy.target.Store(h.Listener.Addr().String())
	call := click("b", 3*time.Second)
	reply, err := w.client.Do(t.Context(), call)
	wantReply(t, call, reply, err)
	if successor.count(call.ID) != 1 {
		t.Error("not one execution")
	}
}

func TestWorkerGoesAway(t *testing.T) {
	for _, test := range []struct {
		call *api.Call
		want api.Code
	}{{click("block", 500*time.Millisecond), api.OutcomeUnknown}, {reading(500 * time.Millisecond), api.WorkerUnavailable}} {
		w := newWorld(t)
		w.know()
		w.proxy.arm(fault{down: func(b *breaker, from, to net.Conn) {
			b.listener.Close()
			b.cutAll()
		}})
		if test.want == api.OutcomeUnknown {
			w.proxy.mu.Lock()
			w.proxy.faults[0] = fault{down: func(b *breaker, from, to net.Conn) {
				<-w.worker.started
				b.listener.Close()
				b.cutAll()
			}}
			w.proxy.mu.Unlock()
		}
		start := time.Now()
		_, err := w.client.Do(t.Context(), test.call)
		wantCode(t, err, test.want)
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("took %v", took)
		}
	}
}

func TestNobodyThere(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	c := newClient(t, ClientOptions{URL: "http://" + l.Addr().String()})
	for _, call := range []*api.Call{click("b", time.Minute), reading(200 * time.Millisecond)} {
		start := time.Now()
		_, err = c.Do(t.Context(), call)
		if e := wantCode(t, err, api.WorkerUnavailable); e.Cause == nil || strings.Contains(e.Message, "127.0.0.1") {
			t.Errorf("%+v", e)
		}
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("took %v", took)
		}
	}
	wantCode(t, c.Ready(t.Context()), api.WorkerUnavailable)
}

func TestSomebodyElseThere(t *testing.T) {
	h := httptest.NewServer(http.NotFoundHandler())
	defer h.Close()
	c := newClient(t, ClientOptions{URL: h.URL})
	for _, call := range []*api.Call{click("b", time.Minute), reading(time.Minute)} {
		start := time.Now()
		_, err := c.Do(t.Context(), call)
		wantCode(t, err, api.WorkerUnavailable)
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("took %v", took)
		}
	}
}

func TestAnswerTooLarge(t *testing.T) {
	w := newWorld(t)
	large := api.WorkerFunc(func(context.Context, *api.Call) (*api.Reply, error) {
		return &api.Reply{Result: []byte(`"` + strings.Repeat("x", 100_000) + `"`)}, nil
	})
	_, h := serve(t, large, Options{})
	w.proxy.target.Store(h.Listener.Addr().String())
	w.client.most = 100_000
	_, err := w.client.Do(t.Context(), click("b", 20*time.Second))
	wantCode(t, err, api.OutcomeUnknown)
	_, err = w.client.Do(t.Context(), reading(20*time.Second))
	wantCode(t, err, api.WorkerUnavailable)
}

func TestCancel(t *testing.T) {
	t.Run("while it runs", func(t *testing.T) {
		w := newWorld(t)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-w.worker.started
			cancel()
		}()
		call := click("block", time.Minute)
		_, err := w.client.Do(ctx, call)
		if e := wantCode(t, err, api.Cancelled); e.Message != "Cancelled while it waited." {
			t.Errorf("not the worker's answer: %v", e)
		}
	})
	t.Run("too late", func(t *testing.T) {
		w := newWorld(t)
		w.know()
		ctx, cancel := context.WithCancel(t.Context())
		w.proxy.arm(fault{down: func(b *breaker, from, to net.Conn) { // the answer comes after the cancel
			buf := make([]byte, 10_000)
			n, _ := from.Read(buf)
			cancel()
			eventually(t, "the cancel arrives", func() bool {
				w.server.mu.Lock()
				defer w.server.mu.Unlock()
				return len(w.server.cancelled.order) == 1
			})
			_, _ = to.Write(buf[:n])
		}})
		call := click("b", time.Minute)
		reply, err := w.client.Do(ctx, call)
		wantReply(t, call, reply, err)
	})
	t.Run("answer lost, cancelled, asked again", func(t *testing.T) {
		w := newWorld(t)
		w.know()
		ctx, cancel := context.WithCancel(t.Context())
		w.proxy.arm(fault{down: func(b *breaker, from, to net.Conn) {
			_, _ = from.Read(make([]byte, 1))
			cancel()
			reset(to)
		}})
		call := click("b", time.Minute)
		reply, err := w.client.Do(ctx, call)
		wantReply(t, call, reply, err)
	})
	t.Run("no answer to the cancel", func(t *testing.T) {
		w := newWorld(t)
		defer close(w.worker.release)
		ctx, cancel := context.WithCancel(t.Context())
		var once sync.Once
		go func() {
			<-w.worker.started
			once.Do(cancel)
		}()
		start := time.Now()
		_, err := w.client.Do(ctx, click("hang", time.Minute))
		wantCode(t, err, api.OutcomeUnknown)
		if took := time.Since(start); took > 1500*time.Millisecond {
			t.Errorf("took %v", took)
		}
	})
	t.Run("before", func(t *testing.T) {
		w := newWorld(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := w.client.Do(ctx, click("b", time.Minute))
		wantCode(t, err, api.Cancelled)
		ctx, cancel = context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
		defer cancel()
		_, err = w.client.Do(ctx, click("b", time.Minute))
		wantCode(t, err, api.Timeout)
		if w.proxy.dialled() != 0 {
			t.Error("it was sent")
		}
	})
	// A client that does not know the worker asks who it is first: that answer
	// comes when the caller has left, and nothing may be begun after it.
	for _, code := range []api.Code{api.Cancelled, api.Timeout} {
		t.Run("while it gets to know the worker: "+string(code), func(t *testing.T) {
			w := newWorld(t)
			ctx, cancel := context.WithCancel(t.Context())
			if code == api.Timeout {
				ctx, cancel = context.WithTimeout(t.Context(), 200*time.Millisecond)
			}
			defer cancel()
			w.proxy.arm(fault{down: func(b *breaker, from, to net.Conn) {
				buf := make([]byte, 10_000)
				n, _ := from.Read(buf)
				if code == api.Cancelled {
					cancel()
				}
				<-ctx.Done()
				eventually(t, "the cancel arrives", func() bool {
					w.server.mu.Lock()
					defer w.server.mu.Unlock()
					return len(w.server.cancelled.order) == 1
				})
				_, _ = to.Write(buf[:n])
				_, _ = io.Copy(to, from)
			}})
			call := click("b", time.Minute)
			_, err := w.client.Do(ctx, call)
			wantCode(t, err, code)
			if n := w.worker.count(call.ID); n != 0 {
				t.Errorf("%d executions", n)
			}
			if w.proxy.armed() != 0 {
				t.Error("the fault was not used")
			}
			// The client knows the worker now, and the next call is done.
			call = click("b", 5*time.Second)
			reply, err := w.client.Do(t.Context(), call)
			wantReply(t, call, reply, err)
		})
	}
	t.Run("while nobody is there", func(t *testing.T) {
		w := newWorld(t)
		w.proxy.listener.Close()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		start := time.Now()
		_, err := w.client.Do(ctx, click("b", time.Minute))
		if e, _ := err.(*api.Error); e == nil || e.Code != api.Timeout && e.Code != api.WorkerUnavailable {
			t.Errorf("got %v", err)
		}
		if took := time.Since(start); took > 500*time.Millisecond {
			t.Errorf("took %v", took)
		}
	})
}

// The time that is left goes on the wire, and a hanging worker is not waited
// for longer than a second past it.
func TestDeadline(t *testing.T) {
	w := newWorld(t)
	defer close(w.worker.release)
	start := time.Now()
	_, err := w.client.Do(t.Context(), click("hang", 300*time.Millisecond))
	wantCode(t, err, api.OutcomeUnknown)
	if took := time.Since(start); took < 1200*time.Millisecond || took > 1800*time.Millisecond {
		t.Errorf("took %v", took)
	}

	left := make(chan int64, 1)
	_, h := serve(t, api.WorkerFunc(func(_ context.Context, call *api.Call) (*api.Reply, error) {
		left <- call.TimeoutMs
		return nil, api.Errorf(api.Timeout, "late")
	}), Options{})
	c := newClient(t, ClientOptions{URL: h.URL})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	_, err = c.Do(ctx, click("b", time.Minute))
	wantCode(t, err, api.Timeout)
	if ms := <-left; ms > 5000 || ms < 4000 {
		t.Errorf("%d ms left", ms)
	}
	_, err = c.Do(t.Context(), click("b", 0))
	wantCode(t, err, api.InvalidArgument)
}

func TestClientRefusesBadCalls(t *testing.T) {
	w := newWorld(t)
	call := click("b", time.Second)
	call.ID = "../../../../secret"
	_, err := w.client.Do(t.Context(), call)
	wantCode(t, err, api.InvalidArgument)
	call = click("b", time.Second)
	call.Input = []byte("{")
	_, err = w.client.Do(t.Context(), call)
	wantCode(t, err, api.InvalidArgument)
	call.Input = []byte(`"` + strings.Repeat("x", maxBody) + `"`)
	_, err = w.client.Do(t.Context(), call)
	wantCode(t, err, api.LimitExceeded)
	if w.proxy.dialled() != 0 {
		t.Error("something was sent")
	}
	for _, bad := range []string{"", "127.0.0.1:7311", "ftp://127.0.0.1", "http://user:pw@127.0.0.1", "http://127.0.0.1/x", "http://127.0.0.1/?q", "http://winbox:7311"} {
		if _, err := NewClient(ClientOptions{URL: bad}); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	if _, err := NewClient(ClientOptions{URL: "http://127.0.0.1", Token: "two words"}); err == nil || strings.Contains(err.Error(), "words") {
		t.Errorf("bad token: %v", err)
	}
}

func TestReady(t *testing.T) {
	status, body, token := http.StatusOK, `{}`, http.StatusMethodNotAllowed
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			w.WriteHeader(token)
			return
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}))
	defer h.Close()
	c := newClient(t, ClientOptions{URL: h.URL})
	if err := c.Ready(t.Context()); err != nil {
		t.Error(err)
	}
	token = http.StatusUnauthorized
	wantCode(t, c.Ready(t.Context()), api.Unauthorized)
	status, body = http.StatusServiceUnavailable, `{"reasons":["The desktop is locked.","There is no driver."]}`
	if e := wantCode(t, c.Ready(t.Context()), api.WorkerUnavailable); !strings.Contains(e.Message, "The desktop is locked.; There is no driver.") {
		t.Error(e)
	}
	body = "<html>"
	wantCode(t, c.Ready(t.Context()), api.WorkerUnavailable)
}
