package driver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tebeka/selenium"
)

const (
	commandLimit = 60 * time.Second // page-load and script limit, but for Navigate
	settleLimit  = 75 * time.Second // must exceed commandLimit: healthy commands end by then, or so much after a longer limit
	replyLimit   = 64 << 20         // bytes; a page decides how long a dialog's text or a script's result is
)

var errTooLarge = errors.New("the answer is too large")

// client sends one session's commands, one at a time.
//
// Drivers do not notice a dropped connection: a command goes on and the next one
// waits behind it. So a command whose caller has left is detached, not aborted:
// its slot passes to settleDown, which waits for the answer. Aborting would only
// lose the moment at which the session is free again.
type client struct {
	url    string // of the session, or of the driver before there is one
	http   *http.Transport
	settle time.Duration
	slot   chan struct{} // capacity 1: its holder may send commands
	op     atomic.Pointer[op]
	life   context.Context
	lose   context.CancelCauseFunc
	wd     selenium.WebDriver
	limits limits // as the driver has them; guarded by slot
}

type limits struct{ PageLoad, Script time.Duration }

func (l limits) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]int64{"implicit": 0, "pageLoad": l.PageLoad.Milliseconds(), "script": l.Script.Milliseconds()})
}

// op is what the holder of the slot does under one caller's context.
type op struct {
	ctx     context.Context
	command string
	want    shape
	leave   func()       // may shorten a command whose caller has left; nil where its answer is wanted all the same
	pending <-chan reply // set when ctx ended before the driver answered
}

type reply struct {
	status int
	body   []byte
	err    error
}

func newClient(url string, l launch) *client {
	c := &client{
		url:    url,
		settle: settleLimit,
		slot:   make(chan struct{}, 1),
		limits: l.limits,
		http: &http.Transport{
			Proxy:              nil, // a driver is never behind a proxy
			DialContext:        (&net.Dialer{Timeout: 3 * time.Second}).DialContext,
			DisableCompression: true,
			WriteBufferSize:    64 << 10, // a script leaves in one write with its headers: the driver wakes once
			ReadBufferSize:     64 << 10,
			DisableKeepAlives:  !l.keepAlive,
		},
	}
	c.life, c.lose = context.WithCancelCause(context.Background())
	context.AfterFunc(c.life, c.http.CloseIdleConnections)
	return c
}

// exchange is one HTTP exchange, body included.
func (c *client) exchange(ctx context.Context, method, path string, body []byte) (r reply) {
	var content io.Reader
	if method == http.MethodPost {
		if len(body) == 0 {
			body = []byte("{}") // IEDriver takes an empty body for a broken one
		}
		content = bytes.NewReader(body) // gives a Content-Length: IEDriver ignores chunks
	}
	q, err := http.NewRequestWithContext(ctx, method, c.url+path, content)
	if err != nil {
		return reply{err: err}
	}
	q.Header.Set("Accept", "application/json")
	if content != nil {
		q.Header.Set("Content-Type", "application/json; charset=utf-8") // Grid refuses it without the charset
	}
	answer, err := c.http.RoundTrip(q)
	if err != nil {
		return reply{err: err}
	}
	defer answer.Body.Close()
	r.status = answer.StatusCode
	if r.body, r.err = io.ReadAll(io.LimitReader(answer.Body, replyLimit+1)); len(r.body) > replyLimit {
		return reply{err: errTooLarge}
	}
	return r
}

// send runs one command for the holder of the slot.
func (c *client) send(o *op, want shape, method, path string, body []byte) (json.RawMessage, error) {
	if o.ctx.Err() != nil {
		return nil, contextError(o.command, o.ctx, false)
	}
	answered := make(chan reply, 1)
	go func() { answered <- c.exchange(c.life, method, path, body) }()
	var r reply
	select {
	case r = <-answered:
	case <-o.ctx.Done():
		o.pending = answered
		return nil, contextError(o.command, o.ctx, true)
	}
	return c.read(o.command, want, r)
}

// read reads a reply, and ends the session if that says so.
func (c *client) read(command string, want shape, r reply) (value json.RawMessage, err error) {
	switch {
	case r.err != nil && c.life.Err() != nil: // aborted
		return nil, c.lost(command)
	case errors.Is(r.err, errTooLarge):
		return nil, &Error{Kind: Unknown, Command: command, Message: errTooLarge.Error()}
	case r.err != nil:
		err = &Error{Kind: Lost, Command: command, Message: "the driver does not answer", Cause: r.err}
	default:
		value, err = decode(command, want, r.status, r.body)
	}
	if KindOf(err) == Lost {
		c.lose(err)
	}
	return value, err
}

func (c *client) lost(command string) *Error {
	why := context.Cause(c.life)
	return &Error{Kind: Lost, Command: command, Message: why.Error(), Cause: why}
}

func (c *client) acquire(ctx context.Context, command string) error {
	if c.life.Err() != nil {
		return c.lost(command)
	}
	if ctx.Err() != nil {
		return contextError(command, ctx, false)
	}
	select {
	case c.slot <- struct{}{}:
		if c.life.Err() != nil { // select picks at random
			<-c.slot
			return c.lost(command)
		}
		return nil
	case <-c.life.Done():
		return c.lost(command)
	case <-ctx.Done():
		return contextError(command, ctx, false)
	}
}

