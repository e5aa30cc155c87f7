package page

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"iemesh/api"
)

func on(v bool) api.FieldValue { return api.FieldValue{On: &v} }

func words(s string) api.FieldValue { return api.FieldValue{Text: s} }

// act does with an element what the driver is told to, by its reference.
func act(t *testing.T, ref Ref, command string, body any) {
	t.Helper()
	var reference map[string]string
	if err := json.Unmarshal(ref, &reference); err != nil {
		t.Fatalf("%s: %v", ref, err)
	}
	for _, element := range reference {
		must(t, http.MethodPost, "/element/"+element+"/"+command, body)
	}
}

const formPage = `<form><input id=a value=old><input id=mangled><input id=day type=date>
<input id=comma onblur="this.value = this.value.replace(/^1000$/, '1,000')">
<select id=s><option>選択<option value=13>東京　
支店</select><select id=m multiple><option selected>x<option>y</select>
<input id=box type=checkbox><label for=one><input id=one name=r type=radio checked>1</label><input id=two name=r type=radio>
<input id=off disabled><p id=p>x</p><input id=last></form>`

func TestForm(t *testing.T) {
	open(t, formPage)
	bothModes(t, func(t *testing.T, ex Executor) {
		js(t, "document.forms[0].reset()")
		form := NewForm([]api.FormField{{Target: id("a"), Value: words("new")}, {Target: id("mangled"), Value: words("漢字")},
			{Target: id("day"), Value: words("2024-02-29")}, {Target: id("comma"), Value: words("1000")}, {Target: id("s"), Value: words(" 東京 支店")},
			{Target: id("box"), Value: on(true)}, {Target: id("m"), Value: words("x")}, {Target: id("two"), Value: on(true)}, {Target: id("last"), Value: words("é")}})
		next := -1
		step := func(kind FieldKind, set bool, command string, body any) {
			t.Helper()
			next++
			s, err := form.Ready(t.Context(), ex, guardSite, next, nil)
			if err != nil || s.Status != OK || s.Kind != kind || s.Set != set {
				t.Fatalf("field %d: %+v %v", next, s, err)
			}
			if command != "" {
				act(t, s.Ref, command, body)
			}
			form.Filled(next)
		}
		before := func(method api.FillMethod, differs bool) {
			t.Helper()
			if e := form.Entry(next - 1); e.Method != method || e.Differs != differs {
				t.Errorf("field %d: %+v", next-1, e)
			}
		}
		keys := func(s string) any { return map[string]any{"text": s} }
		step(TextField, false, "value", keys("new"))
		step(TextField, false, "value", keys("??"))
		before(api.Keys, false)
		step(ScriptField, false, "", nil)
		before(api.Script, false)
		step(TextField, false, "value", keys("1000"))
		before(api.Script, false)
		step(SelectField, false, "click", keys(""))
		before(api.Keys, false)
		step(BoxField, false, "click", keys(""))
		step(SelectField, true, "", nil)
		step(BoxField, false, "", nil) // which nobody clicks
		step(TextField, false, "", nil)
		if doc, err := form.Review(t.Context(), ex, guardSite); err != nil || *doc.TopURL == "" {
			t.Errorf("%+v %v", doc, err)
		}
		for i, want := range []Entry{{Method: api.Keys}, {Method: api.Script}, {Method: api.Script}, {Method: api.Keys, Differs: true}, {}, {}, {}, {Differs: true}, {Method: api.Script}} {
			if e := form.Entry(i); e.Method != want.Method || e.Differs != want.Differs {
				t.Errorf("in the end field %d: %+v", i, e)
			}
		}
		if got := js(t, `var f = document.forms[0]; return [f.a.value, f.mangled.value, f.day.value, f.comma.value, f.s.selectedIndex, f.box.checked, f.one.checked, f.last.value].join()`); got != `"new,漢字,2024-02-29,1,000,1,true,true,é"` {
			t.Errorf("the form holds %s", got)
		}
	})
}

