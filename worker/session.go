package worker

import (
	"context"
	"slices"
	"sync"
	"time"

	"iemesh/api"
	"iemesh/worker/driver"
)

// session is one browser and what we know of its windows. The fields below
// queue belong to whoever holds the queue.
type session struct {
	id    string
	owner api.Caller
	queue queue

	driver  *driver.Session
	windows []*window // in order of first sight
	current *window   // where the driver is; nil = not known
	acted   time.Time // the end of the last action
	inFrame bool      // the driver is, or may be, in a frame of current

	uploaded int // bytes of files that were put into its folder

	mu      sync.Mutex
	state   api.State
	first   string // page id of the first window
	why     *api.Error
	ports   []uint16
	started time.Time
	used    time.Time
	closed  chan struct{} // when the browser is gone
	closing sync.Once
}

// window is one window or tab.
type window struct {
	id        string
	index     int
	handle    string
	gone      bool
	announced bool   // a result has told the caller of it
	url       string // where its page said that it is
	where     string // where the browser says that it is; "" = it does not tell
	visited   bool   // it has shown a page of the web
	old       bool   // its pages were last seen not to search by CSS themselves
}

// open starts a session for owner in a free slot. A caller whose time ends
// first is released; what was started by then is ended behind its back.
func (w *Worker) open(ctx context.Context, owner api.Caller) (*session, error) {
	if err := w.desktopFit(); err != nil {
		return nil, err
	}
	w.warnOfDesktop()
	s := &session{id: api.NewID(), owner: owner, state: api.Starting, started: time.Now(), used: time.Now(), closed: make(chan struct{})}
	if err := w.reserve(s); err != nil {
		return nil, err
	}
	opened := make(chan error) // unbuffered: either the caller takes it or nobody does
	left := make(chan struct{})
	go func() {
		defer w.tasks.Done()
		err := w.start(ctx, s)
		select {
		case opened <- err:
		case <-left:
			if err == nil {
				w.close(s, 0)
			}
		}
	}()
	released, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })()
	select {
	case err := <-opened:
		if err == nil {
			return s, nil
		}
		if gone := w.desktopFit(); gone != nil { // it went meanwhile, and that is why
			return nil, api.AsError(gone).Because(err)
		}
		return nil, startFailure(ctx, err)
	case <-released.Done():
		close(left)
		return nil, startFailure(ctx, &driver.Error{Kind: driver.Context, Command: "open"})
	}
}

// start opens the browser of s, which holds its slot until nothing is left of a
// failed start.
func (w *Worker) start(ctx context.Context, s *session) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.life, cancel)()
	var err error
	if s.driver, err = driver.Open(ctx, w.cfg.Browser); err == nil {
		err = s.begin(ctx)
	}
	if w.life.Err() != nil { // Close has passed this session by
		err = errShutdown()
	}
	if err != nil {
		if s.driver != nil {
			s.driver.Close()
		}
		w.remove(s)
		return err
	}
	w.mu.Lock()
	w.version = s.driver.BrowserVersion()
	w.mu.Unlock()
	w.tasks.Go(func() { w.watch(s) })
	return nil
}

// reserve takes a slot, enters s in the list, and counts its opening as a task.
func (w *Worker) reserve(s *session) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.life.Err() != nil {
		return errShutdown()
	}
	taken := 0
	for _, other := range w.sessions {
		if other.holdsSlot() {
			taken++
		}
	}
	if taken >= w.cfg.MaxSessions {
		return api.Errorf(api.LimitExceeded, "All %d browser sessions are in use. Close one, or raise --max-sessions.", w.cfg.MaxSessions)
	}
	w.sessions[s.id] = s
	w.tasks.Add(1)
	return nil
}

func (w *Worker) remove(s *session) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.sessions, s.id)
}

// begin learns the first window.
func (s *session) begin(ctx context.Context) error {
	handle, err := s.driver.Window(ctx)
	if err != nil {
		return err
	}
	s.current = s.see(handle)
	s.current.announced = true
	s.mu.Lock()
	defer s.mu.Unlock()
	s.first, s.state = s.current.id, api.Ready
	for _, port := range s.driver.Ports() {
		s.ports = append(s.ports, uint16(port))
	}
	return nil
}

