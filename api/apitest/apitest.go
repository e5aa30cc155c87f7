// Package apitest is the suite that every [api.Worker] must pass, wherever it
// runs: in the same process, behind HTTP, among others in a fleet.
package apitest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"iemesh/api"
)

const (
	owner    = "alice"
	stranger = "mallory"

	usual   = 20 * time.Second // the time limit of a call that should just work
	release = 400 * time.Millisecond
	slack   = 400 * time.Millisecond // for the machine and the network
)

// Run tests the worker that open gives; open also sees to its end. The worker
// must be able to hold one session. app is the base URL of the legacy
// application ("http://127.0.0.1:1234"), which the worker's browsers can reach,
// with its pages /customer and /register. At most two sessions are alive at a
// time, three are started in all.
func Run(t *testing.T, open func(t *testing.T) api.Worker, app string) {
	s := &suite{worker: open(t), app: strings.TrimSuffix(app, "/")}
	t.Run("unknown names", s.unknownNames)

	ref := s.create(t)
	s.session, s.page = ref.SessionID, ref.PageID
	for _, test := range []struct {
		name string
		run  func(*testing.T)
	}{
		{"bad input", s.badInput},
		{"unknown page", s.unknownPage},
		{"a session of somebody else", s.foreignSession},
		{"list, get, renew", s.listed},
		{"round trip", s.roundTrip},
		{"same id one after the other", s.repeated},
		{"same id at once", s.repeatedAtOnce},
		{"cancelled before", s.cancelledBefore},
		{"cancelled while queued", s.cancelledInQueue},
		{"cancelled while it waits", s.cancelledWaiting},
		{"deadline while queued", s.deadlineInQueue},
		{"order of the queue", s.order},
		{"close overtakes", s.closeOvertakes},
		{"closed", s.closed},
		{"ensure", s.ensure},
	} {
		if !t.Run(test.name, test.run) && s.lost(t) {
			t.Fatal("the session is lost")
		}
	}
}

type suite struct {
	worker        api.Worker
	app           string
	session, page string
}

// lost tells whether a failed test took the session along that the next ones need.
func (s *suite) lost(t *testing.T) bool {
	if s.session == "" {
		return false
	}
	info, _, err := api.Do(t.Context(), s.worker, api.SessionGet, s.call(usual), api.Empty{})
	return err != nil || info.State != api.Ready
}

// call is a call of the owner for the session and its first page.
func (s *suite) call(limit time.Duration) api.Call {
	return api.Call{
		SessionID: s.session, PageID: s.page, TimeoutMs: limit.Milliseconds(),
		Caller: api.Caller{Gateway: "local", Principal: owner}, Policy: api.Policy{Origins: []string{s.app}},
	}
}

// free is a call of somebody that names no session.
func (s *suite) free(principal string) api.Call {
	call := s.call(time.Minute)
	call.SessionID, call.PageID, call.Caller.Principal = "", "", principal
	return call
}

func (s *suite) create(t *testing.T) api.SessionRef {
	t.Helper()
	ref, _ := must(t, s.worker, api.SessionCreate, s.free(owner), api.Empty{})
	if ref.SessionID == "" || ref.PageID == "" || ref.Engine == "" {
		t.Fatalf("session_create: %+v", ref)
	}
	t.Cleanup(func() { s.close(ref.SessionID, owner) })
	return ref
}

// close ends a session that may have ended already.
func (s *suite) close(session, principal string) {
	call := s.free(principal)
	call.SessionID = session
	_, _, _ = api.Do(context.Background(), s.worker, api.SessionClose, call, api.Empty{})
}

func must[In, Out any](t *testing.T, w api.Worker, op *api.Operation[In, Out], call api.Call, in In) (Out, *api.Reply) {
	t.Helper()
	out, reply, err := api.Do(t.Context(), w, op, call, in)
	if err != nil {
		t.Fatalf("%s: %v", op.Name, describe(err))
	}
	return out, reply
}

func describe(err error) string {
	if cause := errors.Unwrap(err); cause != nil {
		return fmt.Sprintf("%v (%v)", err, cause)
	}
	return err.Error()
}

func wantCode(t *testing.T, what string, err error, codes ...api.Code) *api.Error {
	t.Helper()
	e, ok := errors.AsType[*api.Error](err)
	if !ok {
		t.Errorf("%s: got %v, want %v", what, err, codes)
		return &api.Error{}
	}
	for _, code := range codes {
		if e.Code == code {
			return e
		}
	}
	t.Errorf("%s: got %s, want %v", what, describe(e), codes)
	return e
}

// raw makes a call of an operation by name, with the input as it stands.
func raw(call api.Call, operation, input string) *api.Call {
	call.ID, call.Operation, call.Input = api.NewID(), operation, json.RawMessage(input)
	return &call
}

// register brings the page to a form whose submissions are counted.
func (s *suite) register(t *testing.T) (token string) {
	t.Helper()
	token = api.NewID()
	must(t, s.worker, api.Navigate, s.call(usual), api.NavigateInput{URL: s.app + "/register?confirm=no&token=" + token})
	return token
}

// wantRegistered compares the number of submissions, after everything that was
// queued has passed.
func (s *suite) wantRegistered(t *testing.T, token, want string) {
	t.Helper()
	must(t, s.worker, api.Wait, s.call(usual), api.WaitInput{Type: api.PageLoaded})
	if got := s.registered(t, token); got != want {
		t.Errorf("registered %s times, want %s", got, want)
	}
}

func (s *suite) registered(t *testing.T, token string) string {
	t.Helper()
	res, err := http.Get(s.app + "/register/count?token=" + url.QueryEscape(token))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// outcome is what a call in the background came to.
type outcome struct {
	reply *api.Reply
	err   error
	at    time.Time
}

func (s *suite) begin(ctx context.Context, call *api.Call) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		reply, err := s.worker.Do(ctx, call)
		done <- outcome{reply, err, time.Now()}
	}()
	return done
}

// occupy keeps the session busy until the returned function is called.
func (s *suite) occupy(t *testing.T) (free func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	done := s.begin(ctx, s.endless())
	s.untilBusy(t)
	return func() {
		cancel()
		<-done
	}
}

// untilBusy waits until a call that was begun holds the session.
func (s *suite) untilBusy(t *testing.T) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(usual); !s.busy(); <-tick.C {
		if time.Now().After(end) {
			t.Fatal("a wait does not keep the session busy")
		}
	}
}

// endless waits for what never comes.
func (s *suite) endless() *api.Call {
	return raw(s.call(time.Minute), api.Wait.Name, `{"type":"present","target":{"by":"id","value":"never"}}`)
}

// busy tells whether calls wait: one that needs no time does not pass within
// the shortest limit. When it returns, whatever was begun before it is queued.
func (s *suite) busy() bool {
	_, err := s.worker.Do(context.Background(), raw(s.call(api.MinTimeout), api.PagesList.Name, `{}`))
	return err != nil && api.AsError(err).Code == api.Timeout
}
