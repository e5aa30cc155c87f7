package page

import (
	"encoding/json"
	"net/http"
	"testing"

	"iemesh/api"
)

func TestActionable(t *testing.T) {
	open(t, `<style>#cover{position:absolute;left:0;top:300px;width:200px;height:50px;background:red}</style>
	<button id=ok>ok</button><button id=off disabled>x</button><button id=none style="display:none">x</button>
	<button id=under style="position:absolute;left:10px;top:310px">x</button><div id=cover>読込中</div>
	<button id=inner><b style="display:block">deep</b></button>
	<div style="height:40px;width:300px;overflow:auto"><p style="height:3000px">x</p><button id=clipped>c</button></div>
	<label for=styled style="position:absolute;left:300px;top:100px;width:50px;height:50px;z-index:2"></label>
	<input type=checkbox id=styled style="position:absolute;left:310px;top:110px">
	<button id=lost style="position:fixed;left:-500px;top:0">x</button><button id=clear style="opacity:0">x</button>
	<a href=# id=link>山田　<b>太郎</b></a><form name=twice id=f></form><p name=other>x</p>
	<p style="height:5000px">x</p><button id=far>far</button>`)
	for loc, want := range map[api.Locator]Status{
		id("ok"): OK, id("off"): Disabled, id("none"): Hidden, id("under"): Covered, id("inner"): OK, id("clipped"): OK, id("styled"): OK,
		id("lost"): Hidden, id("clear"): OK, id("far"): OK, id("nothing"): Missing, id("OK"): Missing,
		{By: api.ByName, Value: "other"}: OK, {By: api.ByName, Value: "link"}: Missing,
		{By: api.ByLinkText, Value: "山田 太郎"}: OK, {By: api.ByLinkText, Value: "山田"}: Missing,
		{By: api.ByXPath, Value: "//a"}: NeedsFind, css("#ok"): OK, css("#ok, ["): NeedsFind, css("u"): Missing,
	} {
		bothModes(t, func(t *testing.T, ex Executor) {
			js(t, "scrollTo(0, 0)")
			if _, old := ex.(oldMode); old && loc.By == api.ByCSS {
				want = NeedsFind
			}
			f, err := Actionable(t.Context(), ex, guardSite, loc, nil)
			if err != nil || f.Status != want || (f.Ref != nil) != (want == OK) {
				t.Fatalf("%s: %s %s (want %s), ref %s: %v", loc, f.Status, f.By, want, f.Ref, err)
			}
			if want == Covered && f.By != `div#cover "読込中"` {
				t.Errorf("by %s", f.By)
			}
			if want == OK {
				again, err := Actionable(t.Context(), ex, guardSite, api.Locator{}, f.Ref)
				if err != nil || again.Status != OK || string(again.Ref) != string(f.Ref) {
					t.Errorf("%s by its ref: %+v %v", loc, again, err)
				}
			}
		})
	}
}

func TestFrameLocator(t *testing.T) {
	open(t, `<form name=main></form><div id=x></div><iframe name=main id=x></iframe>`)
	bothModes(t, func(t *testing.T, ex Executor) {
		for loc, want := range map[api.Locator]Status{{By: api.ByName, Value: "main"}: OK, id("x"): OK, id("y"): Missing, {By: api.ByXPath, Value: "//iframe"}: NeedsFind} {
			f, err := FrameLocator(t.Context(), ex, guardSite, loc)
			if err != nil || f.Status != want {
				t.Fatalf("%s: %s %v", loc, f.Status, err)
			}
			if want == OK {
				if name := js(t, "return arguments[0].tagName", f.Ref); name != `"IFRAME"` {
					t.Errorf("found %s", name)
				}
			}
		}
	})
}

// typeInto types into the field as the worker does.
func typeInto(t *testing.T, ex Executor, loc api.Locator, keys, want string, clear bool) (Field, Fill) {
	t.Helper()
	field, err := Editable(t.Context(), ex, guardSite, loc, nil, clear)
	if err != nil || field.Status != OK {
		t.Fatalf("%+v %v", field, err)
	}
	if keys != "" {
		var ref map[string]string
		if err := json.Unmarshal(field.Ref, &ref); err != nil {
			t.Fatal(err)
		}
		for _, element := range ref {
			must(t, http.MethodPost, "/element/"+element+"/value", map[string]any{"text": keys})
		}
	}
	fill, err := Filled(t.Context(), ex, guardSite, want, clear)
	if err != nil {
		t.Fatal(err)
	}
	return field, fill
}

