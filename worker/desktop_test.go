package worker

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"iemesh/api"
	"iemesh/worker/desktop"
)

// blackSite is a page that shows nothing, like a window that is not in front.
func blackSite(t *testing.T) string {
	return otherSite(t, map[string]string{"/": `<title>t</title><body style="background:#000">`}) + "/"
}

// A desktop that is locked refuses at once what needs it, and nothing is lost.
func TestLockedDesktop(t *testing.T) {
	e := engine{mode: 11}.prepare(t)
	w := newWorkerWith(t, 1, e.config())
	good := desktop.Facts{Session: "1", Connection: "active", Remote: true, ScalePercent: 150}
	var facts atomic.Pointer[desktop.Facts]
	w.cfg.Desktop = func() desktop.Facts { return *facts.Load() }
	lock := func(locked bool) {
		now := good
		now.Locked = locked
		facts.Store(&now)
	}
	ready := func(want string) {
		t.Helper()
		if reasons := strings.Join(w.Ready(), "\n"); (reasons == "") != (want == "") || !strings.Contains(reasons, want) {
			t.Errorf("ready: %s", reasons)
		}
	}

	lock(true)
	ready("The desktop is locked")
	call := api.Call{TimeoutMs: 60_000, Caller: api.Caller{Principal: "alice"}, Policy: api.Policy{Origins: []string{"*"}}}
	asked := time.Now()
	_, _, err := api.Do(t.Context(), w, api.SessionCreate, call, api.Empty{})
	if took := time.Since(asked); code(err) != api.DesktopUnavailable || !strings.Contains(err.Error(), "Unlock it") || took > time.Second {
		t.Errorf("after %v: %v", took, err)
	}
	if st := w.Stats(); st.Sessions != 0 {
		t.Errorf("%+v", st)
	}

	lock(false)
	ready("")
	b := openAt(t, w)
	p := places(b, e)["plain"]
	p.visit("/customer")
	p.fill(id("customerName"), "山田")

	lock(true)
	before := len(e.commands())
	refused(b, api.Fill, api.FillInput{Target: id("customerName"), Text: "鈴木"}, api.DesktopUnavailable)
	refused(b, api.Inspect, api.InspectInput{}, api.DesktopUnavailable)
	refused(b, api.HandleDialog, api.HandleDialogInput{Action: api.Accept}, api.DesktopUnavailable)
	refused(b, api.SessionEnsure, api.EnsureInput{SessionID: b.ref.SessionID}, api.DesktopUnavailable)
	ask(b, api.SessionRenew, api.Empty{})
	if list := ask(b, api.SessionsList, api.Empty{}).Sessions; len(list) != 1 || list[0].State != api.Ready {
		t.Errorf("%+v", list)
	}
	if sent := e.commands()[before:]; len(sent) > 0 {
		t.Errorf("the driver was asked for %v", sent)
	}

	lock(false)
	if got := p.held("customerName"); got != "山田" {
		t.Errorf("the field holds %q", got)
	}
	if r := ask(b, api.SessionEnsure, api.EnsureInput{SessionID: b.ref.SessionID}); !r.Reused {
		t.Errorf("%+v", r)
	}
	ask(b, api.Navigate, api.NavigateInput{URL: blackSite(t)})
	refused(b, api.Screenshot, api.Empty{}, api.UnsupportedByEngine)
	first := true
	w.cfg.Desktop = func() desktop.Facts { // locked while the picture is taken
		lock(!first)
		first = false
		return *facts.Load()
	}
	refused(b, api.Screenshot, api.Empty{}, api.DesktopUnavailable)
	ask(b, api.SessionClose, api.Empty{})
}

// A start that fails on a desktop that went meanwhile says so.
func TestDesktopGoesWhileStarting(t *testing.T) {
	e := engine{mode: 11}.prepare(t)
	e.set(`"attachFailure":true`)
	w := newWorkerWith(t, 1, e.config())
	asked := 0
	w.cfg.Desktop = func() desktop.Facts {
		asked++
		return desktop.Facts{Connection: map[bool]string{true: "disconnected"}[asked > 2]}
	}
	call := api.Call{TimeoutMs: 60_000, Caller: api.Caller{Principal: "alice"}, Policy: api.Policy{Origins: []string{"*"}}}
	_, _, err := api.Do(t.Context(), w, api.SessionCreate, call, api.Empty{})
	if code(err) != api.DesktopUnavailable || api.AsError(err).Cause == nil {
		t.Errorf("%v, because of %v", err, api.AsError(err).Cause)
	}
}
