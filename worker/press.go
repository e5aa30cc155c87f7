package worker

import (
	"context"

	"iemesh/api"
	"iemesh/worker/driver"
	"iemesh/worker/page"
)

var _ = bind(api.Press, press)

// reload is the chord that no driver passes on to its browser.
const reload = "\ue035" // F5

func press(ctx context.Context, op *operation, in api.PressInput) (api.PageState, error) {
	chord, err := in.Key.Chord()
	if err != nil {
		return api.PageState{}, err
	}
	if err := op.enter(ctx, in.Frame); err != nil {
		return api.PageState{}, err
	}
	done, err := op.pressIn(ctx, in.Target, chord)
	if err != nil || !done {
		return api.PageState{Loading: err == nil}, err
	}
	return op.state(ctx)
}

// pressIn presses the keys in an element, or else where the focus is: then the
// document is only looked at to know that it is an allowed one.
func (op *operation) pressIn(ctx context.Context, at *api.Locator, chord []rune) (done bool, err error) {
	d := op.session.driver
	var element driver.Element
	if at != nil {
		element, err = op.await(ctx, *at, func(ref page.Ref) (page.Found, error) {
			return page.Actionable(ctx, d, op.guard, *at, ref)
		})
	} else {
		err = answered(func() error {
			_, err := page.State(ctx, d, op.guard)
			return err
		})
	}
	switch {
	case err != nil:
		return false, err
	case string(chord) == reload:
		op.session.inFrame = true // where the driver is afterwards differs
		err = d.Refresh(ctx)
		if driver.KindOf(err) == driver.NavigationFailed {
			return false, err
		}
		return acted(err)
	case at != nil:
		return op.sendKeys(ctx, element, string(chord))
	}
	return acted(d.PressKeys(ctx, chord))
}
