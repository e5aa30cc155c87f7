package worker

import (
	"context"
	"slices"
	"time"

	"iemesh/api"
	"iemesh/worker/driver"
)

var (
	_ = bind(api.SessionCreate, createSession)
	_ = bind(api.SessionEnsure, ensureSession)
	_ = bind(api.SessionGet, getSession)
	_ = bind(api.SessionsList, listSessions)
	_ = bind(api.SessionRenew, renewSession)
	_ = bind(api.Runtime, runtimeInfo)
	_ = bind(api.SessionClose, closeSession)
)

func createSession(ctx context.Context, op *operation, _ api.Empty) (api.SessionRef, error) {
	s, err := op.worker.open(ctx, op.call.Caller)
	if err != nil {
		return api.SessionRef{}, err
	}
	return op.worker.describe(s).SessionRef, nil
}

// ensureSession returns the named session if its browser answers. A failed one
// is replaced: its owner asked for a browser that works.
func ensureSession(ctx context.Context, op *operation, in api.EnsureInput) (api.EnsureResult, error) {
	named := *op.call
	named.SessionID = in.SessionID
	if s, err := op.worker.session(&named); err == nil {
		answers, err := op.worker.answers(ctx, s)
		switch {
		case err != nil:
			return api.EnsureResult{}, err
		case answers:
			return api.EnsureResult{SessionRef: op.worker.describe(s).SessionRef, Reused: true}, nil
		case ctx.Err() != nil:
			return api.EnsureResult{}, notDelivered(ctx)
		}
		op.worker.close(s, 0)
	}
	ref, err := createSession(ctx, op, api.Empty{})
	return api.EnsureResult{SessionRef: ref}, err
}

// answers tells whether the session's driver and browser still answer. What
// runs there is waited for: a busy session is not a dead one.
func (w *Worker) answers(ctx context.Context, s *session) (bool, error) {
	if err := w.desktopFit(); err != nil { // which says nothing against the session
		return false, err
	}
	leave, err := s.queue.enter(ctx, false)
	if err != nil {
		if api.AsError(err).Code == api.LimitExceeded {
			return false, err
		}
		return false, nil
	}
	defer leave()
	s.touch()
	waiting, cancel := context.WithTimeout(ctx, s.driver.LateWindows()-time.Since(s.acted))
	defer cancel()
	answers, _ := poll(waiting, func() (bool, error) { // the only window may close itself and open the next
		err := s.look(ctx)
		return err == nil && len(s.alive()) > 0, err
	})
	return answers, nil
}

func getSession(_ context.Context, op *operation, _ api.Empty) (api.SessionInfo, error) {
	return op.worker.describe(op.session), nil
}

func listSessions(_ context.Context, op *operation, _ api.Empty) (api.SessionList, error) {
	w := op.worker
	w.mu.Lock()
	defer w.mu.Unlock()
	var mine []*session
	for _, s := range w.sessions {
		if s.owner == op.call.Caller && s.info().State != api.Starting {
			mine = append(mine, s)
		}
	}
	slices.SortFunc(mine, func(a, b *session) int { return a.started.Compare(b.started) })
	list := api.SessionList{Sessions: []api.SessionInfo{}}
	for _, s := range mine {
		list.Sessions = append(list.Sessions, w.describe(s))
	}
	return list, nil
}

func renewSession(_ context.Context, op *operation, _ api.Empty) (api.Empty, error) {
	if op.session.info().State == api.Failed {
		return api.Empty{}, op.session.lost()
	}
	op.session.touch()
	return api.Empty{}, nil
}

func runtimeInfo(_ context.Context, op *operation, _ api.Empty) (api.RuntimeInfo, error) {
	w := op.worker
	info := api.RuntimeInfo{Engine: w.cfg.Browser.Engine, Differences: []string{}}
	for _, d := range driver.Differences(info.Engine) {
		info.Differences = append(info.Differences, string(d))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	info.BrowserVersion = w.version
	return info, nil
}

// patience is how long an action under way may finish before its session closes.
const patience = 2 * time.Second

// closeSession releases its caller in time; the closing goes on in any case.
func closeSession(ctx context.Context, op *operation, _ api.Empty) (api.Empty, error) {
	closed := make(chan struct{})
	if !op.worker.background(func() { op.worker.close(op.session, patience); close(closed) }) {
		return api.Empty{}, errShutdown()
	}
	select {
	case <-closed:
	case <-ctx.Done():
	}
	return api.Empty{}, nil
}

func (w *Worker) describe(s *session) api.SessionInfo {
	info := s.info()
	info.Engine = w.cfg.Browser.Engine
	return info
}
