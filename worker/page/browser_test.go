package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"iemesh/api"
)

// browser is a minimal WebDriver client.
type browser struct{ base string }

// value does one command.
func (b *browser) value(ctx context.Context, method, path string, body any) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var payload io.Reader
	if method == http.MethodPost {
		encoded, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		payload = bytes.NewReader(encoded)
	}
	req, err := http.NewRequestWithContext(ctx, method, b.base+path, payload)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var answer struct{ Value json.RawMessage }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return nil, err
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s %s: %s", method, path, answer.Value)
	}
	return answer.Value, nil
}

// Execute implements Executor.
func (b *browser) Execute(ctx context.Context, script string, args []any) (json.RawMessage, error) {
	return b.value(ctx, http.MethodPost, "/execute/sync", map[string]any{"script": script, "args": args})
}

var (
	chromium *browser
	site     *httptest.Server // the allowed one
	foreign  *httptest.Server // the refused one
	pages    sync.Map         // path → html
)

func TestMain(m *testing.M) {
	os.Exit(func() int {
		serve := func(w http.ResponseWriter, r *http.Request) {
			html, _ := pages.Load(r.URL.Path)
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, html)
		}
		site, foreign = httptest.NewServer(http.HandlerFunc(serve)), httptest.NewServer(http.HandlerFunc(serve))
		defer site.Close()
		defer foreign.Close()
		stop, err := start()
		defer stop()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// start starts chromedriver and a browser; stop ends both.
func start() (stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return func() {}, err
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	folder, err := os.MkdirTemp("", "p")
	if err != nil {
		return func() {}, err
	}
	driver := exec.Command("/usr/bin/chromedriver", "--port="+port)
	driver.Env = append(os.Environ(), "TMPDIR="+folder)
	if err := driver.Start(); err != nil {
		os.RemoveAll(folder)
		return func() {}, err
	}
	chromium = &browser{base: "http://127.0.0.1:" + port}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	stop = func() {
		chromium.value(context.Background(), http.MethodDelete, "", nil)
		driver.Process.Kill()
		driver.Wait()
		for range 100 { // the browser may still be writing
			if os.RemoveAll(folder) == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
	for {
		if _, err := chromium.value(ctx, http.MethodGet, "/status", nil); err == nil {
			break
		} else if ctx.Err() != nil {
			return stop, err
		}
	}
	raw, err := chromium.value(ctx, http.MethodPost, "/session", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"timeouts":           map[string]any{"script": 10000, "pageLoad": 10000},
		"goog:chromeOptions": map[string]any{"args": []string{"--headless=new", "--no-sandbox", "--disable-popup-blocking", "--window-size=1000,700"}},
	}}})
	if err != nil {
		return stop, err
	}
	var session struct{ SessionID string }
	if err := json.Unmarshal(raw, &session); err != nil {
		return stop, err
	}
	chromium.base += "/session/" + session.SessionID
	return stop, nil
}

var errRefused = errors.New("refused")

// guardSite allows site and the blank page.
func guardSite(href string, _ bool) (string, error) {
	if href == "about:blank" || strings.HasPrefix(href, site.URL+"/") {
		return site.URL, nil
	}
	return "", errRefused
}

// open shows a page of the site. Its address is its own, so that it is loaded.
func open(t *testing.T, html string) string {
	t.Helper()
	return openOn(t, site, html)
}

func openOn(t *testing.T, server *httptest.Server, html string) string {
	t.Helper()
	path := put(t, html)
	must(t, http.MethodPost, "/url", map[string]any{"url": server.URL + path})
	return server.URL + path
}

// put keeps a page to be served, and returns its path.
func put(t *testing.T, html string) string {
	path := "/" + api.NewID()
	pages.Store(path, html)
	t.Cleanup(func() { pages.Delete(path) })
	return path
}

func must(t *testing.T, method, path string, body any) json.RawMessage {
	t.Helper()
	raw, err := chromium.value(t.Context(), method, path, body)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// js runs a script of the test itself.
func js(t *testing.T, script string, args ...any) string {
	t.Helper()
	if args == nil {
		args = []any{}
	}
	raw, err := chromium.Execute(t.Context(), script, args)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func id(value string) api.Locator { return api.Locator{By: api.ByID, Value: value} }

func css(value string) api.Locator { return api.Locator{By: api.ByCSS, Value: value} }

// oldMode runs scripts without what document mode 5 lacks, and with what it has
// instead; afterwards the page is as before.
type oldMode struct{ *browser }

func (o oldMode) Execute(ctx context.Context, script string, args []any) (json.RawMessage, error) {
	return o.browser.Execute(ctx, oldModeJS+"try { return (function () {"+script+"}).apply(null, arguments); } finally { restore(); }", args)
}

const oldModeJS = `
var undo = [], computed = window.getComputedStyle, define = Object.defineProperty, describe = Object.getOwnPropertyDescriptor,
    create = document.createEvent.bind(document), dispatch = EventTarget.prototype.dispatchEvent, selection = window.getSelection();
function put(o, k, d) {
  var old = describe(o, k);
  undo.push(function () { if (old) define(o, k, old); else delete o[k]; });
  define(o, k, d);
}
function lack(o, names) { names.split(' ').forEach(function (k) {
  for (var p = o; p; p = Object.getPrototypeOf(p)) if (describe(p, k) && describe(p, k).configurable) put(p, k, {value: undefined, configurable: true, writable: true});
}); }
function restore() { while (undo.length) undo.pop()(); }
put(Element.prototype, 'currentStyle', {configurable: true, get: function () { return computed(this, null); }});
put(document, 'createEventObject', {configurable: true, value: function () { return {}; }});
put(Element.prototype, 'fireEvent', {configurable: true, value: function (type, event) {
  var e = create('HTMLEvents');
  e.initEvent(type.substring(2), true, true);
  if (event.keyCode) e.keyCode = event.keyCode;
  return dispatch.call(this, e);
}});
put(HTMLElement.prototype, 'createTextRange', {configurable: true, value: function () {
  var el = this, end = false;
  return {
    moveToElementText: function (inner) { el = inner; },
    collapse: function (start) { end = !start; },
    select: function () {
      if (el.select) el.select(); else selection.selectAllChildren(el);
      if (end) selection.collapseToEnd();
    }
  };
}});
lack(window, 'JSON Map Set Promise Symbol getComputedStyle getSelection addEventListener innerWidth innerHeight pageXOffset scrollX matchMedia');
lack(document, 'querySelector querySelectorAll getElementsByClassName addEventListener createEvent createRange createTreeWalker evaluate head characterSet');
lack(Element.prototype, 'querySelector querySelectorAll getElementsByClassName classList matches closest checkVisibility children firstElementChild nextElementSibling');
lack(Node.prototype, 'textContent addEventListener isConnected');
lack(EventTarget.prototype, 'dispatchEvent');
lack(String.prototype, 'trim includes startsWith endsWith repeat codePointAt');
lack(Array.prototype, 'map filter some every reduce indexOf includes find');
lack(Array, 'isArray from of');
lack(Date, 'now');
lack(Object, 'keys create defineProperty getOwnPropertyDescriptor entries assign');
lack(HTMLInputElement.prototype, 'selectionStart selectionEnd setSelectionRange');
lack(Array.prototype, 'forEach');
`
