package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

var modes = []int{5, 7, 8, 9, 10, 11}

func inMode(mode int) string {
	return fmt.Sprintf(`{"documentMode":%d,"faults":{"popupDelayMs":0,"findMissMs":10}}`, mode)
}

func TestModes(t *testing.T) {
	c := on(t, quick)
	c.page(`<input id=i value=abc><p id=p>text</p>`)
	for _, mode := range modes {
		has := []struct {
			what     string
			from, to int // modes
		}{
			{"typeof document.documentMode === 'number' && document.documentMode === " + fmt.Sprint(mode), 5, 11},
			{"navigator.userAgent.indexOf('Trident/7.0') > 0", 5, 11},
			{"document.getElementById('p').currentStyle.display === 'block'", 5, 11},
			{"!!document.all", 5, 4}, // it is there, but false as everywhere
			{"typeof document.all.i === 'object'", 5, 11},
			{"document.parentWindow === window", 5, 11},
			{"!!document.body.createTextRange", 5, 11},
			{"!!document.attachEvent", 5, 10},
			{"!!document.getElementById('p').fireEvent", 5, 10},
			{"!!document.createEventObject", 5, 10},
			{"!!window.execScript", 5, 10},
			{"document.compatMode === 'BackCompat'", 5, 11}, // this page is in quirks mode everywhere
			{"typeof JSON === 'object'", 8, 11},
			{"!!document.querySelector", 8, 11},
			{"!!document.getElementById('p').querySelectorAll", 8, 11},
			{"!!window.localStorage", 8, 11},
			{"!!document.getElementById('p').hasAttribute", 8, 11},
			{"!!document.addEventListener", 9, 11},
			{"!!window.addEventListener", 9, 11},
			{"!!window.getComputedStyle", 9, 11},
			{"'textContent' in document.getElementById('p')", 9, 11},
			{"!![].forEach", 9, 11},
			{"!!'x'.trim", 9, 11},
			{"!!Object.keys", 9, 11},
			{"typeof document.getElementById('i').selectionStart === 'number'", 9, 11},
			{"!!document.createEvent", 9, 11},
			{"!!document.getElementById('p').classList", 10, 11},
			{"!!window.requestAnimationFrame", 10, 11},
			{"!!document.msElementsFromPoint", 10, 11},
			{"typeof Map === 'function'", 11, 11},
			{"typeof MutationObserver === 'function'", 11, 11},
			{"typeof Promise !== 'undefined'", 12, 12},
			{"typeof fetch !== 'undefined'", 12, 12},
			{"!!document.body.closest", 12, 12},
			{"!!document.elementsFromPoint", 12, 12},
			{"!![].includes || !!'x'.includes || !!Object.assign", 12, 12},
			{"!!window.chrome || !!navigator.webdriver", 12, 12},
		}
		all := "return ["
		for _, h := range has {
			all += h.what + ", "
		}
		c.settings(inMode(mode))
		var got []bool
		json.Unmarshal([]byte(c.js(strings.TrimSuffix(all, ", ")+"]")), &got)
		for i, h := range has {
			if want := mode >= h.from && mode <= h.to; got[i] != want {
				t.Errorf("mode %d: %s is %v", mode, h.what, got[i])
			}
		}
	}
	// The page itself has everything again.
	c.js("window.setTimeout(function () { document.title = [typeof Promise, typeof JSON, typeof ''.trim, typeof document.querySelector, typeof document.documentMode].join() }, 0)")
	c.eventually("the page's own view", func() bool {
		return c.must("GET", "/title", nil) == `"function,object,function,function,undefined"`
	})
}

func TestOldEvents(t *testing.T) {
	c := on(t, inMode(5))
	c.page(`<input id=i>`)
	c.js(`var i = document.getElementById('i'); window.seen = ''; window.f = function (e) { seen += e.type + window.event.type; };
		i.attachEvent('onchange', f); i.fireEvent('onchange')`)
	c.js("var i = document.getElementById('i'); i.fireEvent('onchange'); i.detachEvent('onchange', f); i.fireEvent('onchange')")
	if got := c.js("return seen"); got != `"changechangechangechange"` {
		t.Errorf("%s", got)
	}
	if got := c.js("execScript('window.x = 4'); var r = document.getElementById('i').createTextRange(); r.text = 'v'; r.select(); return [x, document.getElementById('i').value]"); got != `[4,"v"]` {
		t.Errorf("%s", got)
	}
}

