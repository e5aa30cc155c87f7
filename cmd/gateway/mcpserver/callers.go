package mcpserver

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"iemesh/api"
)

// callers is what the façade remembers of everyone who calls: which browser
// session is whose own, and where in it they are.
type callers struct {
	base context.Context // of them all
	idle time.Duration   // a worker closes sessions unused for this long

	mu      sync.Mutex
	live    map[callerKey]*caller
	orphans map[string][]*orphan // by principal
}

// callerKey names a caller. The MCP session is "" where the protocol has none.
type callerKey struct{ principal, session string }

// caller is one of them. Its fields are guarded by callers.mu.
type caller struct {
	book *callers
	key  callerKey
	over context.Context         // ends with the connection or the server, at once for all calls
	cut  context.CancelCauseFunc // ends it

	connected bool // it lives as long as a connection, which keeps its sessions from idling out
	ended     bool
	own       string // id of its own session, "" = none
	sessions  map[string]*browser
	starts    int // browser_start calls that have not ended
	main      sequence
	named     map[string]*sequence // of sessions other than its own
}

// browser is a browser session as one caller sees it.
type browser struct {
	held bool     // started or adopted by this caller
	page string   // the current page
	seen []string // pages already switched to, the latest last
	used time.Time
}

// orphan is a session whose MCP session is over.
type orphan struct {
	id string
	browser
	until time.Time
}

// maxSeen bounds the memory for a session that opens windows without end.
const maxSeen = 256

func newCallers(base context.Context, idle time.Duration) *callers {
	return &callers{base: base, idle: idle, live: map[callerKey]*caller{}, orphans: map[string][]*orphan{}}
}

func (b *callers) make(key callerKey) *caller {
	c := &caller{book: b, key: key, sessions: map[string]*browser{}, named: map[string]*sequence{}}
	c.over, c.cut = context.WithCancelCause(b.base)
	return c
}

// begin makes the caller of a new connection.
func (b *callers) begin(key callerKey) *caller {
	c := b.make(key)
	c.connected = true
	b.mu.Lock()
	defer b.mu.Unlock()
	b.live[key] = c
	return c
}

// get finds a caller, or nil.
func (b *callers) get(key callerKey) *caller {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.live[key]
}

// of finds the caller of a call. One without an MCP session is made when it
// first calls; one whose MCP session is over can do nothing any more.
func (b *callers) of(key callerKey) *caller {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.live[key]
	switch {
	case c != nil:
	case key.session == "":
		c = b.make(key)
		b.live[key] = c
	default:
		c = b.make(key)
		c.ended = true
		c.cut(errSessionOver)
	}
	return c
}

// end ends the calls of a caller, forgets it, and leaves its sessions to others
// of its principal. It returns their ids.
func (b *callers) end(c *caller) []string {
	c.cut(errSessionOver)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.live[c.key] == c {
		delete(b.live, c.key)
	}
	c.ended = true
	var left []string
	for id, s := range c.sessions {
		if s.held && !b.heldLocked(c.key.principal, id) {
			left = append(left, id)
			b.orphanLocked(c.key.principal, id, *s)
		}
	}
	return left
}

func (b *callers) heldLocked(principal, id string) bool {
	for key, c := range b.live {
		if s := c.sessions[id]; s != nil && s.held && key.principal == principal {
			return true
		}
	}
	return false
}

func (b *callers) orphanLocked(principal, id string, s browser) {
	o := &orphan{id: id, browser: s, until: time.Now().Add(b.idle)}
	b.orphans[principal] = append(b.orphans[principal], o)
}

// adopt takes the session that an ended MCP session of the principal left last.
func (b *callers) adopt(principal string) *orphan {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sweepLocked(time.Now())
	list := b.orphans[principal]
	if len(list) == 0 {
		return nil
	}
	last := list[len(list)-1]
	b.disownLocked(principal, last.id)
	return last
}

// putBack undoes adopt.
func (b *callers) putBack(principal string, o *orphan) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.orphans[principal] = append(b.orphans[principal], o)
}

func (b *callers) disownLocked(principal, id string) {
	list := slices.DeleteFunc(b.orphans[principal], func(o *orphan) bool { return o.id == id })
	if len(list) == 0 {
		delete(b.orphans, principal)
		return
	}
	b.orphans[principal] = list
}

// sweepLocked drops what workers have closed by now.
func (b *callers) sweepLocked(now time.Time) {
	for principal, list := range b.orphans {
		list = slices.DeleteFunc(list, func(o *orphan) bool { return now.After(o.until) })
		if b.orphans[principal] = list; len(list) == 0 {
			delete(b.orphans, principal)
		}
	}
	for _, c := range b.live {
		maps.DeleteFunc(c.sessions, func(id string, s *browser) bool {
			return !s.held && id != c.own && now.Sub(s.used) > b.idle
		})
	}
}

