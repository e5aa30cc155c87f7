package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"iemesh/api"
)

// Sessions of a living connection are renewed, and those of no other.
func TestRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		s := newServer(t, Options{Worker: f, IdleTimeout: 15 * time.Minute})
		fromClient, toServer := io.Pipe()
		fromServer, toClient := io.Pipe()
		served := make(chan error, 1)
		go func() { served <- s.ServeStdio(t.Context(), fromClient, toClient) }()
		cs := connect(t, &mcp.IOTransport{Reader: fromServer, Writer: toServer}, legacy, nil)
		must(t, cs, "browser_start", nil)

		// A caller without a connection, and one whose MCP session is over.
		s.callers.of(callerKey{"alice", ""}).hold(ref("free"), "", nil)
		over := s.callers.begin(callerKey{"bob", "s1"})
		over.hold(ref("over"), "", nil)
		s.callers.end(over)

		time.Sleep(16 * time.Minute)
		synctest.Wait()
		if n := f.count("session_renew"); n != 3 {
			t.Errorf("%d renewals in 16 minutes", n)
		}
		for _, c := range f.calls {
			if c.Operation == "session_renew" && (c.SessionID != "session1" || c.Tool != "" || c.Caller.Principal != "local") {
				t.Errorf("renewed %+v", c)
			}
		}

		// What was left is not adopted after its time.
		if o := s.callers.adopt("bob"); o != nil {
			t.Errorf("%s is adopted after the idle time-out", o.id)
		}

		_ = cs.Close()
		if err := <-served; err != nil {
			t.Errorf("ServeStdio returned %v", err)
		}
		time.Sleep(16 * time.Minute)
		synctest.Wait()
		if n := f.count("session_renew"); n != 3 {
			t.Errorf("%d renewals after the end", n)
		}
	})
}

// A lost session is not renewed for ever, and its caller still learns why.
func TestRenewalOfTheLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for code, then := range map[api.Code]api.Code{
			api.SessionNotFound: api.BrowserNotStarted, api.DriverLost: api.DriverLost,
		} {
			f := newFake()
			f.before = func(_ context.Context, call *api.Call) error {
				if call.Operation == "session_ensure" {
					return nil
				}
				return api.Errorf(code, "It is gone.")
			}
			s := newServer(t, Options{Worker: f, IdleTimeout: 15 * time.Minute})
			c := s.callers.begin(callerKey{"local", ""})
			cs := inMemory(t, s, legacy)
			must(t, cs, "browser_start", nil)
			time.Sleep(16 * time.Minute)
			synctest.Wait()
			if n := f.count("session_renew"); n != 1 {
				t.Errorf("%s: %d renewals", code, n)
			}
			refused(t, cs, "screenshot", nil, then)
			refused(t, cs, "screenshot", nil, api.BrowserNotStarted)
			s.callers.end(c)
		}
	})
}

func TestAdoption(t *testing.T) {
	b := newCallers(t.Context(), time.Hour)
	first := b.begin(callerKey{"alice", "1"})
	first.hold(ref("a"), "", nil)
	first.visit("a", "a-page1")
	first.hold(ref("b"), "", nil)
	second := b.begin(callerKey{"alice", "2"})
	second.hold(ref("b"), "", nil) // asked for by name
	if left := b.end(first); !slices.Equal(left, []string{"a"}) {
		t.Errorf("left are %v", left)
	}
	if b.adopt("bob") != nil {
		t.Error("bob adopts a session of alice")
	}
	o := b.adopt("alice")
	if o == nil || o.id != "a" || o.page != "a-page1" {
		t.Fatalf("adopted %+v", o)
	}
	if b.adopt("alice") != nil {
		t.Error("a session is adopted twice")
	}
	b.putBack("alice", o)
	if o := b.adopt("alice"); o == nil || second.hold(ref("a"), "a", o) != "a-page1" {
		t.Error("the current page is lost")
	}

	// A browser that started for a caller who has left meanwhile is left, too.
	b.end(second)
	for b.adopt("alice") != nil {
	}
	second.hold(ref("late"), "", nil)
	if o := b.adopt("alice"); o == nil || o.id != "late" {
		t.Error("a late session is lost")
	}
	if c := b.of(callerKey{"alice", "2"}); !c.ended || len(b.live) != 0 {
		t.Error("a caller lives on after its MCP session")
	}
}

