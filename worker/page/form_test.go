package page

import (
	"encoding/json"
	"net/http"
	"testing"

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

const formPage = `<script>var seen = '', key = 0; function note(e) { seen += (e.target || e.srcElement).id + ':' + e.type + ' '; }</script>
<form onchange=note(event)><input id=a value=old><input id=mangled><input id=day type=date>
<select id=s><option>選択<option value=13>東京　
支店</select><select id=m multiple><option selected>x<option>y</select>
<input id=box type=checkbox><label for=one><input id=one name=r type=radio checked>1</label><input id=two name=r type=radio>
<input id=off disabled><p id=p>x</p><input id=last></form>`

func TestFormStep(t *testing.T) {
	open(t, formPage)
	bothModes(t, func(t *testing.T, ex Executor) {
		js(t, "document.forms[0].reset(); seen = ''")
		step := func(before, next *Entry) Step {
			t.Helper()
			s, err := FormStep(t.Context(), ex, guardSite, before, next, nil)
			if err != nil {
				t.Fatal(err)
			}
			if next != nil {
				next.Kind = s.Kind
			}
			return s
		}
		a := &Entry{Target: id("a"), Value: words("new")}
		if s := step(nil, a); s.Status != OK || s.Kind != TextField || !s.OneLine || s.Empty || s.Before != nil {
			t.Fatalf("%+v", s)
		} else {
			act(t, s.Ref, "value", map[string]any{"text": "new"})
		}
		mangled := &Entry{Target: id("mangled"), Value: words("漢字")}
		if s := step(a, mangled); s.Status != OK || *s.Before != (Fill{Doc: s.Doc, Method: api.Keys}) {
			t.Fatalf("%+v %+v", s, s.Before)
		} else {
			act(t, s.Ref, "value", map[string]any{"text": "??"})
		}
		day := &Entry{Target: id("day"), Value: words("2024-02-29")}
		if s := step(mangled, day); s.Status != OK || s.Kind != ScriptField || s.Before.Method != api.Script || s.Before.Differs {
			t.Fatalf("%+v %+v", s, s.Before)
		}
		choice := &Entry{Target: id("s"), Value: words(" 東京 支店")}
		if s := step(day, choice); s.Status != OK || s.Kind != SelectField || s.Set || s.Before.Method != api.Script || s.Before.Differs {
			t.Fatalf("%+v %+v", s, s.Before)
		} else {
			act(t, s.Ref, "click", map[string]any{})
		}
		box := &Entry{Target: id("box"), Value: on(true)}
		if s := step(choice, box); s.Status != OK || s.Kind != BoxField || s.Set || s.Before.Gone || s.Before.Differs || s.Before.Method != "" {
			t.Fatalf("%+v %+v", s, s.Before)
		} else {
			act(t, s.Ref, "click", map[string]any{})
		}
		two := &Entry{Target: id("two"), Value: on(true)}
		if s := step(box, two); s.Status != OK || s.Before.Differs {
			t.Fatalf("%+v %+v", s, s.Before)
		} // which nobody clicks
		if s := step(two, nil); !s.Before.Differs {
			t.Errorf("a button that stays off: %+v", s.Before)
		}
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
			if s := step(nil, &Entry{Target: id(c.field), Value: c.value}); s.Status != c.want || s.Set != c.set || (s.Ref != nil) != (c.want == OK) {
				t.Errorf("%s %+v: %+v", c.field, c.value, s)
			}
		}
		if got := js(t, `var f = document.forms[0]; return [f.a.value, f.mangled.value, f.day.value, f.s.selectedIndex, f.box.checked, f.one.checked].join()`); got != `"new,漢字,2024-02-29,1,true,true"` {
			t.Errorf("the form holds %s", got)
		}
		if got := js(t, "return seen"); got != `"a:change mangled:change mangled:change day:change s:change box:change "` && got != `"a:change mangled:change day:change s:change box:change "` {
			t.Errorf("events %s", got)
		}
	})
}

// What the form is left with is not looked at in another document, nor set there.
func TestFormStepAfterANavigation(t *testing.T) {
	open(t, `<input id=a><input id=b>`)
	a, b := &Entry{Target: id("a"), Value: words("secret")}, &Entry{Target: id("b"), Value: words("x")}
	s, err := FormStep(t.Context(), chromium, guardSite, nil, a, nil)
	if err != nil {
		t.Fatal(err)
	}
	a.Kind = s.Kind
	open(t, `<input id=a><input id=b>`)
	if s, err = FormStep(t.Context(), chromium, guardSite, a, b, nil); err != nil || !s.Before.Gone || s.Status != OK {
		t.Errorf("%+v %v", s, err)
	}
	if got := js(t, "return document.getElementById('a').value"); got != `""` {
		t.Errorf("the field of the other document holds %s", got)
	}
	if s, err = FormStep(t.Context(), chromium, guardSite, nil, &Entry{Target: api.Locator{By: api.ByXPath, Value: "//input"}, Value: words("x")}, nil); err != nil || s.Status != NeedsFind {
		t.Errorf("%+v %v", s, err)
	}
	openOn(t, foreign, `<input id=a>`)
	if _, err = FormStep(t.Context(), chromium, guardSite, nil, a, nil); err != errRefused {
		t.Error(err)
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
