package link

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"iemesh/api"
)

// Limits of one transfer; how long an operation takes is not among them.
const (
	bodyTime   = 60 * time.Second // to send us a call
	answerTime = 60 * time.Second // to take an answer
)

// Options of [NewHandler].
type Options struct {
	Tokens *Tokens     // who may call; nil = anyone, as the gateway "local": for loopback only
	Hosts  []string    // names of this machine beside the loopback ones; a request must name one
	TLS    *tls.Config // what the listener serves with, nil for none; its certificate's names count as Hosts

	// Report, if set, is told of every operation that failed for a hidden
	// cause, which does not travel: it belongs in this process's log. Calls
	// come from several goroutines.
	Report func(*api.Call, *api.Error)
}

type server struct {
	Options
	worker   api.Worker
	instance string
	gate     http.Handler

	mu        sync.Mutex
	running   map[string]*execution
	cancelled tombstones
}

// execution is one operation that runs, however many requests wait for it.
type execution struct {
	of     identity
	cancel context.CancelFunc
	done   chan struct{} // closed when the outcome stands in what follows
	reply  *api.Reply
	err    *api.Error
}

// identity is what a repeat must have in common with the first call.
type identity struct {
	gateway, principal, operation, session, page, input string
}

// NewHandler serves w under /v1/. Operations run under a context of their own,
// which ends with a DELETE or a second after the call's time limit. Which
// outcomes are kept is the worker's affair: a repeat that comes after the end
// is handed to it again, and one that comes after a DELETE under an ended
// context. Make the handler once per process: it is the instance.
//
// The handler limits the time of each transfer itself; the http.Server around
// it may limit headers and idle connections, but must not set WriteTimeout.
func NewHandler(w api.Worker, opts Options) http.Handler {
	return newServer(w, opts)
}

func newServer(w api.Worker, opts Options) *server {
	s := &server{Options: opts, worker: w, instance: rand.Text(), running: map[string]*execution{}}
	s.gate = refuseBrowsers(opts.Hosts, opts.TLS, http.HandlerFunc(s.serve))
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(InstanceHeader, s.instance)
	s.gate.ServeHTTP(w, r)
}

func (s *server) serve(w http.ResponseWriter, r *http.Request) {
	gateway, ok := s.gateway(r)
	if !ok {
		w.Header().Set("WWW-Authenticate", "Bearer")
		refuse(w, http.StatusUnauthorized, "", "The worker needs a token that it knows.")
		return
	}
	id, ok := strings.CutPrefix(r.URL.EscapedPath(), operationsPath)
	if !ok || strings.Contains(id, "/") {
		write(w, http.StatusNotFound, answer{Error: api.Errorf(api.InvalidArgument, "There is nothing at this path.")})
		return
	}
	switch r.Method {
	case http.MethodPut:
		s.put(w, r, gateway, id)
	case http.MethodDelete:
		if err := checkID(id); err != nil {
			writeError(w, id, err)
			return
		}
		s.cancel(gateway, id)
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Allow", "PUT, DELETE")
		write(w, http.StatusMethodNotAllowed, answer{Error: api.Errorf(api.InvalidArgument, "An operation takes PUT and DELETE.")})
	}
}

// gateway tells who calls.
func (s *server) gateway(r *http.Request) (string, bool) {
	if s.Tokens == nil {
		return "local", true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	name, ok := s.Tokens.Name(token)
	return name, ok && strings.EqualFold(scheme, "Bearer")
}

func (s *server) put(w http.ResponseWriter, r *http.Request, gateway, id string) {
	call, err := readCall(w, r)
	if err == nil {
		err = checkID(id)
	}
	if err != nil {
		writeError(w, id, err)
		return
	}
	call.ID, call.Caller.Gateway = id, gateway
	if only := r.Header.Get(InstanceHeader); only != "" && only != s.instance {
		err := api.Errorf(api.WorkerUnavailable, "This worker was started anew; nothing was done.")
		err.OperationID, err.Reason = id, "instance"
		write(w, http.StatusPreconditionFailed, answer{Error: err})
		return
	}
	x, err := s.start(call)
	if err != nil {
		writeError(w, id, err)
		return
	}
	select {
	case <-x.done:
	case <-r.Context().Done(): // the connection is lost; the operation goes on
		return
	}
	if x.err != nil {
		writeError(w, id, x.err)
		return
	}
	write(w, http.StatusOK, answer{OperationID: id, Reply: x.reply})
}

func readCall(w http.ResponseWriter, r *http.Request) (*api.Call, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != jsonType {
		return nil, api.Errorf(api.InvalidArgument, "The Content-Type must be %s.", jsonType)
	}
	if r.Header.Get("Content-Encoding") != "" {
		return nil, api.Errorf(api.InvalidArgument, "The body must come without Content-Encoding.")
	}
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(bodyTime)) // where it cannot be set, the server's own limits hold
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		if _, large := errors.AsType[*http.MaxBytesError](err); large {
			return nil, api.Errorf(api.LimitExceeded, "A call may have at most %d bytes.", maxBody)
		}
		return nil, api.Errorf(api.InvalidArgument, "The body could not be read to its end.").Because(err)
	}
	_ = connection.SetReadDeadline(time.Time{})
	return parseCall(body)
}

