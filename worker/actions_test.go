package worker

import (
	"strings"
	"testing"
	"time"

	"iemesh/api"
)

func TestFramesPopupsAndDialogs(t *testing.T) {
	b := open(t)
	b.visit("/frames/nested")
	frames := api.Frames{{By: api.ByName, Value: "outer"}, {By: api.ByName, Value: "middle"}, {By: api.ByName, Value: "inner"}}
	ask(b, api.Click, api.ClickInput{Target: id("deep"), Frame: frames})
	if page := ask(b, api.Inspect, api.InspectInput{}); page.TotalElements == 0 {
		t.Errorf("back at the top: %+v", page)
	}

	b.visit("/popup")
	st := ask(b, api.Click, api.ClickInput{Target: id("openPopup")})
	if len(st.NewWindows) != 1 || st.NewWindows[0].Index != 1 {
		t.Fatalf("%+v", st)
	}
	found := ask(b, api.PageFind, api.PageFindInput{Newest: true, Known: []string{b.ref.PageID}})
	if *found.Title != "顧客詳細" || found.PageID != st.NewWindows[0].PageID || found.WindowCount != 2 {
		t.Errorf("%+v", found)
	}
	popup := *b
	popup.call.PageID = found.PageID
	if st := ask(&popup, api.Click, api.ClickInput{Target: id("closeButton")}); st.URL != "" {
		t.Errorf("a window that closed itself: %+v", st)
	}
	refused(&popup, api.Inspect, api.InspectInput{}, api.PageNotFound)
	if pages := ask(b, api.PagesList, api.Empty{}); len(pages.Pages) != 1 {
		t.Errorf("%+v", pages)
	}

	start := time.Now()
	if st := b.visit("/dialog/onload"); st.Dialog == nil || st.URL != "" || st.Title != nil || time.Since(start) > time.Second {
		t.Errorf("after %v: %+v", time.Since(start), st)
	}
	if e := refused(b, api.Inspect, api.InspectInput{}, api.DialogOpen); e.Dialog == nil || e.Dialog.Message == "" {
		t.Errorf("%+v", e)
	}
	ask(b, api.HandleDialog, api.HandleDialogInput{Action: api.Accept})
	refused(b, api.HandleDialog, api.HandleDialogInput{Action: api.Accept}, api.NoDialog)

	b.visit("/popup/alert")
	st = ask(b, api.Click, api.ClickInput{Target: id("openThenAlert")})
	if st.Dialog == nil || len(st.NewWindows) != 0 {
		t.Errorf("window.open, then alert: %+v", st)
	}
	if r := ask(b, api.HandleDialog, api.HandleDialogInput{Action: api.Accept}); len(r.NewWindows) != 1 {
		t.Errorf("the window is told with the next result: %+v", r)
	}
}

func TestADialogInterruptsAWait(t *testing.T) {
	b := share(t)
	b.visit("/dialog/timer?ms=300")
	never := id("never")
	start := time.Now()
	refused(b, api.Wait, api.WaitInput{Type: api.Present, Target: &never}, api.DialogOpen)
	if took := time.Since(start); took > 1500*time.Millisecond {
		t.Errorf("told after %v", took)
	}
	ask(b, api.HandleDialog, api.HandleDialogInput{Action: api.Dismiss})
}

func TestElementsThatAreNotReady(t *testing.T) {
	b := share(t)
	b.visit("/obscured")
	if e := refused(b.within(500*time.Millisecond), api.Click, api.ClickInput{Target: id("target")}, api.ElementNotInteractable); !strings.Contains(e.Message, "cover") || e.Selector == nil {
		t.Errorf("%+v", e)
	}
	b.visit("/obscured?ms=500")
	ask(b, api.Click, api.ClickInput{Target: id("target")})
	b.visit("/late?ms=500")
	ask(b, api.Click, api.ClickInput{Target: id("lateButton")})
	vanish := id("vanish")
	ask(b, api.Wait, api.WaitInput{Type: api.Gone, Target: &vanish})
	if e := refused(b.within(300*time.Millisecond), api.Click, api.ClickInput{Target: id("nothing")}, api.ElementNotFound); e.Message != "Element was not found: id=nothing" {
		t.Errorf("%+v", e)
	}
	if e := refused(b.within(300*time.Millisecond), api.Inspect, api.InspectInput{Frame: api.Frames{id("noFrame")}}, api.ElementNotFound); e.Selector == nil {
		t.Errorf("%+v", e)
	}
	refused(b.within(300*time.Millisecond), api.Click, api.ClickInput{Target: api.Locator{By: api.ByXPath, Value: "//["}}, api.InvalidArgument)
	ask(b, api.Click, api.ClickInput{Target: api.Locator{By: api.ByXPath, Value: "//*[@id='lateButton']"}})
}

