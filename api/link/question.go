package link

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"iemesh/api"
)

const (
	firstPause = 50 * time.Millisecond // between two attempts, doubled up to
	lastPause  = time.Second

	// brief is how long a worker is looked for that has not been reached.
	brief = 2 * time.Second

	// silence is how long an attempt waits for an answer before it is made
	// again over another connection, which joins the running operation: TCP
	// does not notice for minutes that what it sent is not acknowledged.
	silence = 10 * time.Second

	// perByte is added to silence for each byte of the call: 128 KB/s.
	perByte = 8 * time.Microsecond
)

// nobody is no instance: the condition that every worker refuses, and answers
// with its own.
const nobody = "?"

var (
	errSilent  = errors.New("no answer yet")
	errForeign = errors.New("what answers is not a worker")
	errLarge   = errors.New("the answer is larger than any that a worker gives")
	errAnew    = errors.New("the worker is not the process that was known")
)

// question is one operation to be asked for until it is answered.
type question struct {
	c        *Client
	caller   context.Context // its end begins nothing any more
	call     api.Call
	acts     bool // it must not run twice
	start    time.Time
	deadline time.Time

	only string // the instance that may carry it out; "" = any, for what does not act

	touched atomic.Bool // a connection was there: the worker may know of it
	// After ask:
	sent     bool // an attempt whose fate is not known may have begun the operation
	answered bool // the worker that was asked has told the outcome
}

func (c *Client) question(ctx context.Context, call *api.Call) *question {
	entry, err := api.Lookup(call.Operation)
	q := &question{c: c, caller: ctx, call: *call, acts: err != nil || entry.Effect == api.Act, start: time.Now()}
	q.deadline = q.start.Add(min(max(call.Timeout(), api.MinTimeout), api.MaxTimeout))
	if d, ok := ctx.Deadline(); ok && d.Before(q.deadline) {
		q.deadline = d
	}
	return q
}

// ask repeats attempts until one is answered, or none can be any more.
func (q *question) ask(ctx context.Context) (*api.Reply, error) {
	pause := firstPause
	for told := false; ; {
		reply, err := q.attempt(ctx)
		if q.answered {
			return reply, err
		}
		var certificate *tls.CertificateVerificationError
		switch {
		case errors.As(err, &certificate) && !q.sent:
			e := api.Errorf(api.WorkerUnavailable, "The worker's certificate is not to be trusted, so nothing was sent. The operator has to look at --worker-ca.").Because(err)
			e.Reason = "certificate"
			return nil, e
		case errors.Is(err, errAnew) && !q.sent && q.caller.Err() != nil:
			return nil, ended(q.caller)
		case errors.Is(err, errAnew) && !q.sent && !told:
			told = true
			continue
		case errors.Is(err, errAnew) && q.sent, refused(err):
			return nil, q.unanswered(err)
		}
		if errors.Is(err, errSilent) {
			pause = 0
			q.c.transport.CloseIdleConnections() // they may be as dead as this one
		}
		if time.Now().Add(pause).After(q.until()) || !rest(ctx, pause) {
			return nil, q.unanswered(err)
		}
		pause = min(max(2*pause, firstPause), lastPause)
	}
}

// refused tells whether a worker declined to look at the call.
func refused(err error) bool {
	e, ok := errors.AsType[*api.Error](err)
	return ok && e.Code == api.Unauthorized
}

// until is when asking ends.
func (q *question) until() time.Time {
	if q.sent {
		return q.deadline.Add(grace)
	}
	if soon := q.start.Add(brief); soon.Before(q.deadline) {
		return soon
	}
	return q.deadline
}

func (q *question) unanswered(err error) error {
	switch {
	case q.sent && q.acts:
		return outcomeUnknown(err)
	case refused(err):
		return err
	}
	return unavailable(err)
}

func unavailable(cause error) error {
	return api.Errorf(api.WorkerUnavailable, "No worker can be reached; nothing was done. Try again later; if it lasts, the operator has to look at the worker.").Because(cause)
}

