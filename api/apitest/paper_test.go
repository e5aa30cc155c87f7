package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"iemesh/api"
	"iemesh/api/link"
)

// The suite is tested against a worker whose browser is made of paper: it knows
// two pages by heart and really submits one form.

func TestRunInProcess(t *testing.T) {
	Run(t, func(*testing.T) api.Worker { return newPaper() }, paperApp(t))
}

func TestRunOverHTTP(t *testing.T) {
	open := func(t *testing.T) api.Worker {
		h := httptest.NewServer(link.NewHandler(newPaper(), link.Options{}))
		t.Cleanup(h.Close)
		c, err := link.NewClient(link.ClientOptions{URL: h.URL})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	Run(t, open, paperApp(t))
}

func paperApp(t *testing.T) string {
	var mu sync.Mutex
	counts := map[string]int{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /register", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		counts[r.FormValue("token")]++
	})
	mux.HandleFunc("GET /register/count", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(w, counts[r.FormValue("token")])
	})
	h := httptest.NewServer(mux)
	t.Cleanup(h.Close)
	return h.URL
}

type paper struct {
	mu       sync.Mutex
	sessions map[string]*session
	ledger   map[string]*entry
}

// session is a browser of one window.
type session struct {
	api.SessionRef
	owner         api.Caller
	lane          chan struct{} // whoever has put something in has the turn
	closing       chan struct{}
	url           string
	name          string // in the form's field
	branch        int
	closedAlready sync.Once
}

type entry struct {
	call  api.Call
	done  chan struct{}
	reply *api.Reply
	err   error
}

func newPaper() *paper { return &paper{sessions: map[string]*session{}, ledger: map[string]*entry{}} }

func (p *paper) Do(ctx context.Context, call *api.Call) (*api.Reply, error) {
	op, err := api.Lookup(call.Operation)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	e, known := p.ledger[call.ID]
	if !known {
		e = &entry{call: *call, done: make(chan struct{})}
		if op.Effect == api.Act {
			p.ledger[call.ID] = e
		}
	}
	p.mu.Unlock()
	if known {
		a, b := e.call, *call
		if a.Operation != b.Operation || a.SessionID != b.SessionID || a.PageID != b.PageID || a.Caller != b.Caller || !bytes.Equal(a.Input, b.Input) {
			return nil, api.Errorf(api.InvalidArgument, "Another operation has this id.")
		}
		<-e.done
		return e.reply, e.err
	}
	defer close(e.done)
	limited, cancel := context.WithTimeoutCause(ctx, call.Timeout(), api.Errorf(api.Timeout, "Not in time."))
	defer cancel()
	var result any
	var blobs []api.Blob
	if result, blobs, e.err = p.perform(limited, op, call); e.err != nil {
		return nil, e.err
	}
	e.reply = &api.Reply{Blobs: blobs}
	if e.reply.Result, e.err = json.Marshal(result); op.Scope == api.Page {
		e.reply.Origin = call.Policy.Origins[0]
	}
	return e.reply, e.err
}

func over(ctx context.Context) error {
	if e, ok := context.Cause(ctx).(*api.Error); ok {
		return e
	}
	return api.Errorf(api.Cancelled, "Cancelled.")
}

func (p *paper) perform(ctx context.Context, op *api.Entry, call *api.Call) (any, []api.Blob, error) {
	if op.Scope == api.None {
		if err := op.Check(call.Input); err != nil {
			return nil, nil, err
		}
		if ctx.Err() != nil {
			return nil, nil, over(ctx)
		}
		result, err := p.atLarge(op, call)
		return result, nil, err
	}
	p.mu.Lock()
	s := p.sessions[call.SessionID]
	p.mu.Unlock()
	if s == nil || s.owner != call.Caller {
		return nil, nil, api.Errorf(api.SessionNotFound, "There is no session %s.", call.SessionID)
	}
	if err := op.Check(call.Input); err != nil {
		return nil, nil, err
	}
	if op.Scope == api.Page && call.PageID != s.PageID {
		return nil, nil, api.Errorf(api.PageNotFound, "There is no such page.")
	}
	if op.Lane == api.Queued {
		select {
		case s.lane <- struct{}{}:
			defer func() { <-s.lane }()
		case <-ctx.Done():
		case <-s.closing:
		}
	}
	select {
	case <-s.closing:
		return nil, nil, api.Errorf(api.SessionClosing, "The session is being closed.")
	case <-ctx.Done():
		return nil, nil, over(ctx)
	default:
	}
	return p.inSession(ctx, s, op, call)
}

