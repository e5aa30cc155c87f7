package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestSession(t *testing.T) {
	c := on(t, quick)
	c.fails(c.do("POST", "/session", wish), 500, notCreated, "Only one session may be created at a time, and a session already exists.")
	if r := c.do("GET", "/status", nil); !strings.Contains(string(r.value), `"ready":false`) {
		t.Errorf("%s", r.value)
	}
	var list []struct {
		ID           string
		Capabilities map[string]any
	}
	json.Unmarshal(c.do("GET", "/sessions", nil).value, &list)
	if len(list) != 1 || "/session/"+list[0].ID != c.session || list[0].Capabilities["browserVersion"] != "11" || list[0].Capabilities["platformName"] != "windows" {
		t.Errorf("%v", list)
	}
	if got := c.must("GET", "", nil); !strings.Contains(got, `"browserAttachTimeout":30000`) || !strings.Contains(got, `"ignoreZoomSetting":true`) {
		t.Errorf("%s", got)
	}
	c.fails(c.do("GET", "/session/other/url", nil), 404, "invalid session id", "session other does not exist")
	c.fails(c.try("POST", "/ime/activate", nil), 404, "unknown command", "Command not implemented")
}

func TestTimeouts(t *testing.T) {
	c := on(t, quick)
	defer c.must("POST", "/timeouts", map[string]any{"implicit": 0, "pageLoad": 300000, "script": 30000})
	c.must("POST", "/timeouts", map[string]any{"script": 999, "unknown": 1})
	if got := c.must("GET", "/timeouts", nil); got != `{"implicit":0,"pageLoad":300000,"script":999}` {
		t.Errorf("%s", got)
	}
	c.page(`<p>`)
	c.fails(c.try("POST", "/execute/async", script("")), 500, scriptTimeout, "Timed out waiting for script to complete.")
	c.must("POST", "/timeouts", map[string]any{"script": nil})
	c.fails(c.try("POST", "/timeouts", map[string]any{"implicit": "x"}), 400, badArgument, "timeout implicitmust be an integer")
	c.must("POST", "/timeouts", map[string]any{"implicit": 10})
	began := time.Now()
	c.fails(c.try("POST", "/element", map[string]string{"using": "css selector", "value": "#none"}), 404, noElement, "Unable to find element with css selector == #none")
	if took := time.Since(began); took < time.Second {
		t.Errorf("10 ms became %s, not 1 s", took)
	}
}

func TestNavigation(t *testing.T) {
	c := on(t, quick)
	url := c.page(`<title>one</title><iframe id=f src=` + put(`<title>inner</title><p id=p>x</p>`) + `></iframe>`)
	if got := c.must("GET", "/url", nil); got != fmt.Sprintf("%q", url) {
		t.Errorf("%s", got)
	}
	c.must("POST", "/frame", map[string]any{"id": 0})
	if got := c.must("GET", "/url", nil); got == fmt.Sprintf("%q", url) || c.must("GET", "/title", nil) != `"one"` {
		t.Errorf("%s", got)
	}
	if got := c.must("GET", "/source", nil); !strings.HasPrefix(got, `"<html><head><title>inner`) {
		t.Errorf("%s", got)
	}
	c.must("POST", "/refresh", nil)
	c.find("#f") // at the top again
	c.must("POST", "/cookie", map[string]any{"cookie": map[string]string{"name": "a", "value": "b"}})
	if got := c.must("GET", "/cookie/a", nil); !strings.Contains(got, `"value":"b"`) {
		t.Errorf("%s", got)
	}
	c.must("DELETE", "/cookie", nil)
	c.fails(c.try("GET", "/cookie/a", nil), 404, "no such cookie", "No cookie could be found with the name 'a'")
	c.fails(c.try("POST", "/url", map[string]string{"url": "nowhere"}), 400, badArgument, "Specified URL (nowhere) is not valid.")
	c.must("POST", "/url", map[string]string{"url": "http://127.0.0.1:1/x"})
	if got := c.must("GET", "/url", nil); got != `"res://ieframe.dll/dnserror.htm#http://127.0.0.1:1/x"` {
		t.Errorf("%s", got)
	}
	if got := c.js("return location.href"); got != `"res://ieframe.dll/dnserror.htm#http://127.0.0.1:1/x"` {
		t.Errorf("%s", got)
	}
	c.must("POST", "/url", map[string]string{"url": "http://nowhere.invalid/"})
	c.must("POST", "/back", nil)
	if got := c.must("GET", "/screenshot", nil); !strings.HasPrefix(got, `"iVBORw0KGgo`) {
		t.Errorf("%.40s", got)
	}
}

