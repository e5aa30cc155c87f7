package page

import (
	"encoding/json"
	"strings"
	"testing"

	"iemesh/api"
)

// A form and a document whose properties are hidden by names of children.
func TestClobberedPage(t *testing.T) {
	names := []string{"id", "name", "tagName", "nodeName", "nodeType", "parentNode", "value", "children", "childNodes", "firstChild",
		"nextSibling", "getAttribute", "disabled", "offsetWidth", "onclick", "style", "title", "className", "contains", "checkVisibility"}
	var form strings.Builder
	form.WriteString(`<form id=f><b>head</b>`)
	for _, n := range names {
		form.WriteString(`<input name=` + n + `>`)
	}
	form.WriteString(`<button id=go>go</button></form>`)
	var images strings.Builder
	for _, n := range []string{"body", "title", "readyState", "getElementById", "getElementsByTagName", "getElementsByName", "querySelectorAll", "documentMode", "elementFromPoint", "documentElement"} {
		images.WriteString(`<form name=` + n + `></form>`)
	}
	page := `<title>clobbered</title><p>before</p>` + form.String() + `<p>after</p>` + images.String()
	open(t, page)
	r, doc, err := Inspect(t.Context(), chromium, guardSite, api.InspectInput{})
	if err != nil || r.Text != "before head go after" || r.TotalElements != len(names)+1 || doc.Title != "clobbered" || !doc.Complete || doc.Mode != 0 {
		t.Errorf("%d elements, %+v, %+v, %v", len(names), r, doc, err)
	}
	// For each element that it returns, chromedriver climbs to the document; it
	// fails without documentElement, and never comes back from a form that hides
	// parentNode.
	open(t, strings.NewReplacer("<input name=parentNode>", "", "<form name=documentElement>", "<form>").Replace(page))
	for _, loc := range []api.Locator{id("go"), css("#go"), {By: api.ByName, Value: "value"}} {
		if f, err := Actionable(t.Context(), chromium, guardSite, loc, nil); err != nil || f.Status != OK {
			t.Errorf("%s: %+v %v", loc, f, err)
		}
	}
	if _, fill := typeInto(t, chromium, api.Locator{By: api.ByName, Value: "nextSibling"}, "v", "v", true); fill.Method != api.Keys {
		t.Errorf("%+v", fill)
	}
}

func TestPollutedPage(t *testing.T) {
	open(t, `<script>Object.prototype.evil = 'x'; Object.prototype.status = 'covered';
	Array.prototype.extra = [1]; Object.prototype.loop = window; Object.prototype.failed = 'yes';</script><p>text</p><button id=x>b</button>`)
	r, _, err := Inspect(t.Context(), chromium, guardSite, api.InspectInput{})
	if err != nil || r.Text != "text b" || len(r.Elements) != 1 {
		t.Errorf("%+v %v", r, err)
	}
}

func TestOddStrings(t *testing.T) {
	open(t, `<p id=p></p><a href=x id=a>x</a><script>
	document.title = 'a\ud800b\u2028"\\\uffff\ufdd0';
	p.innerText = 'lone \udc00 \ud800 \u0007 "\\';
	a.setAttribute('name', new Array(100001).join('n'));
	a.title = new Array(200).join('x') + '\ud83d\ude00';</script>`)
	bothModes(t, func(t *testing.T, ex Executor) {
		r := inspect(t, ex, `{}`)
		if r.Title != "a\ufffdb\u2028\"\\\uffff\ufdd0" || r.Text != "lone \ufffd \ufffd \u0007 \"\\ x" {
			t.Errorf("%q %q", r.Title, r.Text)
		}
		if e := r.Elements[0]; e.Name != strings.Repeat("n", 200)+"…" || e.Label != strings.Repeat("x", 199)+"…" {
			t.Errorf("%+v", e)
		}
	})
}

func TestDeepPage(t *testing.T) {
	open(t, `<div id=d style="display:none"></div><script>for (var n = d, i = 0; i < 3000; i++) n = n.appendChild(document.createElement('i'));
	n.appendChild(document.createTextNode('deep'))</script>`)
	if r := inspect(t, chromium, `{}`); r.Text != "" {
		t.Errorf("%+v", r)
	}
}

func TestFailureQuotesNothing(t *testing.T) {
	open(t, `<p>x</p><script>String.prototype.replace = function () { throw new Error('SECRET') }</script>`)
	if _, _, err := Inspect(t.Context(), chromium, guardSite, api.InspectInput{}); err == nil || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("%v", err)
	}
}

func TestPageCannotReadTheScript(t *testing.T) {
	open(t, `<input id=x><script>var stolen = '', old = String.prototype.replace;
	String.prototype.replace = function () {
		for (var f = arguments.callee, i = 0; f && i < 9; f = f.caller, i++) stolen += f;
		return old.apply(this, arguments);
	}</script>`)
	if _, fill := typeInto(t, chromium, id("x"), "", "TYPED", true); fill.Method != api.Script {
		t.Errorf("%+v", fill)
	}
	if stolen := js(t, "return stolen"); !strings.Contains(stolen, "stolen") || strings.Contains(stolen, "TYPED") {
		t.Errorf("the page has %s", stolen)
	}
}

func TestLiteral(t *testing.T) {
	for _, s := range []string{"</script>", "\u2028\u2029", "\U00020000\U0010ffff", "\x00\x1f\x7f", `"'\`, "é漢", strings.Repeat("長", 100000)} {
		l, err := literal(map[string]string{"s": s})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range l {
			if r > 0x7e && r != 0x7f {
				t.Fatalf("%q has %q", s, r)
			}
		}
		var got string
		if err := json.Unmarshal([]byte(js(t, "return "+l+".s")), &got); err != nil || got != s {
			t.Errorf("%.20q became %.20q: %v", s, got, err)
		}
	}
}
