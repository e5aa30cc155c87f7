package worker

import (
	"context"
	"errors"
	"time"

	"iemesh/api"
	"iemesh/worker/driver"
)

var _ = bind(api.Navigate, navigate)

// navigate opens a URL. It alone gives the time left to the driver as its
// page-load limit: chromedriver stops the load when that passes, which is what
// a caller of navigate wants and a submitted form must never suffer.
func navigate(ctx context.Context, op *operation, in api.NavigateInput) (api.PageState, error) {
	place, err := op.policy.Visit(in.URL, op.worker.own())
	if err != nil {
		return api.PageState{}, err
	}
	if err := op.session.bring(ctx, op.window); err != nil {
		return api.PageState{}, err
	}
	before := op.window.url
	op.heading, op.window.visited = place.URL, true
	limited, cancel := op.beyond(ctx, grace/2) // let the driver's own limit come first
	defer cancel()
	err = op.session.driver.Navigate(limited, place.URL, time.Until(op.deadline))
	e, _ := errors.AsType[*driver.Error](err)
	switch {
	case err == nil:
		op.done = true
		return op.state(ctx)
	case e != nil && e.Kind == driver.Timeout:
		return op.arrived(ctx, before, place.URL)
	case e != nil && e.Kind == driver.Context && e.Running:
		return op.leftLoading(ctx, before)
	}
	return api.PageState{}, err
}

// arrived is the answer of a navigation that its limit stopped: the new
// document if it is there, complete or not.
func (op *operation) arrived(ctx context.Context, before, wanted string) (api.PageState, error) {
	after, cancel := op.afterwards(ctx)
	defer cancel()
	doc, err := op.read(after)
	if err != nil {
		return op.tolerate(after, api.PageState{}, err)
	}
	if !doc.Fresh || doc.URL == before && doc.URL != wanted || doc.Blank {
		return api.PageState{}, op.notArrived()
	}
	st := op.described(doc.URL, doc.Title)
	st.Loading = true
	return op.withWindows(after, st)
}

// leftLoading is the answer when the driver's limit, in whole seconds, comes
// after the caller's: only the browser's debugger can tell then where the page is.
func (op *operation) leftLoading(ctx context.Context, before string) (api.PageState, error) {
	if errors.Is(ctx.Err(), context.Canceled) {
		return api.PageState{}, unclear(ctx.Err()) // the page may have been asked for
	}
	after, cancel := op.afterwards(ctx)
	defer cancel()
	href, told := op.session.driver.Committed(after, op.window.handle)
	if !told && op.session.driver.Differs(driver.UnclearArrival) {
		return api.PageState{}, api.Errorf(api.Timeout, "The page did not finish loading within %d ms. Look at what is there.", op.call.TimeoutMs)
	}
	if href == "" || href == before {
		return api.PageState{}, op.notArrived()
	}
	if _, err := op.judge(href); err != nil {
		return api.PageState{}, err
	}
	return api.PageState{URL: href, Loading: true}, nil
}

func (op *operation) notArrived() *api.Error {
	return api.Errorf(api.Timeout, "The page did not answer within %d ms; the old one is still there.", op.call.TimeoutMs)
}
