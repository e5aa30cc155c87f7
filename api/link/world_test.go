package link

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"iemesh/api"
)

// fake is a worker without a browser: it counts executions and keeps a ledger
// of the acting ones. What it does is in the locator's value of a click.
type fake struct {
	mu      sync.Mutex
	runs    map[string]int
	ledger  map[string]outcome
	callers []api.Caller
	order   []string
	started chan string   // each execution, as it begins
	release chan struct{} // what "block" waits for
}

type outcome struct {
	reply *api.Reply
	err   error
}

func newFake() *fake {
	return &fake{
		runs: map[string]int{}, ledger: map[string]outcome{},
		started: make(chan string, 1000), release: make(chan struct{}),
	}
}

func (f *fake) Do(ctx context.Context, call *api.Call) (*api.Reply, error) {
	entry, err := api.Lookup(call.Operation)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	known, ok := f.ledger[call.ID]
	f.mu.Unlock()
	if ok {
		return known.reply, known.err
	}
	if ctx.Err() != nil {
		return nil, api.Errorf(api.Cancelled, "Cancelled.")
	}
	f.mu.Lock()
	f.runs[call.ID]++
	f.callers = append(f.callers, call.Caller)
	f.order = append(f.order, call.ID)
	f.mu.Unlock()
	f.started <- call.ID
	reply, err := f.run(ctx, call)
	if entry.Effect == api.Act {
		f.mu.Lock()
		f.ledger[call.ID] = outcome{reply, err}
		f.mu.Unlock()
	}
	return reply, err
}

func (f *fake) run(ctx context.Context, call *api.Call) (*api.Reply, error) {
	in := struct{ Target, Text any }{}
	_ = json.Unmarshal(call.Input, &in)
	target, _ := in.Target.(map[string]any)
	switch target["value"] {
	case "block":
		select {
		case <-f.release:
		case <-ctx.Done():
			return nil, api.Errorf(api.Cancelled, "Cancelled while it waited.")
		}
	case "hang":
		<-f.release
	case "panic":
		panic("secret words of a page")
	case "crash":
		var missing *api.Call
		_ = missing.Operation
	case "wrong":
		return nil, api.Errorf(api.ElementNotFound, "Element was not found: id=wrong").Because(errors.New("the hidden cause"))
	}
	return &api.Reply{
		Result: json.RawMessage(`{"url":"http://legacy01.local/` + call.ID + `"}`),
		Blobs:  []api.Blob{{MediaType: "image/png", Data: bytes.Repeat([]byte{0, 1, 254, 255}, 1000)}},
		Origin: "http://legacy01.local",
	}, nil
}

func (f *fake) count(id string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.runs[id]
}

// world is a client, a proxy that breaks connections, and a worker.
type world struct {
	*testing.T
	worker *fake
	server *server
	http   *httptest.Server
	proxy  *breaker
	client *Client
}

func newWorld(t *testing.T) *world {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() { // after everything was closed
		eventually(t, "no goroutine is left", func() bool { return runtime.NumGoroutine() <= before })
	})
	w := &world{T: t, worker: newFake()}
	w.server, w.http = serve(t, w.worker, Options{})
	w.proxy = newBreaker(t, w.http.Listener.Addr().String())
	w.client = newClient(t, ClientOptions{URL: "http://" + w.proxy.addr()})
	return w
}

func serve(t *testing.T, w api.Worker, opts Options) (*server, *httptest.Server) {
	t.Helper()
	s := newServer(w, opts)
	h := httptest.NewServer(s)
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
		eventually(t, "no operation runs on", func() bool {
			s.mu.Lock()
			defer s.mu.Unlock()
			return len(s.running) == 0
		})
	})
	return s, h
}

