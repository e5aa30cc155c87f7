package worker

import (
	"context"
	"encoding/json"
	"errors"

	"iemesh/api"
	"iemesh/worker/driver"
	"iemesh/worker/page"
)

// enter makes the frame that frames leads to the driver's, from the top of the
// operation's window. It waits for frames that are not there yet, and names at
// the deadline the one that the last whole look missed. Two commands a level.
func (op *operation) enter(ctx context.Context, frames api.Frames) error {
	var missing *api.Locator
	there, err := poll(ctx, func() (bool, error) {
		there, err := op.enterNow(ctx, frames)
		switch {
		case passing(err):
			return false, nil
		case driver.KindOf(err) == driver.NoFrame:
			err = nil
		}
		if !there {
			missing = op.target
		}
		return there, err
	})
	switch {
	case err != nil:
		return err
	case !there && (missing == nil || errors.Is(ctx.Err(), context.Canceled)):
		return notDelivered(ctx)
	case !there:
		op.target = missing
		return op.unusable(page.Found{Status: page.Missing})
	}
	return nil
}

// enterNow is one attempt; it reports whether the frames are there. op.target
// is the frame at hand, nil before the first one and after the last.
func (op *operation) enterNow(ctx context.Context, frames api.Frames) (bool, error) {
	op.target = nil
	if err := op.session.bring(ctx, op.window); err != nil {
		return false, err
	}
	for _, frame := range frames {
		op.target = &frame
		found, err := op.find(ctx, frame, op.frame(ctx, frame))
		if err != nil || found.Status != page.OK {
			return false, err
		}
		element, err := elementOf(found)
		if err != nil {
			return false, err
		}
		op.session.inFrame = true
		if err := op.session.driver.SwitchFrame(ctx, &element); err != nil {
			return false, err
		}
	}
	op.target = nil
	return true, nil
}

// attempt looks for an element once; a nil ref leaves the search to the script.
type attempt func(ref page.Ref) (page.Found, error)

func (op *operation) frame(ctx context.Context, at api.Locator) attempt {
	return func(ref page.Ref) (page.Found, error) {
		if ref != nil { // found by the driver: whether it is a frame shows when it is entered
			return page.Found{Status: page.OK, Ref: ref}, nil
		}
		return page.FrameLocator(ctx, op.session.driver, op.guard, at)
	}
}

// await tries until the element that at names has the status OK, and says at
// the deadline what was wrong with it last. Nothing has been done by then.
func (op *operation) await(ctx context.Context, at api.Locator, try attempt) (driver.Element, error) {
	op.target = &at
	var found page.Found
	var seen bool
	ok, err := poll(ctx, func() (bool, error) {
		f, err := op.find(ctx, at, try)
		if passing(err) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		found, seen = f, true
		switch f.Status {
		case page.OK, page.NotEditable, page.NotSelect, page.NotBox, page.StaysOn, page.NotTable, page.NotFile: // waiting does not change what it is
			return true, nil
		}
		return false, nil
	})
	switch {
	case err != nil:
		return driver.Element{}, err
	case !ok && (!seen || errors.Is(ctx.Err(), context.Canceled)):
		return driver.Element{}, notDelivered(ctx)
	case found.Status != page.OK:
		return driver.Element{}, op.unusable(found)
	}
	return elementOf(found)
}

// passing tells whether the next look may go well: the page changed between
// two commands, a dialog cut the script short (the next command tells of it), or
// time is up, which ends the looking anyway.
func passing(err error) bool {
	kind := driver.KindOf(err)
	return kind == driver.Stale || kind == driver.Context || errors.Is(err, page.ErrNoAnswer)
}

// find runs try, and finds the element by the driver first where a script cannot.
func (op *operation) find(ctx context.Context, at api.Locator, try attempt) (page.Found, error) {
	if at.By != api.ByXPath && !(at.By == api.ByCSS && op.window.old) {
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
	ref, err := json.Marshal(element)
	if err != nil {
		return page.Found{}, err
	}
	return try(ref)
}

func elementOf(found page.Found) (element driver.Element, err error) {
	if err = json.Unmarshal(found.Ref, &element); err != nil {
		err = api.Errorf(api.StaleElementReference, "The page replaced the element meanwhile. Look at it again.").Because(err)
	}
	return element, err
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
	var failure *api.Error
	switch found.Status {
	case page.Missing:
		failure = api.Errorf(api.ElementNotFound, "Element was not found: %s", at)
	case page.NoOption:
		failure = api.Errorf(api.ElementNotFound, "The select %s has no such option. inspect it, or choose by index.", at)
	case page.Covered:
		failure = api.Errorf(api.ElementNotInteractable, "Element %s is covered by %s.", at, found.By)
	default:
		failure = api.Errorf(api.ElementNotInteractable, "Element %s %s.", at, obstacles[found.Status])
	}
	failure.Selector = at
	return failure
}

// obstacles completes the sentence "Element id=x …".
var obstacles = map[page.Status]string{
	page.Hidden:         "is not visible",
	page.Disabled:       "is disabled",
	page.ReadOnly:       "is read-only",
	page.NotEditable:    "takes no text",
	page.NotSelect:      "is not a select",
	page.OptionDisabled: "has that option, but it is disabled",
	page.NotBox:         "is neither a checkbox nor a radio button",
	page.StaysOn:        "is a radio button, which only another one of its group turns off: set that one",
	page.NotTable:       "is not a table",
	page.NotFile:        "is not a file field",
}
