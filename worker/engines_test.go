package worker

import (
	"context"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"iemesh/api"
	"iemesh/worker/driver"
	"iemesh/worker/legacyapp"
)

// TestEngines holds every engine to the same: what the operations do, in every
// place where a page can be. What may differ is what runtime_info says.
func TestEngines(t *testing.T) {
	t.Parallel()
	for _, e := range engines() {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			e := e.prepare(t)
			b := openAt(t, newWorkerWith(t, 1, e.config()))
			for name, p := range places(b, e) {
				for what, check := range checks {
					if name == "twice" && (e.mode == 5 || e.mode == 11 || !slices.Contains(nested, what)) {
						continue
					}
					t.Run(name+"/"+what, func(t *testing.T) { check(p.in(t)) })
				}
			}
			plain := places(b, e)["plain"]
			t.Run("commands", func(t *testing.T) { plain.in(t).countCommands() })
			t.Run("table of 2,000 rows", func(t *testing.T) { plain.in(t).largeTable() })
			for d, check := range differences {
				name, _, _ := strings.Cut(string(d), ":")
				t.Run(name, func(t *testing.T) { check(plain.in(t), plain.differs(d)) })
			}
			for _, d := range plain.differ {
				if differences[driver.Difference(d)] == nil {
					t.Errorf("nothing checks that there is a difference: %s", d)
				}
			}
			if ref := ask(b, api.SessionEnsure, api.EnsureInput{SessionID: b.ref.SessionID}); !ref.Reused || ref.SessionID != b.ref.SessionID {
				t.Errorf("a session that answers: %+v", ref)
			}
		})
	}
}

// visit opens a page of the application in the place.
func (p place) visit(path string) api.PageState {
	p.t.Helper()
	at := p.site + path
	if p.prefix != "" {
		at = p.site + p.prefix + url.QueryEscape(path)
	}
	st := ask(p.browser, api.Navigate, api.NavigateInput{URL: at})
	if st.URL != at && st.Dialog == nil {
		p.t.Errorf("navigate: %+v, not %s", st, at)
	}
	return st
}

var checks = map[string]func(place){
	"search":    place.search,
	"clicks":    place.clicks,
	"fields":    place.fields,
	"form":      place.form,
	"keys":      place.keys,
	"waits":     place.waits,
	"dialogs":   place.dialogs,
	"popup":     place.popup,
	"upload":    place.upload,
	"tables":    place.tables,
	"not ready": place.notReady,
}

// nested are the checks that are made two framesets deep as well, where modes do not differ.
var nested = []string{"search", "form", "dialogs"}

func (p place) search() {
	p.visit("/customer")
	page := p.inspect()
	if page.Text != "顧客検索 顧客名 支店 検索" || page.TotalElements != 4 || len(page.Elements) != 4 || page.Elements[0].Label != "顧客名" || page.Elements[1].Text != "東京支店" {
		p.t.Errorf("%+v", page)
	}
	if r := p.fill(id("customerName"), "山田太郎"); r.Method != api.Keys || r.Differs {
		p.t.Errorf("%+v", r)
	}
	if r := ask(p.browser, api.SelectOption, api.SelectInput{Target: id("branch"), Frame: p.frame, By: api.OptionText, Value: "大阪支店"}); r.Value != "27" || r.Index != 8 || r.Text != "大阪支店" {
		p.t.Errorf("%+v", r)
	}
	inner := p
	inner.frame = append(slices.Clone(p.frame), named("mainFrame"))
	inner.click(id("searchButton"))
	if got := inner.held("clicked"); got != "searchButton 1 " {
		p.t.Errorf("in the iframe: %q", got)
	}
	p.click(css("button#searchButton"))
	p.wait(api.Visible, id("resultTable"), "")
	table := ask(p.browser, api.ReadTable, api.ReadTableInput{Target: id("resultTable"), Frame: p.frame})
	if want := [][]string{{"C0003", "山田太郎", "大阪支店", "06-0000-0003"}}; !reflect.DeepEqual(table.Rows, want) || len(table.Header) != 4 {
		p.t.Errorf("%+v", table)
	}
	p.click(api.Locator{By: api.ByLinkText, Value: "山田太郎"})
	ask(p.browser, api.Wait, api.WaitInput{Type: api.TitleHas, Frame: p.frame, Text: "顧客詳細"})
	if text := p.inspect().Text; !strings.Contains(text, "ヤマダ タロウ") {
		p.t.Errorf("%s", text)
	}
	if shot := ask(p.browser, api.Screenshot, api.Empty{}); shot.Width != 1280 || shot.Height != 720 || shot.Bytes < 1000 {
		p.t.Errorf("%+v", shot)
	}
}