// held is a session to renew.
type held struct {
	caller *caller
	id     string
}

// toRenew lists the sessions of living connections, and sweeps.
func (b *callers) toRenew() []held {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sweepLocked(time.Now())
	var list []held
	for _, c := range b.live {
		if !c.connected {
			continue
		}
		for id, s := range c.sessions {
			if s.held {
				list = append(list, held{c, id})
			}
		}
	}
	return list
}

// release stops renewing a session; it stays the caller's own, so that the next
// call learns what became of it.
func (c *caller) release(id string) {
	c.book.mu.Lock()
	defer c.book.mu.Unlock()
	if s := c.sessions[id]; s != nil {
		s.held = false
	}
}

// hold makes ref the caller's own session. Former is the session that it
// replaces, or "", and page the current one of an adopted session. It returns
// the current page.
func (c *caller) hold(ref api.SessionRef, former string, adopted *orphan) (page string) {
	b := c.book
	b.mu.Lock()
	defer b.mu.Unlock()
	b.disownLocked(c.key.principal, ref.SessionID)
	if former != ref.SessionID {
		delete(c.sessions, former)
	}
	s := c.sessions[ref.SessionID]
	if s == nil {
		s = &browser{page: ref.PageID, seen: []string{ref.PageID}}
		if adopted != nil && adopted.id == ref.SessionID {
			*s = adopted.browser
		}
		c.sessions[ref.SessionID] = s
	}
	s.held, s.used = true, time.Now()
	c.own = ref.SessionID
	if c.ended {
		b.orphanLocked(c.key.principal, ref.SessionID, *s)
	}
	return s.page
}

// find tells which session a call that names sessionID, or "", is for, and
// what is known of it: no page if nothing is.
func (c *caller) find(sessionID string) (id string, s browser) {
	c.book.mu.Lock()
	defer c.book.mu.Unlock()
	if id = sessionID; id == "" {
		id = c.own
	}
	if known := c.sessions[id]; known != nil {
		known.used = time.Now()
		s = *known
		s.seen = slices.Clone(s.seen)
	}
	return id, s
}

// visit makes page the current one of a session.
func (c *caller) visit(id, page string) {
	c.book.mu.Lock()
	defer c.book.mu.Unlock()
	s := c.sessions[id]
	if s == nil {
		s = &browser{}
		c.sessions[id] = s
	}
	s.page, s.used = page, time.Now()
	s.seen = append(slices.DeleteFunc(s.seen, func(p string) bool { return p == page }), page)
	if len(s.seen) > maxSeen {
		s.seen = slices.Delete(s.seen, 0, len(s.seen)-maxSeen)
	}
}

// forget drops a session that is gone.
func (c *caller) forget(id string) {
	c.book.mu.Lock()
	defer c.book.mu.Unlock()
	delete(c.sessions, id)
	if c.own == id {
		c.own = ""
	}
	c.book.disownLocked(c.key.principal, id)
}

// place is where a call stands: in the sequence of its session, or in the
// caller's own for the calls that name none.
type place struct {
	*turn
	caller *caller
	read   time.Time // when the call was read
	name   string    // of the sequence, "" = the main one
	starts bool
}

// join gives a call to t its place. Calls join in the order in which they were
// read; sessionID is what the call names, or "".
//
// A call that overtakes does so behind a session that is known. As long as the
// caller has none, or has asked for one and not got it, the call stays in
// order: it is about the session that the calls before it make.
func (c *caller) join(t *tool, sessionID string) *place {
	c.book.mu.Lock()
	defer c.book.mu.Unlock()
	p := &place{caller: c, starts: t.starts, read: time.Now()}
	seq := &c.main
	overtake := t.overtakes
	if sessionID == "" || sessionID == c.own {
		overtake = overtake && c.own != "" && c.starts == 0
	} else if !t.starts {
		p.name = sessionID
		if seq = c.named[sessionID]; seq == nil {
			seq = &sequence{}
			c.named[sessionID] = seq
		}
	}
	if p.starts {
		c.starts++
	}
	p.turn = seq.join(overtake)
	return p
}

// leave makes room for the next call. It may be called again.
func (p *place) leave() {
	c := p.caller
	c.book.mu.Lock()
	defer c.book.mu.Unlock()
	if p.starts {
		p.starts = false
		c.starts--
	}
	p.turn.leave()
	if p.name != "" && c.named[p.name] == p.turn.seq && p.turn.seq.idle() {
		delete(c.named, p.name)
	}
}