func TestAdoptionPassesOverWhatIsGone(t *testing.T) {
	f := newFake()
	f.before = func(_ context.Context, call *api.Call) error {
		if in := (api.EnsureInput{}); call.Operation == "session_ensure" {
			_ = json.Unmarshal(call.Input, &in)
			if in.SessionID != "living" {
				return api.Errorf(api.LimitExceeded, "All 1 browser sessions are in use.")
			}
		}
		return nil
	}
	f.sessions["living"] = "local"
	s := newServer(t, Options{Worker: f})
	for _, id := range []string{"living", "gone"} {
		c := s.callers.begin(callerKey{"local", id})
		c.hold(ref(id), "", nil)
		s.callers.end(c)
	}
	cs := inMemory(t, s, legacy)
	if got := must(t, cs, "browser_start", nil); got["sessionId"] != "living" {
		t.Errorf("got %v", got)
	}
	if n := f.count("session_ensure"); n != 1 {
		t.Errorf("asked %d times", n)
	}

	// One that cannot be asked for is not lost.
	c := s.callers.begin(callerKey{"local", "other"})
	c.hold(ref("waiting"), "", nil)
	s.callers.end(c)
	f.before = func(context.Context, *api.Call) error { return api.Errorf(api.WorkerUnavailable, "No worker.") }
	refused(t, inMemory(t, s, legacy), "browser_start", nil, api.WorkerUnavailable)
	if o := s.callers.adopt("local"); o == nil || o.id != "waiting" {
		t.Errorf("left is %+v", o)
	}
}

func TestSeenIsBounded(t *testing.T) {
	c := newCallers(t.Context(), time.Hour).of(callerKey{"alice", ""})
	for i := range 2 * maxSeen {
		c.visit("a", fmt.Sprint(i))
	}
	if _, s := c.find("a"); len(s.seen) != maxSeen || s.seen[maxSeen-1] != fmt.Sprint(2*maxSeen-1) {
		t.Errorf("%d pages are remembered", len(s.seen))
	}
}

func TestSequence(t *testing.T) {
	s := &sequence{}
	first, second, third := s.join(false), s.join(false), s.join(false)
	if !came(first) || came(second) {
		t.Fatal("not one at a time")
	}
	second.leave() // before its turn
	second.leave()
	over := s.join(true)
	if !came(over) {
		t.Fatal("it does not overtake")
	}
	first.leave()
	if came(third) {
		t.Fatal("it does not wait for what overtook")
	}
	over.leave()
	if !came(third) {
		t.Fatal("its turn never comes")
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if third.wait(cancelled) == nil {
		t.Error("a cancelled call acts")
	}
	third.leave()
	third.leave()
	if !s.idle() {
		t.Error("the sequence is not idle")
	}
}

func came(t *turn) bool {
	select {
	case <-t.came:
		return true
	default:
		return false
	}
}

func TestPlacesLeaveNothing(t *testing.T) {
	tools, err := toolsOf([]string{"ie"})
	if err != nil {
		t.Fatal(err)
	}
	c := newCallers(t.Context(), time.Hour).of(callerKey{"alice", ""})
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			p := c.join(tools[i%len(tools)], fmt.Sprintf("s%d", i%3))
			_ = p.wait(t.Context())
			p.leave()
		})
	}
	all.Wait()
	if len(c.named) != 0 || c.starts != 0 || !c.main.idle() {
		t.Errorf("%d sequences and %d starts are left", len(c.named), c.starts)
	}
}
