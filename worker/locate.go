package worker

import (
	"context"
	"fmt"

	"iemesh/api"
	"iemesh/worker/driver"
	"iemesh/worker/page"
)

// enter makes the frame that frames leads to the driver's, from the top of the
// operation's window. It waits for frames that are not there yet. Two commands
// a level.
func (op *operation) enter(ctx context.Context, frames api.Frames) error {
	if err := op.session.bring(ctx, op.window); err != nil {
		return err
	}
	for _, frame := range frames {
		found, err := op.await(ctx, frame, func(ref page.Ref) (page.Found, error) {
			return page.FrameLocator(ctx, op.session.driver, op.guard, frame, ref)
		})
		if err != nil {
			return err
		}
		op.session.inFrame = true
		if err := op.session.driver.SwitchFrame(ctx, &found.Element); err != nil {
			return err
		}
	}
	return nil
}

// await tries until the element that at names has the status OK, and says at
// the deadline what was wrong with it last. Nothing has been done by then.
func (op *operation) await(ctx context.Context, at api.Locator, try func(ref page.Ref) (page.Found, error)) (page.Found, error) {
	op.target = &at
	var found page.Found
	var seen bool
	ok, err := poll(ctx, func() (bool, error) {
		f, err := op.find(ctx, at, try)
		switch driver.KindOf(err) {
		case driver.Stale:
			return false, nil // replaced between two commands: look again
		case driver.Context:
			return false, nil // the deadline; poll ends
		}
		if err != nil {
			return false, err
		}
		found, seen = f, true
		return f.Status == page.OK || f.Status.Final(), nil
	})
	switch {
	case err != nil:
		return found, err
	case !ok && (!seen || ctx.Err() == context.Canceled):
		return found, notDelivered(ctx)
	case found.Status != page.OK:
		return found, op.unusable(found)
	}
	return found, nil
}

// find runs try, and finds the element by the driver first where a script cannot.
func (op *operation) find(ctx context.Context, at api.Locator, try func(ref page.Ref) (page.Found, error)) (page.Found, error) {
	if at.By != api.ByXPath {
		found, err := try(nil)
		if err != nil || found.Status != page.NeedsFind {
			return found, err
		}
	}
	element, err := op.session.driver.Find(ctx, using(at.By), at.Value)
	if driver.KindOf(err) == driver.NoElement {
		return page.Found{Status: page.Missing}, nil
	}
	if err != nil {
		return page.Found{}, err
	}
	return try(&element)
}

func using(by api.Strategy) string {
	if by == api.ByXPath {
		return "xpath"
	}
	return "css selector"
}

// unusable is the error for an element that did not become what it must be.
func (op *operation) unusable(found page.Found) *api.Error {
	at := op.target
	failure := api.Errorf(api.ElementNotInteractable, "%s", "")
	switch found.Status {
	case page.Missing:
		failure = api.Errorf(api.ElementNotFound, "Element was not found: %s", at)
	case page.Covered:
		failure.Message = fmt.Sprintf("Element %s is covered by %s.", at, found.By)
	default:
		failure.Message = fmt.Sprintf("Element %s %s.", at, found.Status)
	}
	failure.Selector = at
	return failure
}
