package worker

import (
	"context"
	"slices"
	"time"

	"iemesh/api"
	"iemesh/worker/driver"
)

var (
	_ = bind(api.PagesList, listPages)
	_ = bind(api.PageFind, findPage)
)

func listPages(ctx context.Context, op *operation, _ api.Empty) (api.PageList, error) {
	if err := op.session.look(ctx); err != nil {
		return api.PageList{}, err
	}
	if op.session.driver.Differs(driver.HTMLDialogs) { // which the driver tells in its second answer
		if err := op.session.look(ctx); err != nil {
			return api.PageList{}, err
		}
	}
	list := api.PageList{Pages: []api.Window{}}
	for _, w := range op.session.alive() {
		list.Pages = append(list.Pages, op.tell(w))
	}
	return list, nil
}

// newestWithin is how long the newest window is waited for: a click may open it late.
const newestWithin = 3 * time.Second

func findPage(ctx context.Context, op *operation, in api.PageFindInput) (api.PageFindResult, error) {
	w, err := op.choose(ctx, in)
	if err != nil {
		return api.PageFindResult{}, err
	}
	op.window = w
	w.announced = true
	if err := op.session.bring(ctx, w); err != nil {
		return api.PageFindResult{}, err
	}
	result := api.PageFindResult{PageID: w.id, Index: w.index, WindowCount: len(op.session.alive())}
	doc, err := op.read(ctx)
	if err != nil {
		result.PageState, err = op.tolerate(ctx, api.PageState{}, err)
		return result, err
	}
	result.PageState = op.described(doc.URL, doc.Title)
	result.NewWindows = op.announce()
	return result, nil
}

// choose looks at the windows until the wanted one is there.
func (op *operation) choose(ctx context.Context, in api.PageFindInput) (*window, error) {
	if err := op.session.look(ctx); err != nil {
		return nil, err
	}
	if in.Index != nil {
		at := slices.IndexFunc(op.session.alive(), func(w *window) bool { return w.index == *in.Index })
		if at < 0 {
			return nil, api.Errorf(api.WindowNotFound, "There is no window with index %d; there are %v.", *in.Index, indexes(op.session.alive()))
		}
		return op.session.alive()[at], nil
	}
	within := max(newestWithin, op.session.driver.LateWindows()-time.Since(op.session.acted))
	waiting, cancel := context.WithTimeout(ctx, min(within, time.Until(op.deadline)-grace)) // with time to take the last one
	defer cancel()
	var newest *window
	if _, err := poll(waiting, func() (bool, error) {
		if err := op.session.look(ctx); err != nil {
			return false, err
		}
		for _, w := range op.session.alive() {
			if !slices.Contains(in.Known, w.id) {
				newest = w
			}
		}
		return newest != nil, nil
	}); err != nil {
		return nil, err
	}
	if newest == nil {
		alive := op.session.alive()
		if len(alive) == 0 {
			return nil, api.Errorf(api.WindowNotFound, "All windows of this session have closed. Start a new one.")
		}
		newest = alive[len(alive)-1]
	}
	return newest, nil
}

func indexes(windows []*window) []int {
	var list []int
	for _, w := range windows {
		list = append(list, w.index)
	}
	return list
}