func parseCall(body []byte) (*api.Call, error) {
	call := &api.Call{}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(call); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
			return nil, api.Errorf(api.InvalidArgument, "%.60s has the wrong type.", wrong.Field).Because(err)
		}
		return nil, api.Errorf(api.InvalidArgument, "The body is not a call in JSON, or it has a field that calls do not have.").Because(err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, api.Errorf(api.InvalidArgument, "The body has something after the call.")
	}
	if call.Operation == "" {
		return nil, api.Errorf(api.InvalidArgument, "operation is required.")
	}
	if call.Caller.Principal == "" {
		return nil, api.Errorf(api.InvalidArgument, "caller.principal is required.")
	}
	least, most := api.MinTimeout.Milliseconds(), api.MaxTimeout.Milliseconds()
	if call.TimeoutMs < least || call.TimeoutMs > most {
		return nil, api.Errorf(api.InvalidArgument, "timeoutMs must be from %d to %d.", least, most)
	}
	return call, nil
}

// start begins the operation, or joins the one that runs under its id.
func (s *server) start(call *api.Call) (*execution, error) {
	var input bytes.Buffer
	if len(call.Input) > 0 {
		if err := json.Compact(&input, call.Input); err != nil {
			return nil, api.Errorf(api.InvalidArgument, "input is not valid JSON.").Because(err)
		}
	}
	of := identity{call.Caller.Gateway, call.Caller.Principal, call.Operation, call.SessionID, call.PageID, input.String()}

	s.mu.Lock()
	defer s.mu.Unlock()
	if x := s.running[call.ID]; x != nil {
		if x.of != of {
			return nil, api.Errorf(api.InvalidArgument, "Another operation has this id.")
		}
		return x, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), call.Timeout()+grace)
	if s.cancelled.has(grave{call.Caller.Gateway, call.ID}) {
		cancel()
	}
	x := &execution{of: of, cancel: cancel, done: make(chan struct{})}
	s.running[call.ID] = x
	go s.run(ctx, call, x)
	return x, nil
}

func (s *server) run(ctx context.Context, call *api.Call, x *execution) {
	defer x.cancel()
	reply, err := s.do(ctx, call)
	if err == nil && reply == nil {
		err = errors.New("the worker gave neither a reply nor an error")
	}
	if err != nil {
		x.err = api.AsError(err)
		if s.Report != nil && x.err.Cause != nil {
			s.Report(call, x.err)
		}
	}
	x.reply = reply

	s.mu.Lock()
	delete(s.running, call.ID)
	s.mu.Unlock()
	close(x.done)
}

func (s *server) do(ctx context.Context, call *api.Call) (reply *api.Reply, err error) {
	defer func() {
		if v := recover(); v != nil {
			reply, err = nil, api.Panicked(v)
		}
	}()
	return s.worker.Do(ctx, call)
}

// cancel ends the operation, or sees to it that it never begins, now or when it
// is asked for again. The request of another gateway changes nothing.
func (s *server) cancel(gateway, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancelled.add(grave{gateway, id})
	if x := s.running[id]; x != nil && x.of.gateway == gateway {
		x.cancel()
	}
}

func writeError(w http.ResponseWriter, id string, err error) {
	e := *api.AsError(err)
	e.OperationID = id
	write(w, e.Code.HTTPStatus(), answer{Error: &e})
}

func write(w http.ResponseWriter, status int, a answer) {
	body, err := json.Marshal(a)
	if err != nil {
		e := api.Errorf(api.InternalError, "The result could not be encoded.")
		e.OperationID = a.OperationID
		body, _ = json.Marshal(answer{Error: e}) // plain strings
		status = e.Code.HTTPStatus()
	}
	h := w.Header()
	h.Set("Content-Type", jsonType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	connection := http.NewResponseController(w)
	_ = connection.SetWriteDeadline(time.Now().Add(answerTime))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that is gone asks again
	_ = connection.Flush()
	_ = connection.SetWriteDeadline(time.Time{}) // it would outlive this answer
}
