package apitest

import (
	"bytes"
	"context"
	"image/png"
	"slices"
	"strings"
	"testing"
	"time"

	"iemesh/api"
)

func byID(id string) api.Locator { return api.Locator{By: api.ByID, Value: id} }

func (s *suite) listed(t *testing.T) {
	list, _ := must(t, s.worker, api.SessionsList, s.free(owner), api.Empty{})
	if len(list.Sessions) != 1 || list.Sessions[0].SessionID != s.session || list.Sessions[0].State != api.Ready {
		t.Errorf("session_list: %+v", list.Sessions)
	}
	must(t, s.worker, api.SessionRenew, s.call(usual), api.Empty{})
	info, _ := must(t, s.worker, api.SessionGet, s.call(usual), api.Empty{})
	if info.SessionID != s.session || info.PageID != s.page || info.Engine == "" || info.State != api.Ready ||
		info.IdleMs < 0 || info.IdleMs > usual.Milliseconds() {
		t.Errorf("session_get: %+v", info)
	}
}

// roundTrip is what an agent does in a form.
func (s *suite) roundTrip(t *testing.T) {
	state, reply := must(t, s.worker, api.Navigate, s.call(30*time.Second), api.NavigateInput{URL: s.app + "/customer"})
	if state.URL != s.app+"/customer" || state.Title == nil || !strings.Contains(*state.Title, "顧客検索") {
		t.Errorf("navigate: %+v", state)
	}
	if reply.Origin != s.app {
		t.Errorf("the result comes from %q", reply.Origin)
	}
	waited, _ := must(t, s.worker, api.Wait, s.call(usual), api.WaitInput{Type: api.TitleHas, Text: "顧客検索"})
	if waited.Type != api.TitleHas || waited.WaitedMs < 0 {
		t.Errorf("wait: %+v", waited)
	}

	filled, _ := must(t, s.worker, api.Fill, s.call(usual), api.FillInput{Target: byID("customerName"), Text: "山田 <&\"'> taro"})
	if filled.Method == "" || filled.Differs {
		t.Errorf("fill: %+v", filled)
	}
	chosen, _ := must(t, s.worker, api.SelectOption, s.call(usual),
		api.SelectInput{Target: byID("branch"), By: api.OptionIndex, Value: "1"})
	if chosen.Index != 1 || chosen.Text == "" {
		t.Errorf("select_option: %+v", chosen)
	}
	again, _ := must(t, s.worker, api.SelectOption, s.call(usual),
		api.SelectInput{Target: byID("branch"), By: api.OptionText, Value: api.OptionKey(chosen.Text)})
	if again.Index != chosen.Index || again.Value != chosen.Value {
		t.Errorf("select_option by text: %+v, by index: %+v", again, chosen)
	}

	page, _ := must(t, s.worker, api.Inspect, s.call(usual), api.InspectInput{})
	name, branch := element(page, "customerName"), element(page, "branch")
	if name.Value != "山田 <&\"'> taro" || branch.Text != chosen.Text || branch.OptionCount == nil || *branch.OptionCount < 2 {
		t.Errorf("inspect: %+v, %+v", name, branch)
	}
	if page.TotalElements < len(page.Elements) || element(page, "searchButton").Tag == "" {
		t.Errorf("inspect: %d elements of %d", len(page.Elements), page.TotalElements)
	}

	shot, reply := must(t, s.worker, api.Screenshot, s.call(usual), api.Empty{})
	if len(reply.Blobs) != 1 || reply.Blobs[0].MediaType != "image/png" || shot.MimeType != "image/png" || len(reply.Blobs[0].Data) != shot.Bytes {
		t.Errorf("screenshot: %+v, %d blobs", shot, len(reply.Blobs))
	} else if config, err := png.DecodeConfig(bytes.NewReader(reply.Blobs[0].Data)); err != nil || config.Width != shot.Width || config.Height != shot.Height {
		t.Errorf("screenshot: %+v but %dx%d, %v", shot, config.Width, config.Height, err)
	}

	must(t, s.worker, api.Click, s.call(usual), api.ClickInput{Target: byID("searchButton")})
	must(t, s.worker, api.Wait, s.call(usual), api.WaitInput{Type: api.PageLoaded})
	_, _, err := api.Do(t.Context(), s.worker, api.Click, s.call(300*time.Millisecond), api.ClickInput{Target: byID("never")})
	if e := wantCode(t, "click on nothing", err, api.ElementNotFound); e.Selector == nil || *e.Selector != byID("never") {
		t.Errorf("click on nothing names %v", e.Selector)
	}

	pages, _ := must(t, s.worker, api.PagesList, s.call(usual), api.Empty{})
	if len(pages.Pages) != 1 || pages.Pages[0].PageID != s.page || pages.Pages[0].Index != 0 {
		t.Errorf("page_list: %+v", pages)
	}
	found, _ := must(t, s.worker, api.PageFind, s.call(usual), api.PageFindInput{Index: new(0)})
	if found.PageID != s.page || found.WindowCount != 1 {
		t.Errorf("page_find: %+v", found)
	}
	_, _, err = api.Do(t.Context(), s.worker, api.HandleDialog, s.call(usual), api.HandleDialogInput{Action: api.Accept})
	wantCode(t, "handle_dialog without a dialog", err, api.NoDialog)
}

