package worker

import (
	"context"
	"time"

	"iemesh/api"
	"iemesh/worker/driver"
	"iemesh/worker/page"
)

var _ = bind(api.Click, click)

func click(ctx context.Context, op *operation, in api.ClickInput) (api.PageState, error) {
	if err := op.enter(ctx, in.Frame); err != nil {
		return api.PageState{}, err
	}
	done, err := op.clickWhen(ctx, in.Target, func(ref page.Ref) (page.Found, error) {
		return page.Actionable(ctx, op.session.driver, op.guard, in.Target, ref)
	})
	if err != nil || !done {
		return api.PageState{Loading: err == nil}, err
	}
	return op.state(ctx)
}

// again is the pause before looking at an element that refused a click.
const again = 50 * time.Millisecond

// clickWhen waits until the element can be clicked and clicks it once. done is
// false when the click was delivered and the driver still works on it.
func (op *operation) clickWhen(ctx context.Context, at api.Locator, try attempt) (done bool, err error) {
	for {
		element, err := op.await(ctx, at, try)
		if err != nil {
			return false, err
		}
		if done, refused, err := op.clickOnce(ctx, element); !refused {
			return done, err
		}
	}
}

// clickOnce clicks. refused: nothing was done, because the page changed since we
// looked, and there is time to look again.
func (op *operation) clickOnce(ctx context.Context, element driver.Element) (done, refused bool, err error) {
	err = op.session.driver.Click(ctx, element)
	switch driver.KindOf(err) {
	case driver.Intercepted, driver.NotInteractable, driver.Stale:
		select {
		case <-time.After(again):
			return false, true, nil
		case <-ctx.Done():
			return false, false, err
		}
	}
	done, err = op.acted(err)
	return done, false, err
}

// acted reads the driver's answer to a command that acts. Known refusals come
// before the effect and stand; a driver that still works, or ran into its own
// limit, has done it; of anything else it is not known.
func (op *operation) acted(err error) (finished bool, _ error) {
	finished, err = judge(err)
	op.done = op.done || err == nil
	return finished, err
}

func judge(err error) (finished bool, _ error) {
	if err == nil || driver.KindOf(err) == driver.NoWindow { // it closed its window
		return true, nil
	}
	e, ok := err.(*driver.Error)
	if !ok {
		return false, unclear(err)
	}
	switch e.Kind {
	case driver.Context:
		if e.Running {
			return false, nil
		}
		return false, err
	case driver.Timeout:
		return false, nil
	case driver.DialogOpen, driver.Intercepted, driver.NotInteractable, driver.Stale,
		driver.NoElement, driver.NoFrame, driver.Lost, driver.InvalidArgument, driver.Unsupported:
		return false, err
	}
	return false, unclear(err)
}
