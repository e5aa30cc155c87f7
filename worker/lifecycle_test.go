package worker

import (
	"context"
	"net/url"
	"strconv"
	"testing"
	"time"

	"iemesh/api"
)

func portOf(t *testing.T, site string) []uint16 {
	t.Helper()
	u, err := url.Parse(site)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	return []uint16{uint16(port)}
}

func TestANavigationThatDidNotArriveSaysSo(t *testing.T) {
	b := open(t)
	b.visit("/customer")
	// The driver's own limit, in whole seconds, comes after this one.
	refused(b.within(1500*time.Millisecond), api.Navigate, api.NavigateInput{URL: b.site + "/never/silent"}, api.Timeout)
}

func TestANavigationThatIsCancelledOnItsWayIsUnclear(t *testing.T) {
	b := open(t)
	b.visit("/customer")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(500*time.Millisecond, cancel)
	_, _, err := api.Do(ctx, b, api.Navigate, b.call, api.NavigateInput{URL: b.site + "/never/silent"})
	if code(err) != api.OutcomeUnknown {
		t.Error(err)
	}
}

func TestACancelledCallNeverReachesTheBrowser(t *testing.T) {
	b := share(t)
	b.visit("/customer")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 50 {
		if _, _, err := api.Do(ctx, b, api.Navigate, b.call, api.NavigateInput{URL: b.site + "/register"}); code(err) != api.Cancelled {
			t.Fatal(err)
		}
	}
	if page := ask(b, api.Inspect, api.InspectInput{}); page.Title != "顧客検索" {
		t.Errorf("%+v", page)
	}
}

func TestAnAlertTakesNoText(t *testing.T) {
	b := share(t)
	b.visit("/dialog")
	ask(b, api.Click, api.ClickInput{Target: id("alertButton")})
	text := "x"
	refused(b, api.HandleDialog, api.HandleDialogInput{Action: api.Accept, Text: &text}, api.InvalidArgument)
	refused(b, api.Navigate, api.NavigateInput{URL: b.site + "/customer"}, api.DialogOpen)
	ask(b, api.HandleDialog, api.HandleDialogInput{Action: api.Accept})
}

func TestAFieldThatIsReplacedWhenFocused(t *testing.T) {
	b := share(t)
	home := otherSite(t, map[string]string{"/": `<div id=d><input id=f onfocus="document.getElementById('d').innerHTML = '<input id=f>'"></div>`})
	ask(b, api.Navigate, api.NavigateInput{URL: home + "/"})
	r, err := try(b, api.Fill, api.FillInput{Target: id("f"), Text: "😀"})
	page := ask(b, api.Inspect, api.InspectInput{})
	if err == nil && page.Elements[0].Value != "😀" {
		t.Errorf("%+v while the field holds %q", r, page.Elements[0].Value)
	}
}

func TestStartsAndEndsReleaseTheirCallerInTime(t *testing.T) {
	w := newWorker(t, 1)
	call := api.Call{TimeoutMs: 200, Caller: api.Caller{Principal: "alice"}, Policy: api.Policy{Origins: []string{"*"}}}
	start := time.Now()
	_, _, err := api.Do(t.Context(), w, api.SessionCreate, call, api.Empty{})
	if took := time.Since(start); code(err) != api.Timeout || took > 700*time.Millisecond {
		t.Errorf("a start under 200 ms: %v after %v", err, took)
	}
	if done, _ := poll(within(t, 10*time.Second), func() (bool, error) { return w.Stats().Sessions == 0, nil }); !done {
		t.Error("the slot is not free again")
	}
	b := openAt(t, w)
	start = time.Now()
	ask(b.within(100*time.Millisecond), api.SessionClose, api.Empty{})
	if took := time.Since(start); took > 500*time.Millisecond {
		t.Errorf("an end under 100 ms took %v", took)
	}
}

func within(t *testing.T, limit time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}

func TestAFailedSessionSaysWhy(t *testing.T) {
	b := open(t)
	s := b.Worker.sessions[b.ref.SessionID]
	s.driver.Close() // as if the driver had died
	if done, _ := poll(within(t, 10*time.Second), func() (bool, error) { return s.info().State == api.Failed, nil }); !done {
		t.Fatal("not failed")
	}
	refused(b, api.Inspect, api.InspectInput{}, api.DriverLost)
	refused(b, api.SessionRenew, api.Empty{}, api.DriverLost)
	if info := ask(b, api.SessionGet, api.Empty{}); info.State != api.Failed || info.Why == "" {
		t.Errorf("%+v", info)
	}
	b.call.TimeoutMs = 60_000
	if r := ask(b, api.SessionEnsure, api.EnsureInput{SessionID: b.ref.SessionID}); r.Reused || r.SessionID == b.ref.SessionID {
		t.Errorf("%+v", r)
	}
}