func TestResults(t *testing.T) {
	c := on(t, quick)
	c.page(`<p id=a></p><p id=b></p>`)
	a, b := ref(c.find("#a")), ref(c.find("#b"))
	elements := func(list ...any) string { s, _ := json.Marshal(list); return string(s) }
	element := strings.Trim(elements(a), "[]")
	for _, r := range []struct {
		script, want string
		mode         int // 0: any
	}{
		{"", "null", 0},
		{"return null", "null", 0},
		{"return true", "true", 0},
		{"return 'a山\\u0001\"\\\\'", `"a山\u0001\"\\"`, 0},
		{"return 'ab\\u0000c'", `"ab"`, 0},
		{"return 3", "3", 0},
		{"return -0", "0", 0},
		{"return 3.0", "3", 0},
		{"return 1.5", "1.5", 0},
		{"return 4294967296", "4294967296", 0},
		{"return 1e20", "-9223372036854775808", 0},
		{"return -1/0", "-9223372036854775808", 0},
		{"return 0/0", "null", 0},
		{"return {c: 1, b: {z: 1, y: [2]}, a: null}", `{"a":null,"b":{"y":[2],"z":1},"c":1}`, 0},
		{"function F() { this.own = 1 } F.prototype.inherited = 2; return new F()", `{"inherited":2,"own":1}`, 0},
		{"return {length: 2, 0: 'x', 1: 'y', other: 3}", `["x","y"]`, 0},
		{"return arguments", "[]", 0},
		{"return {f: function () {}, g: function (x) {}}", `{"f":[],"g":null}`, 0},
		{"return {toJSON: function () { return 'j' }}", `"j"`, 0},
		{"return document.getElementById('a')", element, 0},
		{"return document.getElementsByTagName('p')", elements(a, b), 0},
		{"return document.querySelectorAll('p')", elements(a, b), 8},
		{"return {e: [document.getElementById('b')]}", `{"e":` + elements(b) + `}`, 0},
		{"return new Date(0)", `"1970-01-01T00:00:00.000Z"`, 8},
		{"return new Date(0)", `"1970-01-01T00:00:00.000Z"`, 11},
		{"return new Date(0)", `{}`, 5},
		{"return new Date(0)", `{}`, 7},
		{"return /x/", `{}`, 0},
		{"return [1, , 3]", `[1,null,3]`, 8},
		{"return [1, , 3]", "Error from JavaScript: 'JSON' is undefined", 7},
		{"return window", "Error from JavaScript: Returning window object from JavaScript is not supported", 0},
		{"var o = {}; o.o = o; return o", "Error from JavaScript: 'JSON' is undefined", 5},
		{"throw new Error('boo')", "Error from JavaScript: boo", 0},
		{"throw 'boo'", "Error executing JavaScript", 0},
		{"return (", "Error executing JavaScript", 0},
		{"return missing.x", "Error from JavaScript: missing is not defined", 0},
	} {
		list := []int{5, 11}
		if r.mode != 0 {
			list = []int{r.mode}
		}
		for _, mode := range list {
			c.settings(inMode(mode))
			got := c.try("POST", "/execute/sync", script(r.script))
			value := string(got.value)
			if code, message, _ := got.failure(); code == scriptError && got.status == 500 {
				value = message
			}
			if value != r.want {
				t.Errorf("mode %d: %s: %s, want %s", mode, r.script, value, r.want)
			}
		}
	}
	c.settings(quick)
	if _, message, _ := c.try("POST", "/execute/sync", script("var o = {}; o.o = o; return o")).failure(); !strings.HasPrefix(message, "Error from JavaScript: ") {
		t.Errorf("%s", message)
	}
	if got := c.js("return [arguments[0].a[1].id, this === window, document.__webdriver_script_fn !== undefined]", map[string]any{"a": []any{nil, b}}); got != `["b",true,true]` {
		t.Errorf("%s", got)
	}
	c.fails(c.try("POST", "/execute/sync", script("return 1", map[string]int{`a"b`: 1})), 500, scriptError, "Error executing JavaScript")
	c.fails(c.try("POST", "/execute/sync", map[string]any{"args": []any{}}), 400, badArgument, "Missing parameter: script")
	c.fails(c.try("POST", "/execute/sync", map[string]any{"script": ""}), 400, badArgument, "Missing parameter: args")
	c.fails(c.try("POST", "/execute/sync", map[string]any{"script": "", "args": 1}), 400, badArgument, "args parameter must be an array")
	if got := c.must("POST", "/execute/async", script("var done = arguments[1]; setTimeout(function () { done({b: 1, a: document.getElementById('a')}) }, 10)", 7)); got != `{"a":`+element+`,"b":1}` {
		t.Errorf("%s", got)
	}
	c.fails(c.try("POST", "/execute/async", script("throw new Error('boo')")), 500, scriptError, "Error from JavaScript: boo")
	c.fails(c.try("POST", "/execute/async", script("location.reload()")), 500, scriptError, "Page reload detected during async script")
}

