// Package worker carries out operations in browsers: sessions and their
// queues, the ledger of what was done, and one function per operation.
//
// A session is one driver process and one browser. Its operations run one at a
// time, in order, each under one deadline that counts from acceptance. An
// acting operation has its effect at most once, and once it has it, no error
// follows that invites a repeat.
package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"iemesh/api"
	"iemesh/api/origin"
	"iemesh/worker/desktop"
	"iemesh/worker/driver"
)

// Config of a Worker.
type Config struct {
	Browser     driver.Config
	MaxSessions int           // 0 = 1
	IdleTimeout time.Duration // a session neither used nor renewed for so long is closed; 0 = 15 minutes
	OwnPorts    []uint16      // listeners of this process, which no page may reach
	Log         *slog.Logger  // nil = silent

	Desktop func() desktop.Facts // asked before whatever needs the desktop; nil = for engine ie that of this process, else none is needed
}

// Worker is an [api.Worker] with browsers on this machine.
type Worker struct {
	cfg    Config
	ledger *ledger
	warned sync.Map        // ids of the desktop's obstacles that were logged
	life   context.Context // ends with Close
	end    context.CancelFunc
	tasks  sync.WaitGroup // sweep, watchers, openings

	mu       sync.Mutex
	sessions map[string]*session
	version  string // of the browser that was opened last
}