// rest tells whether the pause was over before ctx.
func rest(ctx context.Context, pause time.Duration) bool {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// attempt asks once. It sets answered when the outcome is told, and sent when
// it cannot tell whether the worker began.
func (q *question) attempt(ctx context.Context) (*api.Reply, error) {
	body, err := q.body()
	if err != nil {
		q.answered = true
		return nil, err
	}
	if q.acts && !q.sent { // once sent, no other process will do
		if q.only = q.c.instance.Load().(string); q.only == "" {
			q.only = nobody
		}
	}
	var connected atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		connected.Store(true)
		q.touched.Store(true)
	}})
	reply, err := q.exchange(ctx, body)
	if e, ok := errors.AsType[*api.Error](err); err == nil || ok && e.Code != api.Unauthorized {
		q.answered = true
		return reply, err
	}
	switch {
	case !connected.Load(), errors.Is(err, errAnew), refused(err), q.only == nobody:
		// nothing began
	case q.acts, !errors.Is(err, errForeign):
		q.sent = true
	}
	return nil, err
}

// body is the call with the time that is left of it.
func (q *question) body() ([]byte, error) {
	call := q.call
	if given := call.Timeout(); given >= api.MinTimeout && given <= api.MaxTimeout {
		call.TimeoutMs = max(time.Until(q.deadline), api.MinTimeout).Milliseconds()
	}
	body, err := json.Marshal(call)
	if err != nil {
		return nil, api.Errorf(api.InvalidArgument, "The input is not valid JSON.").Because(err)
	}
	if len(body) > maxBody {
		return nil, api.Errorf(api.LimitExceeded, "A call may have at most %d bytes.", maxBody)
	}
	return body, nil
}

// exchange is one PUT and its answer: a reply, the worker's error, or what kept
// it from being answered.
func (q *question) exchange(ctx context.Context, body []byte) (*api.Reply, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	patience := q.c.silence + time.Duration(len(body))*perByte
	timer := time.AfterFunc(patience, func() { stop(errSilent) })
	defer timer.Stop()

	res, err := q.c.send(ctx, http.MethodPut, operationsPath+q.call.ID, body, q.only)
	if err != nil {
		return nil, broken(ctx, err)
	}
	defer res.Body.Close()
	who := res.Header.Get(InstanceHeader)
	if kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type")); err != nil || kind != jsonType || who == "" {
		return nil, fmt.Errorf("%w: HTTP status %d", errForeign, res.StatusCode)
	}
	q.c.instance.Store(who)
	text, err := io.ReadAll(&watched{io.LimitReader(res.Body, q.c.most+1), timer, patience})
	switch {
	case err != nil:
		return nil, broken(ctx, err)
	case int64(len(text)) > q.c.most:
		q.answered = true
		if err = errLarge; q.acts {
			return nil, outcomeUnknown(err)
		}
		return nil, unavailable(err)
	}
	return q.read(res.StatusCode, text)
}

func (q *question) read(status int, text []byte) (*api.Reply, error) {
	var a answer
	if err := json.NewDecoder(bytes.NewReader(text)).Decode(&a); err != nil {
		return nil, fmt.Errorf("%w: HTTP status %d: %w", errForeign, status, err)
	}
	switch {
	case status == http.StatusPreconditionFailed:
		return nil, errAnew
	case status == http.StatusUnauthorized:
		return nil, unauthorized()
	case a.Error != nil && a.Error.Code != "":
		return nil, a.Error
	case status == http.StatusOK && a.OperationID == q.call.ID && a.Reply != nil && a.Result != nil:
		return a.Reply, nil
	}
	return nil, fmt.Errorf("%w: HTTP status %d", errForeign, status)
}

// broken names silence as the cause where it is one.
func broken(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errSilent) {
		return errSilent
	}
	return err
}

// watched puts silence off whenever something comes.
type watched struct {
	io.Reader
	timer    *time.Timer
	patience time.Duration
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if n > 0 {
		w.timer.Reset(w.patience)
	}
	return n, err
}