// A long result and a hostile page.
func TestHostilePage(t *testing.T) {
	c := on(t, inMode(5))
	c.page(`<script>Object.prototype.evil = 'x'; Array.prototype.toJSON = function () { return 'no' }; JSON = null</script><p id=p>`)
	if got := c.js("return [1, {a: 'b'}]"); got != `[1,{"a":"b","evil":"x"}]` {
		t.Errorf("%s", got)
	}
	if got := c.js("return new Array(200001).join('長')"); len(got) != 600002 {
		t.Errorf("%d bytes", len(got))
	}
}

func TestScriptTakesNoTime(t *testing.T) {
	c := on(t, inMode(5))
	c.page(`<p>`)
	began := time.Now()
	for range 50 {
		c.js("return 1")
	}
	t.Logf("a script takes %s", time.Since(began)/50)
}

func TestSyntax(t *testing.T) {
	for _, s := range []struct {
		script string
		from   int // the first mode that takes it; 0: none
	}{
		{"var a = 1; return a / 2 / 3", 5},
		{"return /[/`]/.test('x') ? {a: 1, 'class': 2, b: [1, 2]} : a['default']", 5},
		{"return {a: f(g(x, y), z), b: [c, d]}", 5},
		{"switch (x) { case 1: break; default: y(); }", 5},
		{"switch (x) { default: y(); case a: }", 5},
		{"try { a() } catch (e) { if (b) { c: while (1) { break c } } } // => `", 5},
		{"return 'let x => `' + \"...\" /* class A {} */", 5},
		{"var get = {get: 1, set: function () {}, of: 2}, of = get.get; for (var k in of) { }", 5},
		{"return [1, 2, ]", 5},
		{"return {a: f(b, c, [d, e]), g: 1}", 5},
		{"return {a: 1, }", 9},
		{"return a.class", 9},
		{"return a.catch(b)", 9},
		{"return {default: 1}", 9},
		{"return {a: 1, if: 1}", 9},
		{"return {get x() { return 1 }}", 9},
		{"let x = 1", 11},
		{"const x = 1", 11},
		{"return (() => 1)()", 0},
		{"return `x`", 0},
		{"class A {}", 0},
		{"f(...a)", 0},
		{"f(a, )", 0},
		{"return a?.b", 0},
		{"return a ? .5 : 1", 5},
		{"return a?.5:1", 5},
		{"for (var x of y) {}", 0},
		{"async function f() {}", 0},
		{"return {a, b: 1}", 0},
		{"return {a() {}}", 0},
		{"return 2 ** 3", 0},
	} {
		for _, mode := range modes {
			if got, want := refusedByMode(s.script, mode), s.from == 0 || mode < s.from; got != want {
				t.Errorf("mode %d: %s: refused %v", mode, s.script, got)
			}
		}
	}
}