// do runs one command under ctx: run sends it, through tebeka or raw, and the
// answer must have the shape want.
func (c *client) do(ctx context.Context, command string, want shape, run func(*op) error) error {
	return c.doWithin(ctx, 0, command, want, run)
}

// doWithin is do under a page-load limit; 0 leaves the one that is.
func (c *client) doWithin(ctx context.Context, pageLoad time.Duration, command string, want shape, run func(*op) error) error {
	if err := c.acquire(ctx, command); err != nil {
		return err
	}
	o := &op{ctx: ctx, command: command, want: want}
	c.op.Store(o)
	defer func() {
		c.op.Store(nil)
		if o.pending == nil {
			<-c.slot
		} else {
			go c.settleDown(o) // which now holds the slot
		}
	}()
	if pageLoad > 0 {
		if err := c.limit(o, limits{pageLoad, commandLimit}); err != nil {
			return err
		}
	}
	err := run(o)
	if err == nil {
		return nil
	}
	var ours *Error
	if errors.As(err, &ours) { // inside the *url.Error of http.Client
		return ours
	}
	return &Error{Kind: Unknown, Command: command, Message: "unreadable reply", Cause: err}
}

func (c *client) limit(o *op, want limits) error {
	if c.limits == want {
		return nil
	}
	body, err := json.Marshal(want)
	if err != nil {
		return err
	}
	c.limits = limits{}
	if _, err := c.send(o, null, http.MethodPost, "/timeouts", body); err != nil {
		var e *Error
		if errors.As(err, &e) {
			e.Running = false // the command itself was never sent
		}
		return err
	}
	c.limits = want
	return nil
}

// settleDown waits for a command whose caller has left, and frees the slot.
func (c *client) settleDown(o *op) {
	defer func() { <-c.slot }()
	if o.leave != nil {
		o.leave()
	}
	settle := c.settle + max(0, c.limits.PageLoad-commandLimit)
	late := time.NewTimer(settle)
	defer late.Stop()
	select {
	case r := <-o.pending:
		c.read(o.command, o.want, r)
	case <-late.C:
		c.lose(&Error{Kind: Lost, Command: o.command, Message: fmt.Sprintf("still running %s after its caller left", settle)})
		<-o.pending
	}
}

// raw runs a command that tebeka lacks or has wrong; in is its body, the
// "value" of the answer goes to out.
func (c *client) raw(ctx context.Context, command string, want shape, method, path string, in, out any) error {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return &Error{Kind: InvalidArgument, Command: command, Message: "not expressible as JSON", Cause: err}
		}
	}
	return c.do(ctx, command, want, func(o *op) error {
		value, err := c.send(o, want, method, path, body)
		if err != nil || out == nil {
			return err
		}
		return json.Unmarshal(value, out)
	})
}

// Settled waits until no command runs, detached ones included.
func (c *client) Settled(ctx context.Context) error {
	if err := c.acquire(ctx, "settle"); err != nil {
		return err
	}
	<-c.slot
	return nil
}

// tebeka/selenium sends everything through one package variable, without a
// context. It is set once, to a router: the host of the URL names the client,
// whose op knows the context of the command. ".invalid" cannot resolve, so a
// stray request fails closed.
var (
	routes   sync.Map // host -> *client
	routeSeq atomic.Uint64
	install  = sync.OnceFunc(func() {
		selenium.HTTPClient = &http.Client{Transport: router{}}
	})
)

const sessionPath = "/session/own" // what tebeka takes for the session; the router cuts it off

// adopt gives tebeka the session that this client has opened. Its own New Session is
// never used: it loses capabilities and, on some replies, the session.
func (c *client) adopt() error {
	install()
	host := fmt.Sprintf("w%d.webdriver.invalid", routeSeq.Add(1))
	routes.Store(host, c)
	context.AfterFunc(c.life, func() { routes.Delete(host) })
	wd, err := selenium.NewRemote(selenium.Capabilities{}, "http://"+host)
	c.wd = wd
	return err
}

type router struct{}

func (router) RoundTrip(q *http.Request) (*http.Response, error) {
	var body []byte
	if q.Body != nil {
		defer q.Body.Close()
		var err error
		if body, err = io.ReadAll(q.Body); err != nil {
			return nil, err
		}
	}
	route, ok := routes.Load(q.URL.Host)
	if !ok {
		return nil, errors.New("no such session")
	}
	c := route.(*client)
	value := json.RawMessage(`{"sessionId":"own","capabilities":{}}`) // for adopt's POST /session
	if path, inside := strings.CutPrefix(q.URL.RequestURI(), sessionPath); inside {
		o := c.op.Load()
		if o == nil {
			return nil, errors.New("command outside an operation")
		}
		var err error
		if value, err = c.send(o, o.want, q.Method, path, body); err != nil {
			return nil, err // tebeka would take some HTTP 500s for success
		}
	}
	content := append(append([]byte(`{"value":`), value...), '}')
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json; charset=utf-8"}},
		Body:          io.NopCloser(bytes.NewReader(content)),
		ContentLength: int64(len(content)),
		Request:       q,
	}, nil
}

// element makes tebeka's element of ours, without a round trip.
func (c *client) element(e Element) (selenium.WebElement, error) {
	b, err := json.Marshal(map[string]Element{"value": e})
	if err != nil {
		return nil, err
	}
	return c.wd.DecodeElement(b)
}
