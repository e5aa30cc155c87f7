package worker

import (
	"context"
	"errors"
	"time"

	"iemesh/api"
	"iemesh/worker/driver"
	"iemesh/worker/page"
)

// state tells where the page is after an action: first the page, then the
// windows. While a dialog is open there are no windows; the next call tells of them.
func (op *operation) state(ctx context.Context) (api.PageState, error) {
	after, cancel := op.afterwards(ctx)
	defer cancel()
	var st api.PageState
	doc, err := op.readNext(after)
	switch driver.KindOf(err) {
	case "":
		if err != nil {
			return st, err
		}
		st = op.described(doc.URL, doc.Title)
		st.Loading = doc.Leaving
	case driver.NoWindow: // the action closed its window
	case driver.Script:
		if !op.session.driver.Differs(driver.HTMLDialogs) {
			return st, err
		}
		// The page has opened an HTML dialog, of which the driver tells in its second answer.
		if err := op.session.look(after); err != nil {
			return op.tolerate(after, st, err)
		}
	default:
		return op.tolerate(after, st, err)
	}
	return op.withWindows(after, st)
}

// leavingTime is how long a document that the action makes be left may still
// answer in place of the next one, before that counts as loading.
const leavingTime = 500 * time.Millisecond

// readNext reads the document that follows when the one there is being left:
// the browser begins a navigation a moment after the action that asks for it.
func (op *operation) readNext(ctx context.Context) (doc page.Doc, err error) {
	leaving, cancel := context.WithTimeout(ctx, leavingTime)
	defer cancel()
	_, _ = poll(leaving, func() (bool, error) {
		doc, err = op.read(ctx)
		return err != nil || !doc.Leaving, nil
	})
	return doc, err
}

// read asks the top document where it is. One command, and one to leave a frame.
func (op *operation) read(ctx context.Context) (page.Doc, error) {
	if err := op.session.top(ctx); err != nil {
		return page.Doc{}, err
	}
	var doc page.Doc
	err := answered(func() (err error) {
		doc, err = page.State(ctx, op.session.driver, op.guard)
		return err
	})
	op.origin = doc.Origin
	if err == nil {
		op.window.old = !doc.Selects()
	}
	return doc, err
}

// answered tries again when a script ended without an answer, as it does when
// a dialog opens meanwhile: the second command tells of the dialog.
func answered(read func() error) error {
	err := read()
	if errors.Is(err, page.ErrNoAnswer) {
		err = read()
	}
	return err
}

// described is the state of the top document, and remembers it.
func (op *operation) described(url, title string) api.PageState {
	op.window.url = url
	op.window.visited = op.window.visited || url != op.session.driver.StartPage()
	return api.PageState{URL: url, Title: &title}
}

// withWindows adds the windows that no result has told of.
func (op *operation) withWindows(ctx context.Context, st api.PageState) (api.PageState, error) {
	if err := op.session.look(ctx); err != nil {
		return op.tolerate(ctx, st, err)
	}
	st.NewWindows = op.announce()
	return st, nil
}

// Limits of what a result tells of new windows; those beyond come with the next one.
const (
	maxNewWindows = 20
	maxWindowURL  = 500 // bytes; a longer URL is left out
)

// announce lists the windows that no result has told of.
func (op *operation) announce() []api.Window {
	var list []api.Window
	for _, w := range op.session.alive() {
		if !w.announced && len(list) < maxNewWindows {
			list = append(list, op.tell(w))
		}
	}
	return list
}

// tell describes a window that is there, and where if that may be told.
func (op *operation) tell(w *window) api.Window {
	w.announced = true
	told := api.Window{PageID: w.id, Index: w.index}
	if _, err := op.policy.Page(w.where, op.worker.own()); err == nil && len(w.where) <= maxWindowURL {
		told.URL = w.where
	}
	return told
}

// tolerate is the state in spite of an error that only means that no more can
// be told now: a dialog is open, the page has not finished, or its window has
// closed. Other errors stand.
func (op *operation) tolerate(ctx context.Context, st api.PageState, err error) (api.PageState, error) {
	e, ok := errors.AsType[*driver.Error](err)
	if !ok {
		return api.PageState{}, err
	}
	switch e.Kind {
	case driver.DialogOpen:
		return api.PageState{Dialog: op.dialog(ctx, e)}, nil
	case driver.Context, driver.Timeout:
		st.Loading = true
		return st, nil
	case driver.NoWindow:
		return st, nil
	}
	return api.PageState{}, err
}

// review is the state after an action whose effect read looks at, in the
// document in which it happened.
func (op *operation) review(ctx context.Context, read func(context.Context) (page.Doc, error)) (api.PageState, error) {
	after, cancel := op.afterwards(ctx)
	defer cancel()
	doc, err := read(after)
	switch {
	case elsewhere(err) || err == nil && (doc.TopURL == nil || doc.TopTitle == nil || doc.Leaving):
		return op.state(ctx)
	case err != nil:
		return op.tolerate(after, api.PageState{}, err)
	}
	op.origin = doc.Origin
	return op.withWindows(after, op.described(*doc.TopURL, *doc.TopTitle))
}

// elsewhere tells whether an action led away from its document; only the top
// one can tell then where the page is.
func elsewhere(err error) bool {
	switch driver.KindOf(err) {
	case driver.NoFrame, driver.NoWindow, driver.Stale:
		return true
	}
	return errors.Is(err, page.ErrNoAnswer)
}
