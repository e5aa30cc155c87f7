package worker

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"iemesh/api"
)

// show opens a page made of html.
func (b *browser) show(html string) api.PageState {
	b.t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, html)
	}))
	b.t.Cleanup(server.Close)
	return ask(b, api.Navigate, api.NavigateInput{URL: server.URL})
}

// fields makes the input of fill_form from pairs of an id and a value.
func fields(values ...any) (in api.FillFormInput) {
	for i := 0; i < len(values); i += 2 {
		field := api.FormField{Target: id(values[i].(string))}
		switch value := values[i+1].(type) {
		case string:
			field.Value.Text = value
		case bool:
			field.Value.On = &value
		}
		in.Fields = append(in.Fields, field)
	}
	return in
}

// became is the result of a form in short: "ok keys", "ok script differs", "failed CODE", …
func became(r api.FillFormResult) string {
	var list []string
	for _, f := range r.Fields {
		words := string(f.Status)
		if f.Method != "" {
			words += " " + string(f.Method)
		}
		if f.Differs {
			words += " differs"
		}
		if f.Error != nil {
			words += " " + string(f.Error.Code)
		}
		list = append(list, words)
	}
	return strings.Join(list, ", ")
}

const customerForm = `<title>form</title><form id=f action=/><p>
<input id=name value=old><input id=kana><input id=kanji><input id=upper onkeyup="this.value=this.value.toUpperCase()"><input id=day type=date>
<input id=pass type=password><textarea id=memo></textarea>
<select id=branch onchange="late()"><option>選択<option>東京支店<option>大阪支店</select><select id=clerk></select><select id=days multiple><option selected>月<option>火</select>
<p><input id=mail type=checkbox checked><label for=mail>メール</label><input id=agree type=checkbox style="opacity:0"><label for=agree>同意</label>
<p><input id=person type=radio name=kind checked><input id=company type=radio name=kind>
<input id=off disabled><select id=jump onchange="location='/?jumped'"><option>-<option>行く</select><button type=button id=push>x</button>
<p><input id=asks onchange="alert('確認')"><input id=after></form><p id=changes></p>
<script>document.getElementById('f').onchange = function (e) { document.getElementById('changes').innerHTML += e.target.id + ' ' };
function late() { setTimeout(function () { document.getElementById('clerk').innerHTML = '<option>-<option>山田 太郎' }, 150) }</script>`

func TestFillForm(t *testing.T) {
	b := share(t)
	b.show(customerForm)
	r := ask(b, api.FillForm, fields("name", "山田太郎", "kana", "", "kanji", "𠮷😀", "upper", "abc", "day", "2026-11-30", "pass", "p@ss", "memo", "一\r\n二",
		"branch", " 東京支店", "clerk", "山田 太郎", "days", "月", "mail", false, "agree", true, "person", true, "company", true))
	if got := became(r); got != "ok keys, ok keys, ok script, ok keys differs, ok script, ok keys, ok keys, ok, ok, ok, ok, ok, ok differs, ok" { // person: company took its place
		t.Errorf("the fields: %s", got)
	}
	if r.URL == "" || *r.Title != "form" || r.Loading {
		t.Errorf("%+v", r.PageState)
	}
	b.shows(id("changes"), "name kanji upper day pass memo branch clerk mail agree company")
	holds := `山田太郎||𠮷😀|ABC|2026-11-30|p@ss|一` + "\n" + `二|1|1|true|false|false|true|false|true`
	script := `return [f.name.value, f.kana.value, f.kanji.value, f.upper.value, f.day.value, f.pass.value, f.memo.value, f.branch.selectedIndex, f.clerk.selectedIndex,
	f.days.options[0].selected, f.days.options[1].selected, f.mail.checked, f.agree.checked, f.person.checked, f.company.checked].join('|')`
	want, _ := json.Marshal(holds)
	if got := b.eval("var f = {}; for (var i = 0, e = document.forms[0].elements; i < e.length; i++) f[e[i].id] = e[i]; " + script); got != string(want) {
		t.Errorf("the form holds %s\nwant %s", got, want)
	}
	again := ask(b, api.FillForm, fields("mail", false, "company", true, "branch", "東京支店", "name", "山田太郎"))
	if got := became(again); got != "ok, ok, ok, ok keys" {
		t.Errorf("once more: %s", got)
	}
}

