package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"iemesh/api"
)

// remains is what a fault leaves of its session.
type remains string

const (
	nothing remains = "nothing"      // there is no session
	usable  remains = "a usable one" // it goes on as if nothing had been
	failed  remains = "a failed one" // it answers DRIVER_LOST
	empty   remains = "an empty one" // its page is gone
	stuck   remains = "a stuck one"  // it answers TIMEOUT until the driver's command ends, and can be closed
)

// faults: each switch of the look-alike, what an operation answers then, and what remains.
var faults = []struct {
	name, set string
	do        func(b *browser) error // nil = starting the session
	code      api.Code               // "" = success
	remains   remains
}{
	{"the browser's window is not found", `"attachFailure":true`, nil, api.BrowserError, nothing},
	{"the window is looked for without end", `"attachForever":true`, nil, api.Timeout, nothing},
	{"the zones differ in protected mode", `"protectedMode":true`, nil, api.BrowserError, nothing},
	{"the driver exits before it listens", `"exitBeforeReady":2`, nil, api.BrowserError, nothing},

	{"keys arrive mangled", `"mangleKeys":true`, fills("customerName", "山田"), "", usable},
	{"keys do not arrive", `"ignoreKeys":true`, fills("customerName", "山田"), "", usable},
	{"there is no picture", `"screenshotFails":true`, func(b *browser) error { _, err := inTime(b, api.Screenshot, api.Empty{}); return err }, api.InternalError, usable},
	{"a miss takes long", `"findMissMs":2500`, clicks("/customer", api.Locator{By: api.ByXPath, Value: "//nothing"}), api.Timeout, usable},
	{"an answered dialog takes long", `"alertDelayMs":1000`, answers, "", usable},
	{"a popup's handle comes late", `"popupDelayMs":1500`, popups(true), "", usable},
	{"a closed window is looked for long", `"unknownHandleMs":1000`, closedPopup, api.PageNotFound, usable},
	{"a popup never has a handle", `"popupNever":true`, popups(false), "", usable},

	{"a failure comes as a text", `"integerCode":"click"`, clicks("/customer", id("searchButton")), api.DriverLost, failed},
	{"the driver dies in a click", `"dieInCommand":{"command":"click"}`, registers("in"), api.DriverLost, failed},
	{"the driver dies after a click", `"dieBetween":{"command":"click"}`, registers("after"), api.DriverLost, failed},
	{"the browser dies", `"browserDies":{"command":"click"}`, clicks("/customer", id("searchButton")), "", empty},
	{"an upload hangs", `"uploadHangs":true`, uploads, "", stuck},
	{"a script closes its window", `"closeInScript":true`, closes, "", stuck},
	{"an HTML dialog blocks the driver", `"modalOpenerHangs":true`, clicks("/dialog/modal", id("modalButton")), "", stuck},
	{"quitting hangs", `"hangOnQuit":true`, func(b *browser) error {
		_, err := inTime(b.within(6*time.Second), api.SessionClose, api.Empty{})
		return err
	}, "", nothing},
}

func clicks(path string, at api.Locator) func(b *browser) error {
	return func(b *browser) error {
		b.within(10 * time.Second).visit(path)
		_, err := inTime(b, api.Click, api.ClickInput{Target: at})
		return err
	}
}

// registers submits a form. Its browser may die with it on the way; it never arrives twice.
func registers(token string) func(b *browser) error {
	return func(b *browser) error {
		err := clicks("/register?confirm=no&token="+token, id("registerButton"))(b)
		if n := b.app.Registrations(token); n > 1 {
			b.t.Errorf("registered %d times", n)
		}
		return err
	}
}

func fills(field, text string) func(b *browser) error {
	return func(b *browser) error {
		b.within(10 * time.Second).visit("/customer")
		r, err := inTime(b, api.Fill, api.FillInput{Target: id(field), Text: text})
		var got string
		if json.Unmarshal([]byte(b.eval("return document.getElementById('"+field+"').value")), &got); got != text || r.Method != api.Script || r.Differs {
			b.t.Errorf("the field holds %q: %+v", got, r)
		}
		return err
	}
}

func answers(b *browser) error {
	b.within(10 * time.Second).visit("/dialog")
	ask(b, api.Click, api.ClickInput{Target: id("alertButton")})
	_, err := inTime(b, api.HandleDialog, api.HandleDialogInput{Action: api.Accept})
	return err
}

// popups looks for the newest window; where there never is one, for the one that was before.
func popups(comes bool) func(b *browser) error {
	return func(b *browser) error {
		b.within(10 * time.Second).visit("/popup")
		ask(b, api.Click, api.ClickInput{Target: id("openPopup")})
		r, err := inTime(b, api.PageFind, api.PageFindInput{Newest: true, Known: []string{b.ref.PageID}})
		if (r.PageID != b.ref.PageID) != comes {
			b.t.Errorf("%+v", r)
		}
		popup := *b
		popup.call.PageID = r.PageID
		if comes {
			ask(&popup, api.Click, api.ClickInput{Target: id("closeButton")})
		}
		return err
	}
}