func element(page api.InspectResult, id string) api.Element {
	for _, e := range page.Elements {
		if e.ID == id {
			return e
		}
	}
	return api.Element{}
}

// click is a call that clicks the button of [suite.register].
func (s *suite) click(t *testing.T, limit time.Duration) *api.Call {
	t.Helper()
	return raw(s.call(limit), api.Click.Name, `{"target":{"by":"id","value":"registerButton"}}`)
}

func (s *suite) repeated(t *testing.T) {
	token := s.register(t)
	call := s.click(t, usual)
	first, err := s.worker.Do(t.Context(), call)
	if err != nil {
		t.Fatal(describe(err))
	}
	second, err := s.worker.Do(t.Context(), call)
	if err != nil {
		t.Fatal(describe(err))
	}
	if !bytes.Equal(first.Result, second.Result) || first.Origin != second.Origin {
		t.Errorf("%s from %s, then %s from %s", first.Result, first.Origin, second.Result, second.Origin)
	}
	// Time limit and policy of a repeat do not count.
	again := *call
	again.TimeoutMs, again.Policy = 100, api.Policy{}
	if third, err := s.worker.Do(t.Context(), &again); err != nil || !bytes.Equal(first.Result, third.Result) {
		t.Errorf("with another time limit and policy: %v", err)
	}
	for what, change := range map[string]func(*api.Call){
		"input": func(c *api.Call) { c.Input = []byte(`{"target":{"by":"id","value":"other"}}`) },
		"operation": func(c *api.Call) {
			c.Operation, c.Input = api.Fill.Name, []byte(`{"target":{"by":"id","value":"other"},"text":"x"}`)
		},
		"page": func(c *api.Call) { c.PageID = api.NewID() },
	} {
		other := *call
		change(&other)
		_, err := s.worker.Do(t.Context(), &other)
		wantCode(t, "the same id with another "+what, err, api.InvalidArgument)
	}
	other := *call
	other.Caller.Principal = stranger
	_, err = s.worker.Do(t.Context(), &other)
	wantCode(t, "the same id of somebody else", err, api.InvalidArgument, api.SessionNotFound)

	// The end of ctx does not unmake what was done. A worker that is reached
	// over a network may answer without asking.
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if reply, err := s.worker.Do(ended, call); err != nil {
		wantCode(t, "asked under an ended context", err, api.Cancelled)
	} else if !bytes.Equal(first.Result, reply.Result) {
		t.Errorf("asked under an ended context: %s", reply.Result)
	}
	if fourth, err := s.worker.Do(t.Context(), call); err != nil || !bytes.Equal(first.Result, fourth.Result) {
		t.Errorf("asked once more: %v", err)
	}
	s.wantRegistered(t, token, "1")
}

func (s *suite) repeatedAtOnce(t *testing.T) {
	token := s.register(t)
	call := s.click(t, usual)
	var all []<-chan outcome
	for range 4 {
		all = append(all, s.begin(t.Context(), call))
	}
	var first *api.Reply
	for _, done := range all {
		o := <-done
		switch {
		case o.err != nil:
			t.Error(describe(o.err))
		case first == nil:
			first = o.reply
		case !bytes.Equal(first.Result, o.reply.Result):
			t.Errorf("%s and %s", first.Result, o.reply.Result)
		}
	}
	s.wantRegistered(t, token, "1")
}