// watch turns the death of driver or browser into the state failed.
func (w *Worker) watch(s *session) {
	<-s.driver.Lost()
	s.mu.Lock()
	died := s.state == api.Ready
	if died {
		s.state = api.Failed
		s.why = errLost().Because(s.driver.Why())
	}
	why := s.why
	s.mu.Unlock()
	if !died {
		return
	}
	w.cfg.Log.Error("", "event", "session lost", "session", s.id, "cause", s.driver.Why())
	s.queue.close(why)
	s.driver.Close() // whatever is left of its processes and files
	close(s.closed)
}

// close ends s: nobody enters its queue any more; what runs has patience to
// finish; then the browser ends. It returns when nothing is left.
func (w *Worker) close(s *session, patience time.Duration) {
	s.closing.Do(func() {
		s.mu.Lock()
		failed := s.state == api.Failed
		if !failed {
			s.state = api.Closing
		}
		s.mu.Unlock()
		if !failed {
			s.queue.close(api.Errorf(api.SessionClosing, "The session is being closed."))
			s.settle(patience)
			if s.driver != nil {
				s.driver.Close()
			}
			close(s.closed)
		}
		<-s.closed
		w.remove(s)
	})
	<-s.closed
}

// settle waits for what runs in the queue.
func (s *session) settle(patience time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, _ = poll(ctx, func() (bool, error) { return s.queue.idle(), nil })
}

// holdsSlot tells whether a browser of s is there, or may be: a failed session
// keeps its slot until the last of its processes is gone.
func (s *session) holdsSlot() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.closed:
		return false
	default:
		return true
	}
}

// listening returns the ports of the session's driver and browser.
func (s *session) listening() []uint16 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ports
}

func (s *session) touch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = time.Now()
}

// idleFor is the time since the session was used; zero while it is in use.
func (s *session) idleFor() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state == api.Starting || !s.queue.idle() {
		return 0
	}
	return time.Since(s.used)
}

func (s *session) info() api.SessionInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	info := api.SessionInfo{State: s.state, IdleMs: time.Since(s.used).Milliseconds()}
	info.SessionID, info.PageID = s.id, s.first
	if s.why != nil {
		info.Why = s.why.Message
	}
	return info
}

// window finds a page of the session.
func (s *session) window(id string) (*window, error) {
	i := slices.IndexFunc(s.windows, func(w *window) bool { return w.id == id })
	if i < 0 {
		return nil, api.Errorf(api.PageNotFound, "There is no such page in this session.")
	}
	if s.windows[i].gone {
		return nil, api.Errorf(api.PageNotFound, "The window of this page has closed.")
	}
	return s.windows[i], nil
}

// see returns the window of a handle, a new one when it is seen first.
func (s *session) see(handle string) *window {
	for _, w := range s.windows {
		if w.handle == handle && !w.gone {
			return w
		}
	}
	w := &window{id: "p" + api.NewID()[:10], index: len(s.windows), handle: handle}
	s.windows = append(s.windows, w)
	return w
}

// look takes stock of the windows. It asks the browser where that is possible:
// chromedriver never answers for its windows when a click opened one and then a
// dialog (measured). Otherwise it is one command.
func (s *session) look(ctx context.Context) error {
	there, ok := s.driver.Locations(ctx)
	if !ok {
		handles, err := s.driver.Windows(ctx)
		if err != nil && driver.KindOf(err) != driver.NoWindow { // IEDriver's way to say that there is none
			return err
		}
		for _, handle := range handles {
			there = append(there, driver.Location{Handle: handle})
		}
	}
	for _, w := range s.windows {
		w.gone = w.gone || !slices.ContainsFunc(there, func(l driver.Location) bool { return l.Handle == w.handle })
	}
	if s.current != nil && s.current.gone {
		s.current = nil
	}
	for _, l := range there {
		s.see(l.Handle).where = l.URL
	}
	return nil
}

// alive lists the windows that are there, by index.
func (s *session) alive() []*window {
	return slices.DeleteFunc(slices.Clone(s.windows), func(w *window) bool { return w.gone })
}

// bring makes w the driver's window, at its top document. No command when it is so already.
func (s *session) bring(ctx context.Context, w *window) error {
	if s.current != w {
		s.current = nil
		if err := s.driver.SwitchWindow(ctx, w.handle); err != nil {
			return err
		}
		s.current, s.inFrame = w, false
	}
	return s.top(ctx)
}

// top leaves the frames. No command when the driver is in none.
func (s *session) top(ctx context.Context) error {
	if !s.inFrame {
		return nil
	}
	if err := s.driver.SwitchFrame(ctx, nil); err != nil {
		return err
	}
	s.inFrame = false
	return nil
}