func (p *paper) atLarge(op *api.Entry, call *api.Call) (any, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if op.Name == api.SessionsList.Name {
		list := api.SessionList{Sessions: []api.SessionInfo{}}
		for _, s := range p.sessions {
			if s.owner == call.Caller {
				list.Sessions = append(list.Sessions, api.SessionInfo{SessionRef: s.SessionRef, State: api.Ready})
			}
		}
		return list, nil
	}
	var in api.EnsureInput
	_ = json.Unmarshal(call.Input, &in)
	if s := p.sessions[in.SessionID]; s != nil && s.owner == call.Caller {
		return api.EnsureResult{SessionRef: s.SessionRef, Reused: true}, nil
	}
	s := &session{
		SessionRef: api.SessionRef{SessionID: api.NewID(), PageID: api.NewID(), Engine: "paper"},
		owner:      call.Caller, lane: make(chan struct{}, 1), closing: make(chan struct{}),
	}
	p.sessions[s.SessionID] = s
	return api.EnsureResult{SessionRef: s.SessionRef}, nil
}

func (p *paper) inSession(ctx context.Context, s *session, op *api.Entry, call *api.Call) (any, []api.Blob, error) {
	var in struct {
		URL, Text, By string
		Value         any
		Type          api.Condition
		Target        api.Locator
		Clear         *bool
	}
	_ = json.Unmarshal(call.Input, &in)
	title := "顧客検索"
	state := api.PageState{URL: s.url, Title: &title}
	missing := func() error {
		<-ctx.Done()
		err := over(ctx).(*api.Error)
		if err.Code == api.Timeout {
			err = api.Errorf(api.ElementNotFound, "Element was not found: %s", in.Target)
			err.Selector = &in.Target
		}
		return err
	}
	switch op.Name {
	case api.SessionClose.Name:
		s.closedAlready.Do(func() { close(s.closing) })
		p.mu.Lock()
		delete(p.sessions, s.SessionID)
		p.mu.Unlock()
		return api.Empty{}, nil, nil
	case api.SessionGet.Name, api.SessionRenew.Name:
		return api.SessionInfo{SessionRef: s.SessionRef, State: api.Ready}, nil, nil
	case api.PagesList.Name:
		return api.PageList{Pages: []api.Window{{PageID: s.PageID}}}, nil, nil
	case api.PageFind.Name:
		return api.PageFindResult{PageID: s.PageID, WindowCount: 1}, nil, nil
	case api.HandleDialog.Name:
		return nil, nil, api.Errorf(api.NoDialog, "No dialog is open.")
	case api.Navigate.Name:
		s.url, s.name, s.branch, state.URL = in.URL, "", 0, in.URL
	case api.Fill.Name:
		if in.Clear == nil || *in.Clear {
			s.name = ""
		}
		s.name += in.Text
		return api.FillResult{PageState: state, Method: api.Keys}, nil, nil
	case api.SelectOption.Name:
		s.branch = 1
		return api.SelectResult{Text: "東京支店", Value: "13", Index: 1}, nil, nil
	case api.Inspect.Name:
		list := []api.Element{{Tag: "input", ID: "customerName", Value: s.name}, {Tag: "button", ID: "searchButton"},
			{Tag: "select", ID: "branch", Text: []string{"本店", "東京支店"}[s.branch], OptionCount: new(2)}}
		return api.InspectResult{URL: s.url, Elements: list, TotalElements: len(list)}, nil, nil
	case api.Wait.Name:
		if in.Type == api.Present {
			select {
			case <-s.closing:
				return nil, nil, api.Errorf(api.SessionClosing, "The session is being closed.")
			case <-ctx.Done():
				return nil, nil, over(ctx)
			}
		}
		return api.WaitResult{Type: in.Type}, nil, nil
	case api.Screenshot.Name:
		var b bytes.Buffer
		_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2)))
		blob := api.Blob{MediaType: "image/png", Data: b.Bytes()}
		return api.ScreenshotResult{MimeType: "image/png", Width: 3, Height: 2, Bytes: b.Len()}, []api.Blob{blob}, nil
	case api.Click.Name:
		switch {
		case in.Target.Value == "searchButton":
			s.url += "/search"
		case in.Target.Value == "registerButton" && strings.Contains(s.url, "token="):
			u, _ := url.Parse(s.url)
			res, err := http.PostForm("http://"+u.Host+"/register", url.Values{"token": u.Query()["token"]})
			if err != nil {
				return nil, nil, err
			}
			res.Body.Close()
			s.url = "done"
		default:
			return nil, nil, missing()
		}
	}
	return state, nil, nil
}