func TestFind(t *testing.T) {
	c := on(t, `{}`)
	c.page(`<p id=a class=x>one</p><p class=x><b>two</b></p><a href=x>link</a>`)
	for _, by := range []struct{ using, value string }{{"css selector", "#a"}, {"tag name", "b"}, {"link text", "link"}, {"partial link text", "in"}, {"xpath", "//p"}} {
		c.must("POST", "/element", map[string]string{"using": by.using, "value": by.value})
	}
	a := c.find("#a")
	if a != c.find("#a") || len(a) != 36 || a != strings.ToLower(a) {
		t.Errorf("id %q", a)
	}
	var list []map[string]string
	json.Unmarshal([]byte(c.must("POST", "/elements", map[string]string{"using": "css selector", "value": ".x"})), &list)
	if len(list) != 2 || list[0][elementKey] != a {
		t.Errorf("%v", list)
	}
	if got := c.must("GET", "/element/"+list[1][elementKey]+"/text", nil); got != `"two"` {
		t.Errorf("%s", got)
	}
	c.must("POST", "/element/"+list[1][elementKey]+"/element", map[string]string{"using": "tag name", "value": "b"})
	if c.must("GET", "/element/"+a+"/equals/"+a, nil) != "true" || c.must("GET", "/element/"+a+"/displayed", nil) != "true" {
		t.Error("equals, displayed")
	}
	missed := c.try("POST", "/element", map[string]string{"using": "css selector", "value": "#b"})
	c.fails(missed, 404, noElement, "Unable to find element with css selector == #b")
	none := c.try("POST", "/elements", map[string]string{"using": "css selector", "value": "#b"})
	if string(none.value) != "[]" || none.took < 250*time.Millisecond || missed.took < 250*time.Millisecond {
		t.Errorf("%s, %s, %s", none.value, none.took, missed.took)
	}
	c.fails(c.try("POST", "/element", map[string]string{"using": "id", "value": "a"}), 400, badArgument, "using parameter value 'id' is not a valid value")
	c.fails(c.try("POST", "/element", map[string]string{"value": "a"}), 400, badArgument, "Missing parameter: using")
	if code, _, _ := c.try("POST", "/element", map[string]string{"using": "css selector", "value": "[["}).failure(); code != "invalid selector" {
		t.Errorf("%s", code)
	}
	c.fails(c.try("GET", "/element/x/text", nil), 404, noElement, "Invalid internal element ID requested: x")
}

func TestStaleAndFrames(t *testing.T) {
	c := on(t, quick)
	c.page(`<b id=a>x</b><iframe id=f src=` + put(`<p id=p>y</p>`) + `></iframe>`)
	a, f := c.find("#a"), c.find("#f")
	c.must("POST", "/frame", map[string]any{"id": ref(f)})
	p := c.find("#p")
	c.fails(c.try("POST", "/element/"+a+"/click", nil), 404, stale, "Element is no longer valid")
	c.fails(c.try("POST", "/execute/sync", script("return 1", ref(a))), 404, stale, "Element is no longer valid")
	c.must("POST", "/frame/parent", nil)
	c.fails(c.try("GET", "/element/"+p+"/text", nil), 404, stale, "Element is no longer valid")
	c.js("var f = document.getElementById('f'); f.parentNode.removeChild(f)")
	c.fails(c.try("POST", "/frame", map[string]any{"id": ref(f)}), 404, stale, "No frame found")
	c.fails(c.try("POST", "/element/"+f+"/element", map[string]string{"using": "tag name", "value": "b"}), 404, stale, "Specified parent element is no longer attached to the DOM")
	c.fails(c.try("POST", "/frame", map[string]any{"id": 7}), 404, "no such frame", "No frame found")
	c.fails(c.try("POST", "/frame", map[string]any{"id": ref(a)}), 404, "no such frame", "No frame found")
	c.fails(c.try("POST", "/frame", map[string]any{"id": -1}), 400, badArgument, "Frame identifier must be between 0 and 65535 inclusive")
	c.fails(c.try("POST", "/frame", map[string]any{"id": "f"}), 400, badArgument, "Frame identifier argument must be null, an integer, or a web element reference")
	c.fails(c.try("POST", "/frame", map[string]any{"id": map[string]int{"x": 1}}), 400, badArgument, "Frame identifier was an object, but not a web element reference")
	c.must("POST", "/frame", map[string]any{"id": nil})
}

