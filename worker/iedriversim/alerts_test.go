package main

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const dialogs = `<title>t</title><button id=a onclick="alert('hello')">a</button>
	<button id=c onclick="document.title = confirm('sure?')">c</button>
	<button id=p onclick="document.title = prompt('name?', 'x')">p</button>
	<button id=l onclick="setTimeout(function () { alert('late') }, 50)">l</button>`

func TestAlerts(t *testing.T) {
	c := on(t, quick)
	c.page(dialogs)
	window := c.must("GET", "/window", nil)
	a := c.find("#a")
	c.click("#a")
	for _, command := range []struct {
		method, path string
		body         any
	}{
		{"GET", "/title", nil}, {"GET", "/url", nil}, {"GET", "/source", nil}, {"POST", "/url", map[string]string{"url": site.URL}},
		{"POST", "/element/" + a + "/click", nil}, {"POST", "/execute/sync", script("return 1")},
		{"POST", "/element", map[string]string{"using": "tag name", "value": "p"}}, {"POST", "/frame", map[string]any{"id": nil}}, {"POST", "/window/new", map[string]any{"type": "tab"}},
	} {
		r := c.try(command.method, command.path, command.body)
		c.fails(r, 500, alertOpen, "Modal dialog present with text: hello")
		if _, _, text := r.failure(); text != "hello" {
			t.Errorf("%s", r.value)
		}
	}
	if got := c.must("GET", "/alert/text", nil); got != `"hello"` {
		t.Errorf("%s", got)
	}
	c.must("GET", "/timeouts", nil)
	if got := c.must("GET", "/screenshot", nil); !strings.HasPrefix(got, `"iVBORw0KGgo`) {
		t.Errorf("%.40s", got)
	}
	if c.must("GET", "/window", nil) != window || len(c.handles()) != 1 {
		t.Error("window, handles")
	}
	c.must("POST", "/window", map[string]string{"handle": strings.Trim(window, `"`)})
	c.fails(c.try("POST", "/alert/text", map[string]string{"text": "x"}), 400, interactable, "Modal dialog did not have a text box - maybe it was an alert")
	if r := c.try("POST", "/alert/credentials", map[string]string{"username": "x", "password": "y"}); r.status != 500 {
		t.Errorf("%s", r.value)
	}
	c.must("POST", "/alert/accept", nil)
	c.fails(c.try("POST", "/alert/accept", nil), 404, noAlert, "No alert is active")
	c.fails(c.try("GET", "/alert/text", nil), 404, noAlert, "No alert is active")

	c.click("#c")
	c.must("POST", "/alert/dismiss", nil)
	if got := c.must("GET", "/title", nil); got != `"false"` {
		t.Errorf("%s", got)
	}
	c.click("#p")
	c.must("POST", "/alert/text", map[string]string{"text": "山"})
	c.must("POST", "/alert/accept", nil)
	if got := c.must("GET", "/title", nil); got != `"山"` {
		t.Errorf("%s", got)
	}
	if got := c.js("alert('in script'); return 5"); got != "null" {
		t.Errorf("%s", got)
	}
	c.settings(`{"faults":{"alertDelayMs":300}}`)
	if r := c.try("POST", "/alert/accept", nil); r.status != 200 || r.took < 300*time.Millisecond {
		t.Errorf("%d %s", r.status, r.took)
	}
	c.js("addEventListener('beforeunload', function (e) { e.preventDefault(); e.returnValue = 'x' })")
	c.click("#c")
	c.must("POST", "/alert/accept", nil)
	c.page(`<title>left</title>`)
	if got := c.must("GET", "/title", nil); got != `"left"` {
		t.Errorf("%s", got)
	}
}

// An alert of the opener of a new window.
func TestAlertAfterPopup(t *testing.T) {
	c := on(t, quick)
	c.page(`<title>opener</title><button id=b onclick="window.w = window.open('` + put(`<title>popup</title>`) + `'); alert('opened')">b</button>`)
	first := c.must("GET", "/window", nil)
	c.click("#b")
	list := c.handles()
	if len(list) != 2 {
		t.Fatalf("%v", list)
	}
	for _, handle := range list {
		if fmt.Sprintf("%q", handle) != first {
			c.must("POST", "/window", map[string]string{"handle": handle})
		}
	}
	c.fails(c.try("GET", "/title", nil), 500, alertOpen, "Modal dialog present with text: opened")
	c.must("POST", "/alert/accept", nil)
	if got := c.must("GET", "/title", nil); got != `"popup"` {
		t.Errorf("%s", got)
	}
	c.must("DELETE", "/window", nil)
	c.must("POST", "/window", map[string]string{"handle": strings.Trim(first, `"`)})
}