func (s *suite) cancelledBefore(t *testing.T) {
	token := s.register(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, call := range []*api.Call{s.click(t, usual), raw(s.free(owner), api.SessionCreate.Name, `{}`)} {
		_, err := s.worker.Do(ctx, call)
		wantCode(t, call.Operation, err, api.Cancelled)
	}
	s.wantRegistered(t, token, "0")
	s.listed(t)
}

func (s *suite) cancelledInQueue(t *testing.T) {
	token := s.register(t)
	free := s.occupy(t)
	ctx, cancel := context.WithCancel(t.Context())
	call := s.click(t, time.Minute)
	done := s.begin(ctx, call)
	s.busy() // so the click is queued
	start := time.Now()
	cancel()
	o := <-done
	wantCode(t, "click", o.err, api.Cancelled)
	if took := o.at.Sub(start); took > release+slack {
		t.Errorf("released %v after the cancel", took)
	}
	free()
	_, err := s.worker.Do(t.Context(), call)
	wantCode(t, "the cancelled click, asked for again", err, api.Cancelled)
	s.wantRegistered(t, token, "0")
}

func (s *suite) cancelledWaiting(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done := s.begin(ctx, s.endless())
	s.untilBusy(t)
	start := time.Now()
	cancel()
	o := <-done
	wantCode(t, "wait", o.err, api.Cancelled)
	if took := o.at.Sub(start); took > release+slack {
		t.Errorf("released %v after the cancel", took)
	}
	must(t, s.worker, api.PagesList, s.call(usual), api.Empty{})
}

func (s *suite) deadlineInQueue(t *testing.T) {
	const limit = 300 * time.Millisecond
	token := s.register(t)
	free := s.occupy(t)
	start := time.Now()
	call := s.click(t, limit)
	o := <-s.begin(t.Context(), call)
	wantCode(t, "click", o.err, api.Timeout)
	if took := o.at.Sub(start); took < limit-slack/4 || took > limit+release+slack {
		t.Errorf("released after %v, the limit was %v", took, limit)
	}
	free()
	_, err := s.worker.Do(t.Context(), call)
	wantCode(t, "the late click, asked for again", err, api.Timeout)
	s.wantRegistered(t, token, "0")
}

// order: what was queued first is done first.
func (s *suite) order(t *testing.T) {
	must(t, s.worker, api.Navigate, s.call(usual), api.NavigateInput{URL: s.app + "/customer"})
	free := s.occupy(t)
	var all []<-chan outcome
	for _, letter := range "abcd" {
		all = append(all, s.begin(t.Context(), raw(s.call(time.Minute), api.Fill.Name,
			`{"target":{"by":"id","value":"customerName"},"clear":false,"text":"`+string(letter)+`"}`)))
		s.busy()
	}
	free()
	for _, done := range all {
		if o := <-done; o.err != nil {
			t.Error(describe(o.err))
		}
	}
	page, _ := must(t, s.worker, api.Inspect, s.call(usual), api.InspectInput{})
	if got := element(page, "customerName").Value; got != "abcd" {
		t.Errorf("typed %q", got)
	}
}

// closeOvertakes: closing does not wait for what waits.
func (s *suite) closeOvertakes(t *testing.T) {
	token := s.register(t)
	running := s.begin(t.Context(), s.endless())
	s.untilBusy(t)
	queued := s.begin(t.Context(), s.click(t, time.Minute))
	s.busy()
	start := time.Now()
	must(t, s.worker, api.SessionClose, s.call(usual), api.Empty{})
	if took := time.Since(start); took > usual/2 {
		t.Errorf("closing took %v", took)
	}
	gone := []api.Code{api.SessionClosing, api.SessionNotFound}
	wantCode(t, "the call that waited", (<-queued).err, gone...)
	wantCode(t, "the call that ran", (<-running).err, append(slices.Clone(gone), api.DriverLost)...)
	if n := s.registered(t, token); n != "0" {
		t.Errorf("the call that waited was done %s times", n)
	}
}

func (s *suite) closed(t *testing.T) {
	for _, entry := range api.Catalogue() {
		if entry.Scope == api.None {
			continue
		}
		_, err := s.worker.Do(t.Context(), raw(s.call(usual), entry.Name, s.input(t, entry)))
		wantCode(t, entry.Name+" in a closed session", err, api.SessionNotFound)
	}
	if list, _ := must(t, s.worker, api.SessionsList, s.free(owner), api.Empty{}); len(list.Sessions) != 0 {
		t.Errorf("session_list: %+v", list.Sessions)
	}
}

// ensure: a session that answers is kept, any other is replaced.
func (s *suite) ensure(t *testing.T) {
	old := s.session
	s.session, s.page = "", ""
	first, _ := must(t, s.worker, api.SessionEnsure, s.free(owner), api.EnsureInput{SessionID: old})
	t.Cleanup(func() { s.close(first.SessionID, owner) })
	if first.Reused || first.SessionID == "" || first.SessionID == old || first.PageID == "" || first.Engine == "" {
		t.Errorf("ensure of a closed session: %+v", first)
	}
	second, _ := must(t, s.worker, api.SessionEnsure, s.free(owner), api.EnsureInput{SessionID: first.SessionID})
	if !second.Reused || second.SessionRef != first.SessionRef {
		t.Errorf("ensure of a living session: %+v, then %+v", first, second)
	}
	foreign, _, err := api.Do(t.Context(), s.worker, api.SessionEnsure, s.free(stranger), api.EnsureInput{SessionID: first.SessionID})
	if err != nil {
		wantCode(t, "ensure of somebody else's session", err, api.LimitExceeded)
	} else if s.close(foreign.SessionID, stranger); foreign.Reused || foreign.SessionID == first.SessionID {
		t.Errorf("a stranger got the session: %+v", foreign)
	}
	if list, _ := must(t, s.worker, api.SessionsList, s.free(owner), api.Empty{}); len(list.Sessions) != 1 || list.Sessions[0].SessionRef != first.SessionRef {
		t.Errorf("session_list: %+v", list.Sessions)
	}
}