func (p place) clicks() {
	p.visit("/click")
	for _, at := range []api.Locator{id("scriptLink"), css("a[id=voidLink]"), {By: api.ByLinkText, Value: "＃のリンク"}, id("cell"), {By: api.ByXPath, Value: "//td[@id='lineCell']"}, id("spanButton"), id("picture")} {
		p.click(at)
	}
	p.wait(api.TextHas, id("pressed"), "scriptLink voidLink hashLink cell line spanButton picture")
	p.visit("/image")
	p.click(id("areaEast"))
	p.wait(api.TextHas, id("result"), "東日本")
}

func (p place) fields() {
	p.visit("/fields")
	for _, c := range []struct {
		field, text, holds string
		method             api.FillMethod
	}{
		{"plain", "山田太郎", "山田太郎", api.Keys},
		{"plain", "𠮷野家😀", "𠮷野家😀", api.Script},
		{"memo", "一行目\n二行目", "一行目\n二行目", api.Keys},
		{"five", "123456789", "12345", api.Keys},
		{"upper", "abc", "ABC", api.Keys},
		{"date", "2026-11-30", "2026-11-30", api.Script},
	} {
		if r := p.fill(id(c.field), c.text); r.Method != c.method || r.Differs != (c.holds != c.text) {
			p.t.Errorf("%s: %+v", c.field, r)
		}
		if got := strings.ReplaceAll(p.held(c.field), "\r", ""); got != c.holds {
			p.t.Errorf("%s holds %q", c.field, got)
		}
	}
	ask(p.browser, api.Fill, api.FillInput{Target: named("plain"), Frame: p.frame, Text: "屋", Clear: new(bool)})
	if got := p.held("plain"); got != "𠮷野家😀屋" {
		p.t.Errorf("appended: %q", got)
	}
}

func (p place) form() {
	token := api.NewID()
	p.visit("/fields/form?token=" + token)
	in := tenFields()
	in.Frame = p.frame
	r := ask(p.browser, api.FillForm, in)
	if got := became(r); got != "ok keys, ok keys, ok keys, ok keys, ok script, ok, ok, ok, ok, ok" {
		p.t.Errorf("the fields: %s", got)
	}
	p.wait(api.TextHas, id("changes"), "customerName:1 kana:1 phone:1 password:1 memo:1 branch:1 rank:1 kindCompany:1 mail:1 agree:1")
	p.click(id("saveButton"))
	p.arrives(func() bool { return len(p.app.Received(token)) > 0 })
	want := url.Values{"customerName": {"山田太郎"}, "kana": {"ヤマダ タロウ"}, "phone": {"03-0000-0000"}, "password": {"himitsu"}, "memo": {"é € 𠮷"},
		"branch": {"27"}, "rank": {"A"}, "kind": {"company"}, "agree": {"yes"}}
	if got := p.app.Received(token); len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		p.t.Errorf("the server got %v", got)
	}
}

// arrives waits until the server has what a click sent, which may be after the click's answer.
func (p place) arrives(came func() bool) {
	ctx, cancel := context.WithTimeout(p.t.Context(), 5*time.Second)
	defer cancel()
	poll(ctx, func() (bool, error) { return came(), nil })
}

func tenFields() api.FillFormInput {
	return fields("customerName", "山田太郎", "kana", "ヤマダ タロウ", "phone", "03-0000-0000", "password", "himitsu", "memo", "é € 𠮷",
		"branch", "大阪支店", "rank", "優良", "kindCompany", true, "mail", false, "agree", true)
}