func closedPopup(b *browser) error {
	b.show(`<button id=go onclick="var w = window.open('about:blank'); setTimeout(function () { w.close() }, 1000)">go</button>`)
	st := ask(b, api.Click, api.ClickInput{Target: id("go")})
	popup := *b
	popup.call.PageID = ""
	if len(st.NewWindows) == 0 {
		popup.call.PageID = ask(b, api.PageFind, api.PageFindInput{Newest: true, Known: []string{b.ref.PageID}}).PageID
	} else {
		popup.call.PageID = st.NewWindows[0].PageID
	}
	gone := css("#never")
	_, err := inTime(&popup, api.Wait, api.WaitInput{Type: api.Present, Target: &gone})
	return err
}

func uploads(b *browser) error {
	b.within(10 * time.Second).visit("/upload")
	r, err := inTime(b, api.Upload, file("a.txt", []byte("a")))
	if !r.Loading {
		b.t.Errorf("%+v", r)
	}
	return err
}

func closes(b *browser) error {
	b.within(10 * time.Second).show(`<input id=a onchange="window.close()">`)
	r, err := inTime(b, api.Fill, api.FillInput{Target: id("a"), Text: "𠮷"})
	if !r.Loading {
		b.t.Errorf("%+v", r)
	}
	return err
}

// inTime is try, which also sees that the caller is released soon after its deadline.
func inTime[In, Out any](b *browser, op *api.Operation[In, Out], in In) (Out, error) {
	b.t.Helper()
	began := time.Now()
	out, err := try(b, op, in)
	if took := time.Since(began); took > time.Duration(b.call.TimeoutMs+400)*time.Millisecond {
		b.t.Errorf("%s: released after %v", op.Name, took)
	}
	return out, err
}

func TestFaults(t *testing.T) {
	endShared() // what a fault leaves is counted
	e := engine{mode: 11}.prepare(t)
	b := openAt(t, newWorkerWith(t, 1, e.config()))
	fresh := true
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			e.t, b.t = t, t
			switch {
			case f.do == nil && fresh: // the session of openAt
				b.end(t)
			case f.do != nil && (!fresh || f.remains != usable):
				if fresh {
					b.end(t)
				}
				e.set(quickly)
				b.start(t)
			}
			e.set(quickly, f.set)
			began, limit := time.Now(), 2*time.Second
			var err error
			if f.do == nil {
				limit = 4 * time.Second
				_, err = inTime(b.within(limit), api.SessionCreate, api.Empty{})
			} else {
				err = f.do(b.within(limit))
			}
			took := time.Since(began)
			if code(err) != f.code {
				t.Errorf("%v, want %q", err, f.code)
			}
			t.Logf("%s: %q after %v; leaves %s", f.name, code(err), took.Round(10*time.Millisecond), f.remains)
			e.set(quickly)
			fresh = f.remains == usable
			b.check(t, f.remains)
		})
	}
	if !fresh {
		b.t = t
		b.start(t) // after all of that
		b.visit("/customer")
	}
}

// check sees that of the session remains what should, and ends it unless it is usable.
func (b *browser) check(t *testing.T, r remains) {
	t.Helper()
	switch r {
	case nothing:
		b.cleared(t)
		return
	case usable:
		b.visit("/customer")
		ask(b, api.Inspect, api.InspectInput{})
		return
	case failed:
		refused(b, api.Inspect, api.InspectInput{}, api.DriverLost)
		b.cleared(t)
	case empty:
		refused(b, api.Inspect, api.InspectInput{}, api.PageNotFound)
	case stuck:
		refused(b.within(500*time.Millisecond), api.Inspect, api.InspectInput{}, api.Timeout)
	}
	b.end(t)
}

// start opens a session in place of the one before.
func (b *browser) start(t *testing.T) {
	t.Helper()
	b.call.SessionID, b.call.PageID = "", ""
	b.ref = ask(b.within(60*time.Second), api.SessionCreate, api.Empty{})
	b.call.SessionID, b.call.PageID = b.ref.SessionID, b.ref.PageID
}

// end closes the session.
func (b *browser) end(t *testing.T) {
	t.Helper()
	began := time.Now()
	ask(b, api.SessionClose, api.Empty{})
	if took := time.Since(began); took > 7*time.Second {
		t.Errorf("closed after %v", took)
	}
	b.cleared(t)
}

// cleared waits until nothing is left of any session: slots, files, processes.
func (b *browser) cleared(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	var left []string
	clear, _ := poll(ctx, func() (bool, error) {
		left = leftovers(os.TempDir())
		return b.Worker.Stats().Sessions == 0 && len(left) == 0, nil
	})
	if !clear {
		t.Errorf("%d sessions left, and %s", b.Worker.Stats().Sessions, left)
	}
}

// leftovers are the files in a folder, and the processes that know of it.
func leftovers(folder string) (left []string) {
	files, _ := os.ReadDir(folder)
	for _, file := range files {
		left = append(left, file.Name())
	}
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, process := range processes {
		environment, _ := os.ReadFile(filepath.Join(process, "environ"))
		if command, _ := os.ReadFile(filepath.Join(process, "cmdline")); bytes.Contains(append(environment, command...), []byte(folder+"/")) {
			left = append(left, strings.ReplaceAll(string(command), "\x00", " "))
		}
	}
	return left
}
