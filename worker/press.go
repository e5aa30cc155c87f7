package worker

import (
	"context"

	"iemesh/api"
	"iemesh/worker/driver"
	"iemesh/worker/page"
)

var _ = bind(api.Press, press)

// reloadKey is F5 (W3C key table).
const reloadKey = "\ue035"

func press(ctx context.Context, op *operation, in api.PressInput) (api.PageState, error) {
	chord, err := in.Key.Chord()
	if err != nil {
		return api.PageState{}, err
	}
	if err := op.enter(ctx, in.Frame); err != nil {
		return api.PageState{}, err
	}
	element, err := op.keyboard(ctx, in)
	if err != nil {
		return api.PageState{}, err
	}
	var done bool
	if string(chord) == reloadKey {
		done, err = op.reload(ctx)
	} else {
		done, err = op.sendKeys(ctx, element, string(chord))
	}
	if err != nil || !done {
		return api.PageState{Loading: err == nil}, err
	}
	return op.state(ctx)
}

// maxDepth bounds the way to the focus through frames.
const maxDepth = 10

// keyboard finds the element that is to get a key: the named one, or else the one
// that has the focus, in whatever frame below.
func (op *operation) keyboard(ctx context.Context, in api.PressInput) (element driver.Element, err error) {
	d := op.session.driver
	if at := in.Target; at != nil {
		return op.await(ctx, *at, func(ref page.Ref) (page.Found, error) {
			return page.Actionable(ctx, d, op.guard, *at, ref)
		})
	}
	for depth := range maxDepth {
		var focus page.Focus
		err := answered(func() (err error) {
			focus, err = page.Focused(ctx, d, op.guard, depth == 0 && len(in.Frame) > 0)
			return err
		})
		if err != nil {
			return element, err
		}
		if focus.Status != page.OK {
			break
		}
		if element, err = elementOf(focus.Found); err != nil || !focus.Frame {
			return element, err
		}
		op.session.inFrame = true
		if err := d.SwitchFrame(ctx, &element); err != nil {
			return element, err
		}
	}
	return element, api.Errorf(api.ElementNotFound, "Nothing on the page can get a key. Name an element with a selector.")
}

// reload does what F5 does in a browser; no driver passes that key on.
func (op *operation) reload(ctx context.Context) (done bool, err error) {
	err = op.session.driver.Refresh(ctx)
	if driver.KindOf(err) == driver.NavigationFailed {
		return false, err
	}
	return op.acted(err)
}