func (p place) keys() {
	p.visit("/keyboard?token=keys")
	command := id("command")
	press := func(key api.Key, at *api.Locator) {
		p.t.Helper()
		ask(p.browser, api.Press, api.PressInput{Key: key, Target: at, Frame: p.frame})
	}
	press("Control+A", &command)
	p.wait(api.TextHas, id("selected"), "初期値")
	press("x", nil)
	press("Enter", nil)
	press("F8", &command)
	if got := p.held("command"); got != "x" {
		p.t.Errorf("the field holds %q", got)
	}
	p.wait(api.TextHas, id("submits"), "1")
	p.wait(api.TextHas, id("done"), "検索(F8)")
}

func (p place) waits() {
	p.visit("/late?ms=400")
	appear, vanish, button := id("appear"), id("vanish"), id("lateButton")
	p.wait(api.Present, appear, "")
	p.wait(api.Enabled, button, "")
	p.wait(api.Visible, appear, "")
	p.wait(api.Gone, vanish, "")
	p.wait(api.TextHas, id("status"), "集計済み")
	ask(p.browser, api.Wait, api.WaitInput{Type: api.PageLoaded, Frame: p.frame})
	ask(p.browser, api.Wait, api.WaitInput{Type: api.URLHas, Frame: p.frame, Text: "/late"})
	p.click(button)
	p.wait(api.TextHas, id("result"), "印刷しました")
}

func (p place) dialogs() {
	p.visit("/dialog")
	for _, action := range []api.DialogAction{api.Accept, api.Dismiss} {
		st := p.click(id("confirmButton"))
		if st.Dialog == nil || st.Dialog.Message != "削除しますか?" || st.URL != "" {
			p.t.Fatalf("%+v", st)
		}
		if e := refused(p.browser, api.Inspect, api.InspectInput{Frame: p.frame}, api.DialogOpen); e.Dialog == nil || e.Dialog.Message != "削除しますか?" {
			p.t.Errorf("%+v", e)
		}
		r := ask(p.browser, api.HandleDialog, api.HandleDialogInput{Action: action})
		if r.Message != "削除しますか?" || r.URL == "" || r.Dialog != nil {
			p.t.Errorf("%+v", r)
		}
		p.wait(api.TextHas, id("confirmResult"), map[api.DialogAction]string{api.Accept: "OK", api.Dismiss: "キャンセル"}[action])
	}
	refused(p.browser, api.HandleDialog, api.HandleDialogInput{Action: api.Accept}, api.NoDialog)
	p.visit("/dialog/prompt")
	p.click(id("promptButton"))
	text := "山田"
	ask(p.browser, api.HandleDialog, api.HandleDialogInput{Action: api.Accept, Text: &text})
	p.wait(api.TextHas, id("promptResult"), "入力: 山田")
	p.visit("/dialog/select")
	st := ask(p.browser, api.SelectOption, api.SelectInput{Target: id("alertBranch"), Frame: p.frame, By: api.OptionIndex, Value: "1"})
	if st.Dialog == nil {
		p.t.Fatalf("a choice that alerts: %+v", st)
	}
	ask(p.browser, api.HandleDialog, api.HandleDialogInput{Action: api.Accept})
	token := api.NewID()
	p.visit("/register?token=" + token)
	p.click(id("registerButton"))
	ask(p.browser, api.HandleDialog, api.HandleDialogInput{Action: api.Accept})
	ask(p.browser, api.Wait, api.WaitInput{Type: api.TitleHas, Frame: p.frame, Text: "登録完了"})
	if n := p.app.Registrations(token); n != 1 {
		p.t.Errorf("registered %d times", n)
	}
}