// New makes a Worker. It starts no browser, and ends those of killed programs of
// ours; Close must be called.
func New(cfg Config) *Worker {
	if cfg.MaxSessions == 0 {
		cfg.MaxSessions = 1
	}
	if cfg.IdleTimeout == 0 {
		cfg.IdleTimeout = 15 * time.Minute
	}
	if cfg.Desktop == nil {
		cfg.Desktop = engineDesktop(cfg.Browser.Engine)
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	w := &Worker{cfg: cfg, ledger: newLedger(), sessions: map[string]*session{}}
	w.life, w.end = context.WithCancel(context.Background())
	w.tasks.Go(w.sweep)
	w.tasks.Go(driver.Sweep)
	return w
}

// Do implements [api.Worker].
func (w *Worker) Do(ctx context.Context, call *api.Call) (*api.Reply, error) {
	entry, err := api.Lookup(call.Operation)
	if err != nil {
		return nil, err
	}
	if err := w.validate(entry, call); err != nil {
		return nil, err
	}
	policy, err := origin.Parse(call.Policy.Origins)
	if err != nil {
		return nil, api.Errorf(api.InvalidArgument, "policy.origins: %v", err)
	}
	return w.ledger.once(ctx, entry, call, func() (*api.Reply, error) {
		op := &operation{worker: w, call: call, policy: policy, deadline: time.Now().Add(call.Timeout())}
		ctx, cancel := context.WithDeadline(ctx, op.deadline)
		defer cancel()
		return w.run(ctx, entry, op)
	})
}

func (w *Worker) validate(entry *api.Entry, call *api.Call) error {
	switch {
	case call.ID == "":
		return api.Errorf(api.InvalidArgument, "The operation has no id.")
	case call.Timeout() < api.MinTimeout || call.Timeout() > api.MaxTimeout:
		return api.Errorf(api.InvalidArgument, "timeoutMs must be from %d to %d.", api.MinTimeout.Milliseconds(), api.MaxTimeout.Milliseconds())
	case entry.Scope != api.None && call.SessionID == "":
		return api.Errorf(api.InvalidArgument, "%s needs a sessionId.", entry.Name)
	case entry.Scope == api.Page && call.PageID == "":
		return api.Errorf(api.InvalidArgument, "%s needs a pageId.", entry.Name)
	}
	return entry.Check(call.Input)
}

// run takes an operation through its session's queue.
func (w *Worker) run(ctx context.Context, entry *api.Entry, op *operation) (*api.Reply, error) {
	function, ok := functions[entry.Name]
	if !ok {
		return nil, api.Errorf(api.UnsupportedByEngine, "This worker cannot do %s.", entry.Name)
	}
	if w.life.Err() != nil {
		return nil, errShutdown()
	}
	if entry.Scope == api.None {
		return function(ctx, op)
	}
	s, err := w.session(op.call)
	if err != nil {
		return nil, err
	}
	op.session = s
	if entry == api.SessionClose.Entry {
		return function(ctx, op) // it does not wait for what runs
	}
	if entry.Lane != api.NoQueue {
		leave, err := s.queue.enter(ctx, entry.Lane == api.Overtake)
		if err != nil {
			return nil, err
		}
		defer leave()
		if ctx.Err() != nil { // the queue was free, and does not look at it then
			return nil, notDelivered(ctx)
		}
		if err := w.desktopFit(); err != nil {
			return nil, err
		}
		s.touch()
		defer s.touch()
		op.window = s.current
		if entry.Scope == api.Page {
			if op.window, err = s.window(op.call.PageID); err != nil {
				return nil, err
			}
		}
		if entry != api.Navigate.Entry {
			if err := s.driver.AllowLoads(ctx); err != nil {
				return nil, op.failure(ctx, err)
			}
		}
	}
	reply, err := function(ctx, op)
	if entry.Effect == api.Act {
		s.acted = time.Now()
	}
	if err == nil {
		return reply, nil
	}
	err = op.failure(ctx, err)
	if entry.Effect == api.Act {
		err = op.afterEffect(err)
	}
	if api.AsError(err).Code == api.Timeout {
		if gone := w.desktopFit(); gone != nil { // meanwhile, and that is why
			return nil, api.AsError(gone).Because(err)
		}
	}
	return nil, err
}

// afterEffect replaces an error that would invite a repeat of what was done, or
// may have been.
func (op *operation) afterEffect(err error) error {
	switch api.AsError(err).Code {
	case api.InternalError:
		return unclear(err) // whatever broke, the action may have been done before
	case api.DriverLost, api.SessionClosing, api.URLNotAllowed, api.NavigationFailed, api.OutcomeUnknown:
		return err
	}
	if op.done {
		return unclear(err)
	}
	return err
}

// session finds the session that call names. Somebody else's does not exist.
func (w *Worker) session(call *api.Call) (*session, error) {
	w.mu.Lock()
	s, ok := w.sessions[call.SessionID]
	w.mu.Unlock()
	if !ok || s.owner != call.Caller || s.info().State == api.Starting {
		return nil, api.Errorf(api.SessionNotFound, "There is no such session.")
	}
	return s, nil
}

// Stats counts sessions. The failed ones hold no slot.
type Stats struct{ Sessions, Failed, MaxSessions int }

// Stats returns the present counts.
func (w *Worker) Stats() Stats {
	w.mu.Lock()
	defer w.mu.Unlock()
	st := Stats{MaxSessions: w.cfg.MaxSessions}
	for _, s := range w.sessions {
		if s.holdsSlot() {
			st.Sessions++
		} else {
			st.Failed++
		}
	}
	return st
}

// Ready returns the reasons why even a free slot could not serve; none = ready.
func (w *Worker) Ready() []string {
	if w.life.Err() != nil {
		return []string{"shutting down"}
	}
	if err := driver.Check(w.cfg.Browser); err != nil {
		if e, ok := errors.AsType[*driver.Error](err); ok {
			return []string{e.Message}
		}
		return []string{err.Error()}
	}
	if err := w.desktopFit(); err != nil {
		return []string{api.AsError(err).Message}
	}
	return nil
}

// Close ends every session and waits until nothing is left of them.
func (w *Worker) Close() {
	w.mu.Lock()
	w.end()
	var all []*session
	for _, s := range w.sessions {
		if s.info().State != api.Starting { // those end by themselves now
			all = append(all, s)
		}
	}
	w.mu.Unlock()
	var closing sync.WaitGroup
	for _, s := range all {
		closing.Go(func() { w.close(s, time.Second) })
	}
	closing.Wait()
	w.tasks.Wait()
}

// background runs a task that Close waits for. It runs nothing, and reports
// that, once Close was called, which does the like itself.
func (w *Worker) background(task func()) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.life.Err() != nil {
		return false
	}
	w.tasks.Go(task)
	return true
}

// sweep closes idle sessions and forgets old outcomes.
func (w *Worker) sweep() {
	ticker := time.NewTicker(min(w.cfg.IdleTimeout/4, 10*time.Second))
	defer ticker.Stop()
	for {
		select {
		case <-w.life.Done():
			return
		case <-ticker.C:
		}
		w.ledger.sweep()
		w.mu.Lock()
		var idle []*session
		for _, s := range w.sessions {
			if s.idleFor() > w.cfg.IdleTimeout {
				idle = append(idle, s)
			}
		}
		w.mu.Unlock()
		for _, s := range idle {
			w.cfg.Log.Info("", "event", "session idle", "session", s.id)
			w.background(func() { w.close(s, 0) })
		}
	}
}
