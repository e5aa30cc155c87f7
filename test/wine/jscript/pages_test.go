package jscript

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"iemesh/api"
	"iemesh/worker/legacyapp"
	"iemesh/worker/page"
)

// written are pages of this test's own, beside those of the legacy application.
var written = map[string]string{
	"/written/texts": `<title>a "題\` + "\u2028" + `</title><b>a</b>b <i>c</i><div>a</div><div>b</div>c<br>d<p>` + "\n x \t y\u00a0\u3000z \n" + `</p>
		a<script>x</script><style>y</style> b a<span style="display:none">x</span>b<p style="visibility:hidden">x<b style="visibility:visible">y</b></p>
		<textarea>x</textarea><select><option>y</select>z<noscript>x</noscript><!-- no --><p>` + "\U00020000\U0001F600 lone \ufffd \u0007" + `</p>`,
	"/written/elements": `<body onclick="x"><a href="javascript:void(0)" name=top id=a1>link</a><a href=x><img alt=登録 width=9 height=9></a>
		<div onclick="x" id=d>push <span>me</span></div><a href=x id=none style="display:none">no</a><a href=x style="visibility:hidden">no</a>
		<div style="height:0;overflow:hidden"><a href=x style="display:block;height:0">no</a></div><div style="opacity:0"><p id=clear>x</p></div>
		<input type=password id=pw value=secret><input type=checkbox checked title=check><input type=radio disabled>
		<input id=f value="v w" readonly><label>Wrapped <input id=w></label><label for=named>For</label><input id=named name=n>
		<input aria-label=aria placeholder=ph><table><tr><td>住所 <td><input id=cell></table><button id=off disabled>x</button>
		<map name=m><area href=http://h/ alt=北 coords=0,0,5,5></map><img usemap=#m width=10 height=10>
		<map name=unused><area href=x></map><textarea id=t>long
text</textarea><input type=button value=Go><select id=s><option>a<option value=13 selected>東京　
		支店<option disabled>off<option value="">empty<optgroup disabled label=g><option>grouped</select><select id=m multiple><option>x</select>
		<iframe id=fr name=main src=about:blank></iframe>` + strings.Repeat(`<a href=x id="`+strings.Repeat("あ", 100)+`">あ</a>`, 20),
	"/written/covers": `<style>#cover{position:absolute;left:0;top:300px;width:200px;height:50px;background:red}</style>
		<button id=ok>ok</button><button id=off disabled>x</button><button id=none style="display:none">x</button>
		<button id=under style="position:absolute;left:10px;top:310px">x</button><div id=cover>読込中</div>
		<button id=inner><b style="display:block">deep</b></button>
		<label for=styled style="position:absolute;left:300px;top:100px;width:50px;height:50px;z-index:2"></label>
		<input type=checkbox id=styled style="position:absolute;left:310px;top:110px">
		<button id=lost style="position:fixed;left:-500px;top:0">x</button><button id=seethrough style="opacity:0">x</button>
		<a href=# id=link>山田　<b>太郎</b></a><p name=other id=p>x</p><input type=file id=file>
		<p style="height:5000px">x</p><button id=far>far</button>`,
	"/written/tables": `<table id=t1><caption>題</caption><thead><tr><td>番号<td>名<tbody><tr><th>1<th>山田<tfoot><tr><td>計<td>1</table>
		<table id=t2><tr><th rowspan=2>支店<th colspan=2>売上<tr><th>上期<th>下期<tr><th>東京<td>1<td>2<tr><th>a<th>b<th>c</table>
		<table id=t3><tr><td rowspan=3>A<td>1<td colspan=2 rowspan=2>B<tr><td>2<tr><td>3<td>x<td>y<tr><td colspan=4>計<tr><td>z</table>
		<table id=t4><tr><td rowspan=2>A<td>1<tr style="display:none"><td>no<tr><td style="display:none">no<td>2<tr style="visibility:hidden"><td>no<td>no<tr><td>B<td><i style="display:none">no</i>3</table>
		<table id=t5><tr><td>a<table><tr><th>in<td>side</table>b<td>c<tr><td>d<td>e</table><table id=t6></table><table id=t7 style="display:none"><tr><td>x</table>
		<table id=t8><tr><td>` + strings.Repeat("長", 3000) + `<td>b<tr><td>c</table>`,
	"/written/frameset": `<frameset cols="50%,50%"><frame id=a name=a src=about:blank><frame id=b name=b src=about:blank></frameset>`,
	"/written/hidden-names": `<p>before</p><form id=f><b>head</b><input name=id><input name=name><input name=nodeName><input name=nodeType><input name=value>
		<input name=getAttribute><input name=disabled><input name=offsetWidth><input name=onclick><input name=title><input name=className>
		<input name=tagName><button id=go>go</button></form><p id=after>after</p>`,
	"/written/empty": ``,
	"/written/fields": `<form><input id=x value=old><input id=three maxlength=3><textarea id=area>old</textarea><div id=rich contenteditable>old</div>
		<input id=ro readonly><input id=day type=date><select id=s><option>選択<option value=13>東京　
		支店</select><input id=box type=checkbox><input id=one name=r type=radio checked><input id=last></form>`,
}

// served are pages of the legacy application that stand still.
var served = []string{
	"/", "/customer", "/customer/search?customerName=&branch=", "/customer/detail?id=C0001", "/register", "/obscured", "/fields", "/fields/masked", "/fields/form",
	"/frames/nested", "/frameset/search", "/charset/sjis", "/upload/hidden", "/table/merged", "/table/small", "/image", "/click", "/write", "/keyboard", "/mode/quirks",
}

// TestScripts compares what each script that reads says of each page in both engines.
func TestScripts(t *testing.T) {
	commands := 0
	for _, path := range append(served, slices.Sorted(maps.Keys(written))...) {
		t.Run(path, func(t *testing.T) {
			model := jscript.take(t, site+path)
			before := model.do(t, "return globals()")
			for _, q := range questions(t) {
				commands++
				want, err := q.put(t, chromium)
				if err != nil {
					t.Fatalf("%s: Chromium: %v", q.name, err)
				}
				got, err := q.put(t, model)
				if err != nil {
					t.Errorf("%s: %v", q.name, err)
				} else if got != want {
					t.Errorf("%s\nJScript  %s\nChromium %s", q.name, got, want)
				}
			}
			if after := model.do(t, "return globals()"); after != before {
				t.Errorf("the scripts left globals: %s, before %s", after, before)
			}
		})
	}
	t.Logf("%d answers compared", commands)
}

// TestHiddenNeighbours is apart because chromedriver never comes back from a form that hides
// parentNode, for any element that a script gives it.
func TestHiddenNeighbours(t *testing.T) {
	for _, name := range []string{"parentNode", "firstChild", "nextSibling", "childNodes"} {
		d := jscript.take(t, site+"/hidden/"+name)
		for _, q := range []question{{"inspect", inspect(api.InspectInput{})}, {"text", holds(api.WaitInput{Type: api.TextHas, Target: &api.Locator{By: api.ByID, Value: "f"}, Text: "go"})}} {
			want, err := q.put(t, chromium)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := q.put(t, d); err != nil || got != want {
				t.Errorf("%s: %s\nJScript  %s %v\nChromium %s", name, q.name, got, err, want)
			}
		}
		for _, id := range []string{"go", "after"} {
			if f, err := page.Actionable(t.Context(), d, guard, api.Locator{By: api.ByID, Value: id}, nil); err != nil || f.Status != page.OK {
				t.Errorf("%s: %s: %+v %v", name, id, f, err)
			}
		}
	}
}

// serveSite serves the legacy application and the written pages.
func serveSite() *httptest.Server {
	mux := http.NewServeMux()
	mux.Handle("/", legacyapp.New())
	serve := func(path string, html func(*http.Request) string) {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			io.WriteString(w, html(r))
		})
	}
	for path, html := range written {
		serve(path, func(*http.Request) string { return html })
	}
	serve("/hidden/{name}", func(r *http.Request) string {
		return `<p>before</p><form id=f><b>head</b><input name=` + r.PathValue("name") + `><button id=go>go</button></form><p id=after>after</p>`
	})
	return httptest.NewServer(mux)
}

func guard(href string, _ bool) (string, error) { return href, nil }

// take builds the document that Chromium makes of a page.
func (e *engine) take(t *testing.T, url string) document {
	t.Helper()
	if err := chromium.Navigate(t.Context(), url, 20*time.Second); err != nil {
		t.Fatal(err)
	}
	raw, err := chromium.Execute(t.Context(), dumpJS, []any{})
	if err != nil {
		t.Fatal(err)
	}
	var dump string
	if err := json.Unmarshal(raw, &dump); err != nil {
		t.Fatal(err)
	}
	d, err := e.show(t.Context(), dump)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// ask has a script run, and gives its answer.
type ask func(*testing.T, page.Executor) (any, page.Doc, error)

// question is a script with its input. Its answer has nothing that may differ: no
// token, no element's id, no document mode.
type question struct {
	name string
	ask  ask
}

func (q question) put(t *testing.T, ex page.Executor) (string, error) {
	t.Helper()
	answer, doc, err := q.ask(t, ex)
	if err != nil {
		return "", err
	}
	doc.Token, doc.Mode, doc.Charset, doc.Fresh = "", 0, "", false
	text, err := json.Marshal([]any{answer, doc})
	return string(text), err
}

// questions are those that fit what Chromium shows.
func questions(t *testing.T) []question {
	t.Helper()
	raw, err := chromium.Execute(t.Context(), `
		var names = {};
		Array.from(document.querySelectorAll('[id]:not(form)')).slice(0, 15).forEach(function (e) { names[e.id] = e.nodeName; });
		return names`, []any{})
	if err != nil {
		t.Fatal(err)
	}
	var names map[string]string
	if err := json.Unmarshal(raw, &names); err != nil {
		t.Fatal(err)
	}
	list := []question{
		{"state", func(t *testing.T, ex page.Executor) (any, page.Doc, error) {
			doc, err := page.State(t.Context(), ex, guard)
			return nil, doc, err
		}},
		{"inspect", inspect(api.InspectInput{})},
		{"inspect a part", inspect(api.InspectInput{Offset: 2, Limit: 3, TextOffset: 5})},
		{"focused", func(t *testing.T, ex page.Executor) (any, page.Doc, error) {
			f, err := page.Focused(t.Context(), ex, guard, true)
			return []any{f.Status, f.Frame}, f.Doc, err
		}},
		{"holds ready", holds(api.WaitInput{Type: api.PageLoaded})},
		{"holds url", holds(api.WaitInput{Type: api.URLHas, Text: "127.0.0.1"})},
		{"holds title", holds(api.WaitInput{Type: api.TitleHas, Text: "顧客"})},
		{"by link", actionable(api.Locator{By: api.ByLinkText, Value: "/customer"})},
		{"by name", actionable(api.Locator{By: api.ByName, Value: "customerName"})},
		{"by xpath", actionable(api.Locator{By: api.ByXPath, Value: "//a"})},
		{"missing", actionable(api.Locator{By: api.ByID, Value: "nothing"})},
	}
	for id, name := range names {
		target := api.Locator{By: api.ByID, Value: id}
		list = append(list,
			question{"actionable " + id, actionable(target)},
			question{"visible " + id, holds(api.WaitInput{Type: api.Visible, Target: &target})},
			question{"enabled " + id, holds(api.WaitInput{Type: api.Enabled, Target: &target})},
			question{"text " + id, holds(api.WaitInput{Type: api.TextHas, Target: &target, Text: "京 支"})})
		switch name {
		case "TABLE":
			list = append(list, question{"table " + id, table(api.ReadTableInput{Target: target})},
				question{"table from " + id, table(api.ReadTableInput{Target: target, Offset: 1, Limit: 2})})
		case "SELECT":
			list = append(list, question{"option " + id, option(target, api.OptionText, "東京　 支店")}, question{"option by value " + id, option(target, api.OptionValue, "a")},
				question{"option by index " + id, option(target, api.OptionIndex, "2")})
		case "FRAME", "IFRAME":
			list = append(list, question{"frame " + id, func(t *testing.T, ex page.Executor) (any, page.Doc, error) {
				f, err := page.FrameLocator(t.Context(), ex, guard, target)
				return f.Status, f.Doc, err
			}})
		case "INPUT", "TEXTAREA":
			list = append(list, question{"file " + id, func(t *testing.T, ex page.Executor) (any, page.Doc, error) {
				f, err := page.FileField(t.Context(), ex, guard, target, nil)
				return f.Status, f.Doc, err
			}})
		}
	}
	return list
}

func inspect(in api.InspectInput) ask {
	return func(t *testing.T, ex page.Executor) (any, page.Doc, error) {
		r, doc, err := page.Inspect(t.Context(), ex, guard, in)
		r.DocumentMode, r.Charset = 0, ""
		return r, doc, err
	}
}

func holds(in api.WaitInput) ask {
	return func(t *testing.T, ex page.Executor) (any, page.Doc, error) {
		h, err := page.Holds(t.Context(), ex, guard, in, nil)
		return []any{h.Holds, h.Status}, h.Doc, err
	}
}

func actionable(target api.Locator) ask {
	return func(t *testing.T, ex page.Executor) (any, page.Doc, error) {
		f, err := page.Actionable(t.Context(), ex, guard, target, nil)
		if err != nil || f.Ref == nil {
			return []any{f.Status, f.By}, f.Doc, err
		}
		again, err := page.Actionable(t.Context(), ex, guard, api.Locator{}, f.Ref)
		return []any{f.Status, f.By, again.Status, string(again.Ref) == string(f.Ref)}, f.Doc, err
	}
}

func table(in api.ReadTableInput) ask {
	return func(t *testing.T, ex page.Executor) (any, page.Doc, error) {
		r, err := page.ReadTable(t.Context(), ex, guard, in, nil)
		return []any{r.Status, r.ReadTableResult}, r.Doc, err
	}
}

func option(target api.Locator, by api.OptionBy, key string) ask {
	return func(t *testing.T, ex page.Executor) (any, page.Doc, error) {
		c, err := page.Option(t.Context(), ex, guard, target, nil, by, key)
		if err != nil {
			return nil, c.Doc, err
		}
		chosen, err := page.Selected(t.Context(), ex, guard)
		return []any{c.Status, c.By, c.Text, c.Value, c.Index, c.Selected, c.Multiple, chosen.Gone, chosen.Index, chosen.Text, chosen.Value}, c.Doc, err
	}
}