func newClient(t *testing.T, opts ClientOptions) *Client {
	t.Helper()
	c, err := NewClient(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// know lets the client meet the worker, and forgets the connection.
func (w *world) know() {
	w.Helper()
	if _, err := w.client.Do(context.Background(), reading(5*time.Second)); err != nil {
		w.Fatal(err)
	}
	<-w.worker.started
	w.client.transport.CloseIdleConnections()
}

func click(value string, timeout time.Duration) *api.Call {
	return &api.Call{
		ID: api.NewID(), Operation: "click", SessionID: "s", PageID: "p", TimeoutMs: timeout.Milliseconds(),
		Caller: api.Caller{Principal: "alice"}, Policy: api.Policy{Origins: []string{"http://legacy01.local"}},
		Input: json.RawMessage(`{"target":{"by":"id","value":"` + value + `"}}`),
	}
}

func reading(timeout time.Duration) *api.Call {
	call := click("b", timeout)
	call.Operation, call.Input = "page_list", nil
	return call
}

func wantCode(t *testing.T, err error, code api.Code) *api.Error {
	t.Helper()
	e, ok := errors.AsType[*api.Error](err)
	if !ok || e.Code != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	return e
}

func wantReply(t *testing.T, call *api.Call, reply *api.Reply, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v (%v)", err, errors.Unwrap(err))
	}
	if want := `{"url":"http://legacy01.local/` + call.ID + `"}`; string(reply.Result) != want {
		t.Errorf("result %s, want %s", reply.Result, want)
	}
	if len(reply.Blobs) != 1 || len(reply.Blobs[0].Data) != 4000 || reply.Origin != "http://legacy01.local" {
		t.Error("blob or origin got lost")
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(10 * time.Second); !ok(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("not within 10 s: %s", what)
		}
	}
}

// fault is what a breaker does to one connection. Either function may be nil:
// bytes then pass.
type fault struct {
	atOnce bool                                // cut before anything is read
	up     func(b *breaker, from, to net.Conn) // client to worker
	down   func(b *breaker, from, to net.Conn) // worker to client
}

// breaker is a TCP proxy. Each armed fault is used for one connection.
type breaker struct {
	listener net.Listener
	target   atomic.Value // string
	mu       sync.Mutex
	faults   []fault
	conns    map[net.Conn]bool
	dials    int
	wg       sync.WaitGroup
}

func newBreaker(t *testing.T, target string) *breaker {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &breaker{listener: l, conns: map[net.Conn]bool{}}
	b.target.Store(target)
	b.wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			b.wg.Go(func() { b.pass(conn) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		b.cutAll()
		b.wg.Wait()
	})
	return b
}

func (b *breaker) addr() string { return b.listener.Addr().String() }

func (b *breaker) arm(faults ...fault) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.faults = append(b.faults, faults...)
}

func (b *breaker) armed() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.faults)
}

func (b *breaker) dialled() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dials
}

func (b *breaker) cutAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.conns {
		reset(c)
	}
}

// reset closes with RST.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	c.Close()
}

func (b *breaker) pass(client net.Conn) {
	b.mu.Lock()
	var f fault
	if len(b.faults) > 0 {
		f, b.faults = b.faults[0], b.faults[1:]
	}
	b.dials++
	b.mu.Unlock()
	if f.atOnce {
		reset(client)
		return
	}
	worker, err := net.Dial("tcp", b.target.Load().(string))
	if err != nil {
		reset(client)
		return
	}
	b.mu.Lock()
	b.conns[client], b.conns[worker] = true, true
	b.mu.Unlock()
	var both sync.WaitGroup
	stream := func(special func(*breaker, net.Conn, net.Conn), from, to net.Conn) {
		both.Go(func() {
			if special != nil {
				special(b, from, to)
			} else {
				_, _ = io.Copy(to, from)
			}
			from.Close()
			to.Close()
		})
	}
	stream(f.up, client, worker)
	stream(f.down, worker, client)
	both.Wait()
	b.mu.Lock()
	delete(b.conns, client)
	delete(b.conns, worker)
	b.mu.Unlock()
}

// cutAfter passes n bytes, then resets both connections.
func cutAfter(n int64) func(*breaker, net.Conn, net.Conn) {
	return func(_ *breaker, from, to net.Conn) {
		_, _ = io.CopyN(to, from, n)
		reset(from)
		reset(to)
	}
}

// closeAfter passes n bytes, then closes in good order.
func closeAfter(n int64) func(*breaker, net.Conn, net.Conn) {
	return func(_ *breaker, from, to net.Conn) { _, _ = io.CopyN(to, from, n) }
}

// swallow waits for the first byte and hands nothing on until the end.
func swallow(_ *breaker, from, _ net.Conn) { _, _ = io.Copy(io.Discard, from) }

// insteadOf answers text when the worker answers.
func insteadOf(text string) func(*breaker, net.Conn, net.Conn) {
	return func(_ *breaker, from, to net.Conn) {
		_, _ = from.Read(make([]byte, 1))
		_, _ = io.WriteString(to, text)
	}
}

// request sends one raw HTTP request to a handler.
func request(t *testing.T, h http.Handler, method, path, body string, header ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest(method, path, bytes.NewReader([]byte(body)))
	r.Host = "127.0.0.1:7311"
	if method == http.MethodPut {
		r.Header.Set("Content-Type", jsonType)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		} else {
			r.Header.Set(header[i], header[i+1])
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