func TestFill(t *testing.T) {
	const log = `<script>var seen = ''; function note(e) { seen += e.type + ' '; }</script>`
	field := func(attrs string) string {
		return `<input id=x onkeydown=note(event) onkeyup=note(event) oninput=note(event) onchange=note(event) ` + attrs + `>`
	}
	const set = "keydown input keyup change "
	for _, c := range []struct {
		name, html, keys, want string
		keep                   bool // clear is false
		method                 api.FillMethod
		differs                bool
		value, events          string
	}{
		{name: "typed", html: field("value=old"), keys: "new", want: "new", method: api.Keys, value: "new"},
		{name: "appended", html: field("value=old"), keys: "new", want: "new", keep: true, method: api.Keys, value: "oldnew"},
		{name: "number appended", html: field("type=number value=12"), keys: "3", want: "3", keep: true, method: api.Keys, value: "123"},
		{name: "email replaced", html: field("type=email value=a@b"), keys: "c@d", want: "c@d", method: api.Keys, value: "c@d"},
		{name: "no keys came", html: field("value=old"), want: "new", method: api.Script, value: "new", events: set},
		{name: "emptied", html: field("value=old"), want: "", method: api.Script, value: "", events: set},
		{name: "mangled", html: field("value=old"), keys: "a?b", want: "a漢b", method: api.Script, value: "a漢b"},
		{name: "mangled append", html: field("value=old"), keys: "a", want: "a漢", keep: true, method: api.Script, value: "olda漢"},
		{name: "upper case", html: `<input id=x oninput="this.value=this.value.toUpperCase()">`, keys: "ab漢", want: "ab漢", method: api.Keys, differs: true, value: "AB漢"},
		{name: "full", html: field("maxlength=3"), keys: "日本語文字", want: "日本語文字", method: api.Keys, differs: true, value: "日本語"},
		{name: "no more than fits", html: field("maxlength=2 value=x"), want: "日本語", method: api.Script, differs: true, value: "日本", events: set},
		{name: "date", html: field("type=date"), want: "2024-02-29", method: api.Script, value: "2024-02-29", events: set},
		{name: "area", html: `<textarea id=x>old</textarea>`, keys: "a\nb", want: "a\r\nb", method: api.Keys, value: "a\nb"},
		{name: "rich", html: `<div id=x contenteditable>old</div>`, keys: "new", want: "new", method: api.Keys, value: "new"},
		{name: "rich appended", html: `<div id=x contenteditable>old</div>`, keys: "new", want: "new", keep: true, method: api.Keys, value: "oldnew"},
		{name: "rich by script", html: `<div id=x contenteditable>old</div>`, want: "漢", keep: true, method: api.Script, value: "old漢"},
		{name: "password", html: field("type=password value=old"), keys: "s3cret", want: "s3cret", method: api.Keys, value: "s3cret"},
		{name: "framework", html: field("") + `<script>Object.defineProperty(x, 'value', {get: function () { return Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').get.call(this) }, set: function () { seen += 'own ' }, configurable: true})</script>`,
			want: "v", method: api.Script, value: "v"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bothModes(t, func(t *testing.T, ex Executor) {
				if _, old := ex.(oldMode); old && c.name == "framework" {
					return // no such frameworks there
				}
				open(t, log+c.html)
				_, fill := typeInto(t, ex, id("x"), c.keys, c.want, !c.keep)
				if fill.Gone || fill.Method != c.method || fill.Differs != c.differs {
					t.Errorf("%+v", fill)
				}
				want, _ := json.Marshal(c.value)
				if got := js(t, `var x = document.getElementById('x'); return 'value' in x ? x.value : x.innerText`); got != string(want) {
					t.Errorf("value %s", got)
				}
				if got := js(t, "return seen"); c.events != "" && got != `"`+c.events+`"` {
					t.Errorf("events %s", got)
				}
			})
		})
	}
}

func TestEditableRefuses(t *testing.T) {
	open(t, `<input id=ro readonly value=v><input id=box type=checkbox><input id=off disabled><p id=p>x</p><textarea id=area></textarea><input id=line value=v>`)
	bothModes(t, func(t *testing.T, ex Executor) {
		for name, want := range map[string]Status{"ro": ReadOnly, "box": NotEditable, "off": Disabled, "p": NotEditable, "area": OK, "line": OK, "none": Missing} {
			f, err := Editable(t.Context(), ex, guardSite, id(name), nil, true)
			if err != nil || f.Status != want || want == OK && (f.Kind != TextField || f.OneLine != (name == "line") || f.Empty != (name == "area")) {
				t.Errorf("%s: %+v %v", name, f, err)
			}
		}
	})
}

func TestFilledWithoutItsField(t *testing.T) {
	for name, act := range map[string]string{"removed": "x.remove()", "other document": "location.reload()"} {
		open(t, `<input id=x>`)
		if _, err := Editable(t.Context(), chromium, guardSite, id("x"), nil, true); err != nil {
			t.Fatal(err)
		}
		js(t, act)
		if fill, err := Filled(t.Context(), chromium, guardSite, "v", true); err != nil || !fill.Gone {
			t.Errorf("%s: %+v %v", name, fill, err)
		}
	}
}