func TestClickAndClear(t *testing.T) {
	c := on(t, quick)
	c.page(`<button id=b onclick="this.innerText='done'">b</button><button id=h style="display:none">h</button><input id=f type=file><input id=t value=x><input id=r readonly value=x>
		<div style="position:relative"><button id=o style="position:absolute;left:0;top:0;width:99px;height:99px">o</button><div id=cover style="position:absolute;left:0;top:0;width:100px;height:100px;background:red"></div></div>`)
	c.click("#b")
	if got := c.must("GET", "/element/"+c.find("#b")+"/text", nil); got != `"done"` {
		t.Errorf("%s", got)
	}
	c.fails(c.try("POST", "/element/"+c.find("#h")+"/click", nil), 400, interactable, "Element is not displayed")
	c.fails(c.try("POST", "/element/"+c.find("#f")+"/click", nil), 400, badArgument, "Cannot call click on an <input type='file'> element. Use sendKeys to upload files.")
	covered := c.try("POST", "/element/"+c.find("#o")+"/click", nil)
	code, message, _ := covered.failure()
	if covered.status != 400 || code != "element click intercepted" || !strings.HasPrefix(message, "Element not clickable at point (") ||
		!strings.Contains(message, `). Other element would receive the click: <div id="cover"`) || !strings.HasSuffix(message, " (elementsFromPoint index 1)") {
		t.Errorf("%s", covered.value)
	}
	c.must("POST", "/element/"+c.find("#t")+"/clear", nil)
	c.fails(c.try("POST", "/element/"+c.find("#r")+"/clear", nil), 400, "invalid element state", "Element must not be read-only or disabled")
	c.fails(c.try("POST", "/actions", map[string]any{"actions": []any{map[string]any{"type": "wheel", "id": "w"}}}), 400, badArgument, "Unexpected error performing action sequence.")
	c.fails(c.try("POST", "/actions", map[string]any{}), 400, badArgument, "Missing parameter: actions")
	move := map[string]any{"type": "pointerMove", "origin": ref(c.find("#b")), "x": 0, "y": 0, "duration": 0}
	c.must("POST", "/actions", map[string]any{"actions": []any{map[string]any{"type": "pointer", "id": "m", "actions": []any{move}}}})
	c.must("DELETE", "/actions", nil)
}