func TestFormRefuses(t *testing.T) {
	open(t, formPage)
	bothModes(t, func(t *testing.T, ex Executor) {
		js(t, "document.forms[0].reset(); document.getElementById('box').checked = true; document.getElementById('s').selectedIndex = 1")
		for _, c := range []struct {
			field string
			value api.FieldValue
			want  Status
			set   bool
		}{
			{"m", words("x"), OK, true}, {"m", words("y"), OK, false}, {"s", words("大阪"), NoOption, false}, {"s", words("東京 支店"), OK, true},
			{"one", on(true), OK, true}, {"one", on(false), StaysOn, false}, {"two", on(false), OK, true}, {"box", on(true), OK, true}, {"box", on(false), OK, false},
			{"a", on(true), NotBox, false}, {"s", on(true), NotBox, false}, {"box", words("on"), NotEditable, false},
			{"p", words("x"), NotEditable, false}, {"off", words("x"), Disabled, false}, {"none", words("x"), Missing, false},
		} {
			form := NewForm([]api.FormField{{Target: id(c.field), Value: c.value}})
			s, err := form.Ready(t.Context(), ex, guardSite, 0, nil)
			if err != nil || s.Status != c.want || s.Set != c.set || (s.Ref != nil) != (c.want == OK) {
				t.Errorf("%s %+v: %+v %v", c.field, c.value, s, err)
			}
		}
	})
}

// What a form is left with is not looked at in another document, nor set there.
func TestFormAfterANavigation(t *testing.T) {
	open(t, `<input id=a><input id=b>`)
	form := NewForm([]api.FormField{{Target: id("a"), Value: words("secret")}, {Target: id("b"), Value: words("x")}, {Target: api.Locator{By: api.ByXPath, Value: "//a"}}})
	if _, err := form.Ready(t.Context(), chromium, guardSite, 0, nil); err != nil {
		t.Fatal(err)
	}
	form.Filled(0)
	open(t, `<input id=a><input id=b>`)
	if s, err := form.Ready(t.Context(), chromium, guardSite, 1, nil); err != nil || s.Status != OK || form.Entry(0).Differs {
		t.Errorf("%+v %+v %v", s, form.Entry(0), err)
	}
	if got := js(t, "return document.getElementById('a').value"); got != `""` {
		t.Errorf("the field of the other document holds %s", got)
	}
	if s, err := form.Ready(t.Context(), chromium, guardSite, 2, nil); err != nil || s.Status != NeedsFind {
		t.Errorf("%+v %v", s, err)
	}
	if _, err := form.Review(t.Context(), chromium, guardSite); err != nil || form.Entry(0).Differs || form.Entry(1).Differs {
		t.Errorf("%+v %v", form, err)
	}
	openOn(t, foreign, `<input id=a>`)
	if _, err := form.Ready(t.Context(), chromium, guardSite, 0, nil); err != errRefused {
		t.Error(err)
	}
}

// A document that is being left gets no more fields, unless it stays after all.
func TestFormWaitsForTheNextDocument(t *testing.T) {
	open(t, `<input id=a><input id=b>`)
	form := NewForm([]api.FormField{{Target: id("a"), Value: words("x")}, {Target: id("b"), Value: words("y")}})
	if _, err := form.Ready(t.Context(), chromium, guardSite, 0, nil); err != nil {
		t.Fatal(err)
	}
	form.Filled(0)
	js(t, "dispatchEvent(new Event('beforeunload'))")
	start := time.Now()
	for s := (Step{}); s.Status != OK; {
		var err error
		if s, err = form.Ready(t.Context(), chromium, guardSite, 1, nil); err != nil || s.Status != OK && s.Status != Missing {
			t.Fatalf("%+v %v", s, err)
		}
	}
	if took := time.Since(start); took < 400*time.Millisecond {
		t.Errorf("a field of the old document was made ready after %v", took)
	}
}

func TestFileField(t *testing.T) {
	open(t, `<input type=file id=f><label for=g>選ぶ</label><input type=file id=g style="display:none"><input type=file id=off disabled><input id=t>`)
	bothModes(t, func(t *testing.T, ex Executor) {
		for field, want := range map[string]Status{"f": OK, "g": OK, "off": Disabled, "t": NotFile, "none": Missing} {
			if f, err := FileField(t.Context(), ex, guardSite, id(field), nil); err != nil || f.Status != want || (f.Ref != nil) != (want == OK) {
				t.Errorf("%s: %+v %v", field, f, err)
			}
		}
	})
}
