package jscript

import (
	"testing"

	"iemesh/api"
	"iemesh/worker/page"
)

// TestFill types into fields of mode 7, where typed is what the keys made of them.
func TestFill(t *testing.T) {
	for _, c := range []struct {
		name, id, typed, want string
		keep                  bool // what the field held
		method                api.FillMethod
		differs               bool
		value, done           string
	}{
		{name: "typed", id: "x", typed: "new", want: "new", method: api.Keys, value: "new", done: "x focus,x select"},
		{name: "appended", id: "x", typed: "oldnew", want: "new", keep: true, method: api.Keys, value: "oldnew", done: "x focus,x end range"},
		{name: "no keys came", id: "x", typed: "old", want: "漢\U00020000", method: api.Script, value: "漢\U00020000", done: "x focus,x select,x focus,x onkeydown 229,x onkeyup 229,x onchange"},
		{name: "mangled", id: "x", typed: "a?b", want: "a漢b", method: api.Script, value: "a漢b", done: "x focus,x select,x focus,x onkeydown 229,x onkeyup 229,x onchange"},
		{name: "changed by the page", id: "x", typed: "AB漢", want: "ab漢", method: api.Keys, differs: true, value: "AB漢", done: "x focus,x select"},
		{name: "no more than fits", id: "three", typed: "", want: "日本語文字", method: api.Script, differs: true, value: "日本語", done: "three focus,three select,three focus,three onkeydown 229,three onkeyup 229,three onchange"},
		{name: "lines", id: "area", typed: "a\r\nb", want: "a\nb", method: api.Keys, value: "a\r\nb", done: "area focus,area select"},
		{name: "rich", id: "rich", typed: "old", want: "漢", keep: true, method: api.Script, value: "old漢", done: "rich focus,rich end range,rich focus,rich onkeydown 229,rich onkeyup 229,rich onchange"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := jscript.take(t, site+"/written/fields")
			field, err := page.Editable(t.Context(), d, guard, api.Locator{By: api.ByID, Value: c.id}, nil, !c.keep)
			if err != nil || field.Status != page.OK || field.Kind != page.TextField || field.Doc.Mode != 7 {
				t.Fatalf("%+v %v", field, err)
			}
			property := "value"
			if c.id == "rich" {
				property = "innerText"
			}
			d.do(t, "win.nodes["+index(t, field.Ref)+"]."+property+" = "+literal(c.typed)+"; return 'null'")
			fill, err := page.Filled(t.Context(), d, guard, c.want, !c.keep)
			if err != nil || fill.Gone || fill.Method != c.method || fill.Differs != c.differs {
				t.Errorf("%+v %v", fill, err)
			}
			var got, done string
			d.read(t, "win.nodes["+index(t, field.Ref)+"]."+property, &got)
			if got != c.value {
				t.Errorf("holds %q", got)
			}
			d.read(t, "win.done.join(',')", &done)
			if done != "window onbeforeunload,"+c.done {
				t.Errorf("done %s", done)
			}
		})
	}
}

// TestForm fills in a form of mode 7.
func TestForm(t *testing.T) {
	d := jscript.take(t, site+"/written/fields")
	target := func(id string) api.Locator { return api.Locator{By: api.ByID, Value: id} }
	on := true
	form := page.NewForm([]api.FormField{
		{Target: target("x"), Value: api.FieldValue{Text: "new"}}, {Target: target("area"), Value: api.FieldValue{Text: "漢字"}},
		{Target: target("s"), Value: api.FieldValue{Text: " 東京 支店"}}, {Target: target("box"), Value: api.FieldValue{On: &on}}, {Target: target("last"), Value: api.FieldValue{Text: "é"}},
	})
	act := []string{".value = 'new'", ".value = '??'", ".selected = true", ".checked = true", ".value = '?'"}
	kinds := []page.FieldKind{page.TextField, page.TextField, page.SelectField, page.BoxField, page.TextField}
	for i := range act {
		step, err := form.Ready(t.Context(), d, guard, i, nil)
		if err != nil || step.Status != page.OK || step.Kind != kinds[i] || step.Set {
			t.Fatalf("field %d: %+v %v", i, step, err)
		}
		d.do(t, "win.nodes["+index(t, step.Ref)+"]"+act[i]+"; return 'null'")
		form.Filled(i)
	}
	if _, err := form.Review(t.Context(), d, guard); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		method  api.FillMethod
		differs bool
	}{{api.Keys, false}, {api.Script, false}, {"", false}, {"", false}, {api.Script, false}} {
		if e := form.Entry(i); e.Method != want.method || e.Differs != want.differs {
			t.Errorf("field %d: %+v", i, e)
		}
	}
	if ro, err := page.Editable(t.Context(), d, guard, target("ro"), nil, true); err != nil || ro.Status != page.ReadOnly {
		t.Errorf("%+v %v", ro, err)
	}
}