func TestKeysAndUploads(t *testing.T) {
	c := on(t, quick)
	c.page(`<input id=t><input id=f type=file><input id=m type=file multiple><p id=p style="display:none">x</p>`)
	field := func(id string) string { return c.js("return document.getElementById('" + id + "').value") }
	send := func(id, text string) reply {
		return c.try("POST", "/element/"+c.find("#"+id)+"/value", map[string]string{"text": text})
	}
	if r := send("t", "山é€𠮷x😀"); r.status != 200 || field("t") != `"山é€𠮷x😀"` {
		t.Errorf("%s %s", r.value, field("t"))
	}
	c.fails(c.try("POST", "/element/"+c.find("#t")+"/value", map[string]any{"value": []string{"a"}}), 400, badArgument, "Missing parameter: text")
	if code, _, _ := send("p", "x").failure(); code != interactable {
		t.Errorf("%s", code)
	}
	folder := t.TempDir()
	one, two := filepath.Join(folder, "one.txt"), filepath.Join(folder, "two.txt")
	for _, path := range []string{one, two} {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c.fails(send("f", ""), 400, badArgument, "Upload file cannot be an empty string.")
	c.fails(send("f", one+"x"), 400, badArgument, "Attempting to upload file '"+one+"x' which does not exist.")
	c.fails(send("f", folder), 400, badArgument, "Attempting to upload file '"+folder+"' which is a directory.")
	c.fails(send("f", one+"\n"+two), 400, badArgument, "Attempting to upload multiple files to file upload element without multiple attribute.")
	send("f", one)
	send("m", one+"\n"+two)
	if got := c.js("return [document.getElementById('f').files[0].name, document.getElementById('m').files.length]"); got != `["one.txt",2]` {
		t.Errorf("%s", got)
	}
	c.settings(`{"faults":{"mangleKeys":true}}`)
	c.must("POST", "/element/"+c.find("#t")+"/clear", nil)
	if send("t", "aé山b"); field("t") != `"a??b"` {
		t.Errorf("%s", field("t"))
	}
	c.settings(`{"faults":{"ignoreKeys":true}}`)
	if r := send("t", "more"); r.status != 200 || field("t") != `"a??b"` {
		t.Errorf("%s", field("t"))
	}
}

func TestWindows(t *testing.T) {
	c := on(t, quick)
	c.page(`<title>opener</title><button id=o onclick="window.open('` + put(`<title>popup</title>`) + `')">o</button>`)
	first := c.must("GET", "/window", nil)
	for range 4 {
		c.click("#o")
	}
	list := c.handles()
	if len(list) != 5 || !slices.IsSorted(list) || len(list[0]) != 36 {
		t.Errorf("%v", list)
	}
	c.settings(`{}`)
	unknown := c.try("POST", "/window", map[string]string{"handle": "x"})
	if c.fails(unknown, 404, noWindow, "No window found"); unknown.took < time.Second {
		t.Errorf("%s", unknown.took)
	}
	c.settings(quick)
	for _, handle := range list {
		if fmt.Sprintf("%q", handle) == first {
			continue
		}
		c.must("POST", "/window", map[string]string{"handle": handle})
		if got := c.must("GET", "/title", nil); got != `"popup"` {
			t.Errorf("%s", got)
		}
		c.must("DELETE", "/window", nil)
	}
	c.fails(c.try("GET", "/window", nil), 404, noWindow, "Window is closed")
	c.fails(c.try("GET", "/url", nil), 404, noWindow, "Unable to get browser")
	c.fails(c.try("POST", "/execute/sync", script("")), 404, noWindow, "Unable to get browser")
	c.fails(c.try("POST", "/element", map[string]string{"using": "tag name", "value": "p"}), 404, noWindow, "Unable to find element on closed window")
	c.fails(c.try("GET", "/window/rect", nil), 404, noWindow, "Error retrieving window")
	c.must("POST", "/window", map[string]string{"handle": strings.Trim(first, `"`)})
	if got := c.must("GET", "/title", nil); got != `"opener"` {
		t.Errorf("%s", got)
	}
	var made struct{ Handle string }
	json.Unmarshal([]byte(c.must("POST", "/window/new", map[string]any{"type": nil})), &made)
	if !slices.Contains(c.handles(), made.Handle) {
		t.Errorf("%v lacks %s", c.handles(), made.Handle)
	}
	c.must("POST", "/window", map[string]string{"handle": made.Handle})
	if got := c.must("DELETE", "/window", nil); got != "["+first+"]" {
		t.Errorf("%s", got)
	}
	c.must("POST", "/window", map[string]string{"handle": strings.Trim(first, `"`)})
	c.fails(c.try("POST", "/window/new", nil), 400, badArgument, "Missing parameter: type")
}

func TestPopupsComeLate(t *testing.T) {
	c := on(t, `{"faults":{"popupDelayMs":1500}}`)
	c.page(`<button id=o onclick="window.w = window.open('` + put(`<p>`) + `')">o</button>`)
	r := c.try("POST", "/element/"+c.find("#o")+"/click", nil)
	if r.took < time.Second || len(c.handles()) != 1 {
		t.Errorf("%s, %v", r.took, c.handles())
	}
	c.eventually("a second handle", func() bool { return len(c.handles()) == 2 })
	c.js("w.close()")
	c.eventually("one handle", func() bool { return len(c.handles()) == 1 })
	c.settings(`{"faults":{"popupNever":true,"popupDelayMs":0}}`)
	c.click("#o")
	if list := c.handles(); len(list) != 1 {
		t.Errorf("%v", list)
	}
	c.js("w.close()")
}

// The login window that opens the main one and closes itself.
func TestNextWindowBecomesCurrent(t *testing.T) {
	c := on(t, `{"faults":{"popupDelayMs":700}}`)
	c.page(`<button id=o onclick="window.open('` + put(`<title>next</title>`) + `', '_blank'); setTimeout(function () { window.close(); }, 50)">o</button>`)
	c.click("#o")
	c.eventually("the next window", func() bool { return string(c.try("GET", "/title", nil).value) == `"next"` })
}
