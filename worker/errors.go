package worker

import (
	"context"
	"errors"

	"iemesh/api"
	"iemesh/api/origin"
	"iemesh/worker/driver"
)

// notDelivered is the error of an operation whose time ended before it touched
// the browser.
func notDelivered(ctx context.Context) *api.Error {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return api.Errorf(api.Timeout, "The time was up before anything was done. Trying again is safe.")
	}
	return api.Errorf(api.Cancelled, "Cancelled before anything was done.")
}

func errShutdown() *api.Error {
	return api.Errorf(api.WorkerUnavailable, "The worker is shutting down; nothing was done.")
}

// startFailure is why no session could be opened.
func startFailure(ctx context.Context, err error) error {
	e, ok := errors.AsType[*driver.Error](err)
	switch {
	case !ok:
		return err
	case e.Kind == driver.Context:
		if failure := notDelivered(ctx); failure.Code == api.Cancelled {
			return failure
		}
		return api.Errorf(api.Timeout, "The browser did not start in time; nothing is left of it. Try again with a larger timeoutMs.").Because(err)
	case e.Kind == driver.NotInstalled:
		return api.Errorf(api.BrowserError, "%s", e.Message).Because(err)
	}
	return api.Errorf(api.BrowserError, "The browser could not be started: %s", e.Message).Because(err)
}

// failure translates what a function returned.
func (op *operation) failure(ctx context.Context, err error) error {
	if _, ours := err.(*api.Error); ours { // its cause may be one of the following
		return err
	}
	if e, ok := errors.AsType[*origin.Error](err); ok {
		return refusal(e)
	}
	e, ok := errors.AsType[*driver.Error](err)
	if !ok {
		return err
	}
	translated := op.translate(ctx, e)
	if translated.Selector == nil {
		switch translated.Code {
		case api.ElementNotFound, api.ElementNotInteractable, api.StaleElementReference:
			translated.Selector = op.target
		}
	}
	return translated.Because(err)
}

func (op *operation) translate(ctx context.Context, e *driver.Error) *api.Error {
	switch e.Kind {
	case driver.Lost:
		return op.session.lost()
	case driver.Context:
		return notDelivered(ctx)
	case driver.DialogOpen:
		dialog := op.dialog(ctx, e)
		failure := api.Errorf(api.DialogOpen, "A dialog is open and blocks the page. Answer it first.")
		failure.Dialog = dialog
		return failure
	case driver.Script:
		if op.session.driver.Differs(driver.HTMLDialogs) { // our scripts throw nothing
			return api.Errorf(api.DialogOpen, "The page runs no scripts now, as when it has opened a dialog in a window of its own. Look for a new window, and answer there.")
		}
	case driver.NoDialog:
		return api.Errorf(api.NoDialog, "No dialog is open.")
	case driver.Timeout:
		return api.Errorf(api.Timeout, "The page did not answer in time.")
	case driver.NavigationFailed:
		failure := api.Errorf(api.NavigationFailed, "The browser could not open the page: %s. Check the address and the network.", e.Message)
		failure.Reason = e.Message
		return failure
	case driver.NoElement:
		return api.Errorf(api.ElementNotFound, "Element was not found: %s", op.named())
	case driver.Stale:
		return api.Errorf(api.StaleElementReference, "The page replaced the element meanwhile. Look at it again.")
	case driver.NotInteractable, driver.Intercepted:
		return api.Errorf(api.ElementNotInteractable, "The element cannot be used now: %s", op.named())
	case driver.NoWindow:
		return api.Errorf(api.PageNotFound, "The window of this page has closed.")
	case driver.NoFrame:
		return api.Errorf(api.ElementNotFound, "The frame is not there any more.")
	case driver.InvalidSelector, driver.InvalidArgument:
		return api.Errorf(api.InvalidArgument, "The browser does not understand the selector: %s", op.named())
	case driver.Unsupported:
		return api.Errorf(api.UnsupportedByEngine, "This browser cannot do that.")
	}
	return api.Errorf(api.InternalError, "The browser's driver answered something unexpected; see the log.")
}

// refusal is the error for a URL that policy does not allow.
func refusal(e *origin.Error) *api.Error {
	code := api.URLNotAllowed
	switch e.Reason {
	case origin.NotAbsolute:
		code = api.InvalidArgument
	case origin.ErrorPage:
		code = api.NavigationFailed
	}
	failure := api.Errorf(code, "%s", e.Error())
	failure.Reason = string(e.Reason)
	return failure
}

// lost is why the session cannot go on.
func (s *session) lost() *api.Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.state == api.Closing:
		return api.Errorf(api.SessionClosing, "The session is being closed.")
	case s.why != nil:
		e := *s.why
		return &e
	}
	return errLost()
}

func errLost() *api.Error {
	return api.Errorf(api.DriverLost, "The browser or its driver ended; the last action may have happened. Start a new session and look before repeating anything.")
}

// unclear is the error of an action of which the driver does not tell whether
// it happened.
func unclear(err error) *api.Error {
	return api.Errorf(api.OutcomeUnknown, "The action may have happened. Look at the page before doing it again.").Because(err)
}

// named is the element at hand, for a message.
func (op *operation) named() string {
	if op.target == nil {
		return "the one in focus"
	}
	return op.target.String()
}