func TestOption(t *testing.T) {
	open(t, `<select id=s><option>a<option value=13>東京　
	支店<option disabled>off<option value="">empty<optgroup disabled label=g><option>grouped</select><select id=m multiple><option>x</select><input id=i>`)
	bothModes(t, func(t *testing.T, ex Executor) {
		js(t, "s.selectedIndex = 0")
		for _, c := range []struct {
			by    api.OptionBy
			key   string
			want  Status
			index int
		}{
			{api.OptionText, "東京 支店", OK, 1}, {api.OptionText, " 東京　支店 ", OK, 1}, {api.OptionText, "東京", NoOption, 0},
			{api.OptionValue, "13", OK, 1}, {api.OptionValue, "a", OK, 0}, {api.OptionValue, "", OK, 3},
			{api.OptionIndex, "0", OK, 0}, {api.OptionIndex, "9", NoOption, 0},
			{api.OptionText, "off", OptionDisabled, 0}, {api.OptionText, "grouped", OptionDisabled, 0},
		} {
			o, err := Option(t.Context(), ex, guardSite, id("s"), nil, c.by, c.key)
			if err != nil || o.Status != c.want || o.Index != c.index || o.Selected != (o.Status == OK && c.index == 0) || (o.Ref != nil) != (c.want == OK) {
				t.Errorf("%s %q: %+v %v", c.by, c.key, o, err)
			}
		}
		if o, err := Option(t.Context(), ex, guardSite, id("i"), nil, api.OptionText, "x"); err != nil || o.Status != NotSelect {
			t.Errorf("%+v %v", o, err)
		}
		if o, err := Option(t.Context(), ex, guardSite, id("m"), nil, api.OptionText, "x"); err != nil || !o.Multiple {
			t.Errorf("%+v %v", o, err)
		}
		if c, err := Selected(t.Context(), ex, guardSite); err != nil || c.Gone || c.Index != -1 {
			t.Errorf("nothing chosen: %+v %v", c, err)
		}
		o, err := Option(t.Context(), ex, guardSite, id("s"), nil, api.OptionValue, "13")
		if err != nil {
			t.Fatal(err)
		}
		js(t, "arguments[0].selected = true", o.Ref)
		if c, err := Selected(t.Context(), ex, guardSite); err != nil || c.Gone || c.Index != 1 || c.Text != "東京 支店" || c.Value != "13" {
			t.Errorf("%+v %v", c, err)
		}
	})
}

func TestHolds(t *testing.T) {
	open(t, `<title>顧客詳細</title><p id=p>あ <b>い</b></p><p id=none style="display:none">x</p><button id=off disabled>x</button>
	<div style="opacity:0"><p id=clear>x</p></div><input id=i value="in it"><input id=pw type=password value=secret><select id=s><option>one<option>two</select>
	<iframe src="about:blank"></iframe>`)
	target := func(s string) *api.Locator { l := id(s); return &l }
	for _, c := range []struct {
		in   api.WaitInput
		want bool
	}{
		{api.WaitInput{Type: api.Present, Target: target("none")}, true}, {api.WaitInput{Type: api.Present, Target: target("zzz")}, false},
		{api.WaitInput{Type: api.Visible, Target: target("p")}, true}, {api.WaitInput{Type: api.Visible, Target: target("none")}, false},
		{api.WaitInput{Type: api.Visible, Target: target("clear")}, false},
		{api.WaitInput{Type: api.Enabled, Target: target("p")}, true}, {api.WaitInput{Type: api.Enabled, Target: target("off")}, false},
		{api.WaitInput{Type: api.TextHas, Target: target("p"), Text: "あ　い"}, true}, {api.WaitInput{Type: api.TextHas, Target: target("p"), Text: "う"}, false},
		{api.WaitInput{Type: api.TextHas, Target: target("i"), Text: "in it"}, true}, {api.WaitInput{Type: api.TextHas, Target: target("s"), Text: "two"}, true},
		{api.WaitInput{Type: api.TextHas, Target: target("pw"), Text: "secret"}, false},
		{api.WaitInput{Type: api.URLHas, Text: "127.0.0.1"}, true}, {api.WaitInput{Type: api.URLHas, Text: "nowhere"}, false},
		{api.WaitInput{Type: api.TitleHas, Text: "詳細"}, true}, {api.WaitInput{Type: api.TitleHas, Text: "検索"}, false},
		{api.WaitInput{Type: api.Gone, Target: target("p")}, false}, {api.WaitInput{Type: api.Gone, Target: target("none")}, true},
		{api.WaitInput{Type: api.Gone, Target: target("zzz")}, true}, {api.WaitInput{Type: api.PageLoaded}, true},
	} {
		bothModes(t, func(t *testing.T, ex Executor) {
			if h, err := Holds(t.Context(), ex, guardSite, c.in, nil); err != nil || h.Holds != c.want {
				t.Errorf("%s %v %q: %+v %v", c.in.Type, c.in.Target, c.in.Text, h, err)
			}
		})
	}
}