func (p place) popup() {
	p.visit("/popup")
	before := ask(p.browser, api.PagesList, api.Empty{}).Pages
	p.click(id("openPopup"))
	popup := p.newest(p.ref.PageID)
	if text := popup.inspect().Text; !strings.Contains(text, "顧客詳細") {
		p.t.Errorf("the newest window shows %s", text)
	}
	popup.click(id("chooseButton"))
	if st := popup.click(id("closeButton")); st.URL != "" {
		p.t.Errorf("a window that closed itself: %+v", st)
	}
	refused(popup.browser, api.Inspect, api.InspectInput{}, api.PageNotFound)
	if got := p.held("chosenCustomer"); got != "山田太郎" {
		p.t.Errorf("the opener holds %q", got)
	}
	if after := ask(p.browser, api.PagesList, api.Empty{}).Pages; len(after) != len(before) {
		p.t.Errorf("windows: %+v", after)
	}
}

func (p place) upload() {
	token := api.NewID()
	p.visit("/upload?token=" + token)
	in := file("請求書 2026.pdf", []byte("%PDF"))
	in.Frame = p.frame
	if r := ask(p.browser, api.Upload, in); r.Bytes != 4 || r.URL == "" {
		p.t.Errorf("%+v", r)
	}
	p.click(id("uploadButton"))
	p.arrives(func() bool { return len(p.app.Uploads(token)) > 0 })
	want := []legacyapp.File{received("請求書 2026.pdf", []byte("%PDF"))}
	if got := p.app.Uploads(token); len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		p.t.Errorf("the server got %+v", got)
	}
}

func (p place) tables() {
	p.visit("/table/small")
	for _, want := range legacyapp.SmallTables() {
		p.table(want, 0)
	}
	p.visit("/table/merged")
	p.table(legacyapp.MergedTable(legacyapp.MergedRows), 0)
}

func (p place) table(want legacyapp.Table, limit int) {
	p.t.Helper()
	in := api.ReadTableInput{Target: id(want.ID), Frame: p.frame}
	for range limit {
		in.Limit++
	}
	r := ask(p.browser, api.ReadTable, in)
	if !reflect.DeepEqual(r.Header, header(want.Header)) || !reflect.DeepEqual(r.Rows, want.Rows) || r.RowCount != len(want.Rows) || r.Truncated {
		p.t.Errorf("%s: %.500q and %d of %d rows: %.500q", want.ID, r.Header, len(r.Rows), r.RowCount, r.Rows)
	}
}

func (p place) largeTable() {
	p.visit("/table/merged2000")
	start := time.Now()
	p.table(legacyapp.MergedTable(legacyapp.TableRows), legacyapp.TableRows)
	p.t.Logf("2,000 rows: %v", time.Since(start))
	part := ask(p.browser, api.ReadTable, api.ReadTableInput{Target: css("table table, #mergedTable"), Offset: 1000})
	if part.RowCount != 2000 || !part.Truncated || part.Rows[0][2] != "D01001" || part.ColumnCount != 6 {
		p.t.Errorf("%+v", part)
	}
}

func (p place) notReady() {
	p.visit("/obscured")
	hurried := p.browser.within(time.Second)
	if e := refused(hurried, api.Click, api.ClickInput{Target: id("target"), Frame: p.frame}, api.ElementNotInteractable); !strings.Contains(e.Message, "cover") {
		p.t.Errorf("%+v", e)
	}
	p.visit("/obscured?ms=300")
	p.click(id("target"))
	hurried = p.browser.within(1500 * time.Millisecond)
	refused(hurried, api.Click, api.ClickInput{Target: id("nothing"), Frame: p.frame}, api.ElementNotFound)
	refused(hurried, api.Fill, api.FillInput{Target: id("target"), Frame: p.frame, Text: "x"}, api.ElementNotInteractable)
	nowhere := id("noFrame")
	for _, ms := range []time.Duration{1500, 1580, 1660} { // whatever the worker does when the time is up
		hurried = p.browser.within(ms * time.Millisecond)
		if e := refused(hurried, api.Inspect, api.InspectInput{Frame: append(slices.Clone(p.frame), nowhere)}, api.ElementNotFound); e.Selector == nil || *e.Selector != nowhere {
			p.t.Errorf("after %d ms: %+v", ms, e)
		}
	}
}