// eval runs a script of the test itself in the session's page.
func (b *browser) eval(script string) string {
	b.t.Helper()
	raw, err := b.Worker.sessions[b.ref.SessionID].driver.Execute(b.t.Context(), script, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return string(raw)
}

func TestFillFormWithMasks(t *testing.T) {
	b := share(t)
	b.visit("/fields/masked")
	r := ask(b, api.FillForm, fields("dateMask", "20261130", "amount", "1234567", "limited", "1234567890", "digits", "a1b2", "phone1", "090", "phone2", "1234", "phone3", "5678",
		"quantity", "500", "prefecture", "東京都", "city", "港区", "plain", "é"))
	if got := became(r); got != "ok keys differs, ok keys differs, ok keys differs, ok keys differs, ok keys, ok keys, ok keys, ok keys differs, ok, ok, ok keys" {
		t.Errorf("the fields: %s", got)
	}
	script := `var ids = ['dateMask', 'amount', 'limited', 'digits', 'phone1', 'phone2', 'phone3', 'quantity', 'city', 'plain'], s = [];
	for (var i = 0; i < ids.length; i++) s[i] = document.getElementById(ids[i]).value; return s.join()`
	if got := b.eval(script); got != `"2026/11/30,1,234,567,12345678,12,090,1234,5678,10,13103,é"` {
		t.Errorf("the form holds %s", got)
	}
}

func TestFillFormStopsAtTheFirstFailure(t *testing.T) {
	b := share(t)
	b.show(customerForm)
	hurried := b.within(1500 * time.Millisecond) // for what is waited for; the first field must be done by then
	for _, c := range []struct {
		last        any
		field, want string
	}{
		{"x", "nothing", "failed ELEMENT_NOT_FOUND"},
		{"x", "off", "failed ELEMENT_NOT_INTERACTABLE"},
		{"x", "push", "failed ELEMENT_NOT_INTERACTABLE"},
		{true, "kana", "failed ELEMENT_NOT_INTERACTABLE"},
		{"on", "mail", "failed ELEMENT_NOT_INTERACTABLE"},
		{false, "person", "failed ELEMENT_NOT_INTERACTABLE"},
		{"名古屋支店", "branch", "failed ELEMENT_NOT_FOUND"},
		{"a\nb", "kana", "failed INVALID_ARGUMENT"},
	} {
		asked := b
		if strings.HasSuffix(c.want, "NOT_FOUND") || c.field == "off" {
			asked = hurried
		}
		r := ask(asked, api.FillForm, fields("name", "abc", c.field, c.last, "memo", "never"))
		if got := became(r); got != "ok keys, "+c.want+", skipped" {
			t.Errorf("%s: %s", c.field, got)
		}
		if e := r.Fields[1].Error; e != nil && e.Code != api.InvalidArgument && (e.Selector == nil || e.Selector.Value != c.field) || r.URL == "" {
			t.Errorf("%s: %+v, %+v", c.field, e, r.PageState)
		}
	}
	if got := b.eval("return document.getElementById('memo').value + document.getElementById('kana').value"); got != `""` {
		t.Errorf("fields that were skipped or refused hold %s", got)
	}

	// The focus leaves the field, and the page asks.
	r := ask(b, api.FillForm, fields("asks", "a", "after", "b", "memo", "never"))
	if got := became(r); got != "ok keys, failed DIALOG_OPEN, skipped" || r.Dialog == nil || r.Dialog.Message != "確認" {
		t.Errorf("%s, %+v", got, r.PageState)
	}
	ask(b, api.HandleDialog, api.HandleDialogInput{Action: api.Accept})

	// The page goes elsewhere in the middle: the next field is looked for there.
	r = ask(b, api.FillForm, fields("jump", "行く", "name", "new", "kana", "x"))
	if got := became(r); got != "ok, ok keys, ok keys" || !strings.HasSuffix(r.URL, "/?jumped") {
		t.Errorf("%s, %+v", got, r.PageState)
	}
	b.call.Policy.Origins = []string{"http://elsewhere.invalid"}
	refused(b, api.FillForm, fields("name", "secret"), api.URLNotAllowed)
	if got := b.eval("return document.getElementById('name').value"); got != `"new"` {
		t.Errorf("a page that is not allowed was given %s", got)
	}
}