func TestPromptBehaviors(t *testing.T) {
	s := start(t, quick)
	for _, b := range []struct {
		behavior string
		notified bool
		title    string
	}{{"", true, "false"}, {"accept and notify", true, "true"}, {"dismiss", false, "false"}, {"accept", false, "true"}} {
		always := map[string]any{"se:ieOptions": map[string]any{"browserAttachTimeout": 1000}}
		if b.behavior != "" {
			always["unhandledPromptBehavior"] = b.behavior
		}
		r := s.do("POST", "/session", map[string]any{"capabilities": map[string]any{"alwaysMatch": always}})
		s.session = "/session/" + strings.Split(strings.Split(string(r.value), `"sessionId":"`)[1], `"`)[0]
		c := client{t, s}
		c.page(dialogs)
		c.click("#c")
		r = c.try("GET", "/title", nil)
		if b.notified {
			c.fails(r, 500, alertOpen, "Modal dialog present with text: sure?")
			r = c.try("GET", "/title", nil)
		}
		if string(r.value) != fmt.Sprintf("%q", b.title) {
			t.Errorf("%q: %s", b.behavior, r.value)
		}
		c.must("DELETE", "", nil)
		if processes := len(s.processes()); processes > 2 { // the program and chromedriver
			c.eventually("the browser's end", func() bool { return len(s.processes()) <= 2 })
		}
	}
}

const modalOpener = `<title>opener</title><button id=b onclick="document.title = 'got ' + showModalDialog('%s', {q: '山'})">b</button>`

const modalPage = `<title>dialog</title><input id=i><button id=ok onclick="window.returnValue = dialogArguments.q + i.value; window.close()">ok</button>`

func TestHTMLDialog(t *testing.T) {
	c := on(t, quick)
	c.page(fmt.Sprintf(modalOpener, put(modalPage)))
	first := c.must("GET", "/window", nil)
	c.click("#b")
	if list := c.handles(); len(list) != 1 {
		t.Errorf("the first reading of the handles has %v", list)
	}
	list := c.handles()
	if len(list) != 2 {
		t.Fatalf("the second reading has %v", list)
	}
	c.fails(c.try("GET", "/title", nil), 500, scriptError, "Error executing JavaScript")
	for _, handle := range list {
		if fmt.Sprintf("%q", handle) != first {
			c.must("POST", "/window", map[string]string{"handle": handle})
		}
	}
	c.eventually("the dialog's page", func() bool { return c.must("GET", "/title", nil) == `"dialog"` })
	if got := c.must("GET", "/url", nil); got != `""` {
		t.Errorf("%s", got)
	}
	if got := c.must("GET", "/window/rect", nil); got != `{"height":0,"width":0,"x":0,"y":0}` {
		t.Errorf("%s", got)
	}
	if r := c.try("POST", "/url", map[string]string{"url": site.URL}); r.status != 200 || !strings.HasPrefix(string(r.value), `"Failed to navigate to `) {
		t.Errorf("%d %s", r.status, r.value)
	}
	c.must("POST", "/element/"+c.find("#i")+"/value", map[string]string{"text": "!"})
	c.click("#ok")
	c.eventually("the dialog's end", func() bool { return len(c.handles()) == 1 })
	c.fails(c.try("GET", "/title", nil), 404, noWindow, "Unable to get browser")
	c.must("POST", "/window", map[string]string{"handle": strings.Trim(first, `"`)})
	if got := c.must("GET", "/title", nil); got != `"got 山!"` {
		t.Errorf("%s", got)
	}

	// Closed by the driver, and called by a script.
	c.click("#b")
	c.handles()
	for _, handle := range c.handles() {
		if fmt.Sprintf("%q", handle) != first {
			c.must("POST", "/window", map[string]string{"handle": handle})
		}
	}
	if got := c.must("DELETE", "/window", nil); got != "["+first+"]" {
		t.Errorf("%s", got)
	}
	c.must("POST", "/window", map[string]string{"handle": strings.Trim(first, `"`)})
	if got := c.must("GET", "/title", nil); got != `"got undefined"` {
		t.Errorf("%s", got)
	}
	c.page(fmt.Sprintf(modalOpener, put(`<script>setTimeout(function () { window.close() }, 300)</script>`)))
	began := time.Now()
	c.js("document.getElementById('b').click()")
	if took := time.Since(began); took < 300*time.Millisecond {
		t.Errorf("the script did not wait: %s", took)
	}
}