func TestLoadsThatNeverEnd(t *testing.T) {
	b := open(t)
	b.visit("/customer")
	hurried := b.within(2 * time.Second)
	for _, c := range []struct {
		path    string
		arrives bool
	}{{"/never/silent", false}, {"/never/half", true}, {"/never/image", true}} {
		start := time.Now()
		st, err := try(hurried, api.Navigate, api.NavigateInput{URL: b.site + c.path})
		if took := time.Since(start); took < 1900*time.Millisecond || took > 2600*time.Millisecond {
			t.Errorf("%s: answered after %v", c.path, took)
		}
		switch {
		case c.arrives && (err != nil || !st.Loading || st.URL != b.site+c.path):
			t.Errorf("%s: %+v %v", c.path, st, err)
		case !c.arrives && code(err) != api.Timeout:
			t.Errorf("%s: %+v %v", c.path, st, err)
		}
		start = time.Now()
		ask(b, api.Inspect, api.InspectInput{})
		if took := time.Since(start); took > time.Second {
			t.Errorf("%s: the next call took %v", c.path, took)
		}
	}
}

func TestASlowFormIsSubmittedOnce(t *testing.T) {
	b := open(t)
	b.visit("/slow/form?token=slow&delayMs=4000")
	start := time.Now()
	if st := ask(b.within(1500*time.Millisecond), api.Click, api.ClickInput{Target: id("submitButton")}); !st.Loading {
		t.Errorf("%+v", st)
	}
	if took := time.Since(start); took > 1900*time.Millisecond {
		t.Errorf("released after %v", took)
	}
	ask(b, api.Wait, api.WaitInput{Type: api.TitleHas, Text: "受付完了"})
	if n := b.app.Registrations("slow"); n != 1 {
		t.Errorf("submitted %d times", n)
	}
}

func TestFields(t *testing.T) {
	b := share(t)
	b.visit("/fields")
	for _, c := range []struct {
		field, text string
		method      api.FillMethod
		differs     bool
	}{
		{"plain", "abc", api.Keys, false},
		{"plain", "山田太郎", api.Keys, false},
		{"plain", "𠮷野家😀", api.Script, false},
		{"plain", "外字\ue000", api.Script, false},
		{"plain", "", api.Keys, false},
		{"memo", "一行目\n二行目", api.Keys, false},
		{"five", "123456789", api.Keys, true},
		{"upper", "abc", api.Keys, true},
		{"password", "p@ss", api.Keys, false},
		{"number", "42", api.Keys, false},
		{"date", "2026-11-30", api.Script, false},
	} {
		if r := ask(b, api.Fill, api.FillInput{Target: id(c.field), Text: c.text}); r.Method != c.method || r.Differs != c.differs {
			t.Errorf("%s %q: %+v", c.field, c.text, r)
		}
	}
	ask(b, api.Fill, api.FillInput{Target: id("plain"), Text: "one"})
	ask(b, api.Fill, api.FillInput{Target: id("plain"), Text: "+two", Clear: new(bool)})
	for _, e := range ask(b, api.Inspect, api.InspectInput{}).Elements {
		switch {
		case e.ID == "plain" && e.Value != "one+two":
			t.Errorf("appended: %+v", e)
		case e.ID == "password" && e.Value != "":
			t.Errorf("a password is shown: %+v", e)
		}
	}
	refused(b, api.Fill, api.FillInput{Target: id("plain"), Text: "a\nb"}, api.InvalidArgument)
	hurried := b.within(300 * time.Millisecond)
	refused(hurried, api.Fill, api.FillInput{Target: id("locked"), Text: "a"}, api.ElementNotInteractable)
	refused(hurried, api.Fill, api.FillInput{Target: id("off"), Text: "a"}, api.ElementNotInteractable)
	refused(hurried, api.SelectOption, api.SelectInput{Target: id("area"), By: api.OptionText, Value: "nowhere"}, api.ElementNotFound)
	st := ask(b, api.SelectOption, api.SelectInput{Target: id("jump"), By: api.OptionIndex, Value: "1"})
	if !strings.Contains(st.URL, "picked=") {
		t.Errorf("a select that navigates: %+v", st)
	}
}

func TestNothingLeavesAPageThatIsNotAllowed(t *testing.T) {
	b := open(t)
	elsewhere := strings.Replace(b.site, "127.0.0.1", "localhost", 1) // another origin of the same server
	b.call.Policy.Origins = []string{b.site}
	refused(b, api.Navigate, api.NavigateInput{URL: elsewhere + "/customer"}, api.URLNotAllowed)
	for _, path := range []string{"/redirect?to=", "/redirect/script?to=", "/redirect/meta?to="} {
		if _, err := try(b, api.Navigate, api.NavigateInput{URL: b.site + path + elsewhere + "/customer"}); err == nil {
			refused(b, api.Wait, api.WaitInput{Type: api.TitleHas, Text: "never"}, api.URLNotAllowed) // it leaves a moment later
		}
		refused(b, api.Inspect, api.InspectInput{}, api.URLNotAllowed)
		refused(b, api.Screenshot, api.Empty{}, api.URLNotAllowed)
	}
	b.visit("/redirect/link?to=" + elsewhere + "/customer")
	refused(b, api.Click, api.ClickInput{Target: id("leave")}, api.URLNotAllowed)
	b.visit("/redirect/link?to=" + elsewhere + "/dialog/onload")
	st := ask(b, api.Click, api.ClickInput{Target: id("leave")})
	if st.Dialog == nil || st.Dialog.Message != withheld {
		t.Errorf("%+v", st)
	}
}
