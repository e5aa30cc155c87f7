package main

import (
	"bytes"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const errorPage = "chrome-error://chromewebdata/"

func (s *session) navigate(c *call) (any, error) {
	raw, ok := c.params["url"]
	var address string
	if !ok {
		return nil, fail(badArgument, "Missing parameter: url")
	}
	if json.Unmarshal(raw, &address) != nil {
		return nil, fail(badArgument, "url parameter must be a string")
	}
	if u, err := url.Parse(address); err != nil || u.Scheme == "" {
		return nil, fail(badArgument, "Specified URL ("+address+") is not valid.")
	}
	if strings.HasPrefix(address, "file:") && strings.HasSuffix(address, "/") {
		return nil, fail(badArgument, "Specified URL ("+address+") is a directory, and the browser opens directories outside the browser window.")
	}
	if s.focus().dialog != nil {
		return nil, fail("", "Failed to navigate to "+address+". This usually means that a call to the COM method IWebBrowser2::Navigate2() failed.")
	}
	_, err := s.pass(c)
	if err != nil && strings.Contains(err.Error(), "net::") {
		err = nil // IE shows a page of its own
	}
	s.loadCycle(c)
	return nil, err
}

func (s *session) history(c *call) (any, error) {
	if s.focus().dialog != nil {
		return nil, nil
	}
	if c.route.name == "refresh" {
		s.backend.send(http.MethodPost, "/frame", map[string]any{"id": nil})
	}
	_, err := s.pass(c)
	if err != nil && strings.Contains(err.Error(), "net::") {
		err = nil
	}
	s.loadCycle(c)
	return nil, err
}

// loadCycle is the least time that the driver's wait for a page takes.
func (s *session) loadCycle(c *call) {
	if c.RealTiming {
		time.Sleep(50 * time.Millisecond)
	}
}

// url gives the address of the focused frame's document.
func (s *session) url(*call) (any, error) {
	if s.focus().dialog != nil {
		return "", nil
	}
	value, err := s.backend.send(http.MethodPost, "/execute/sync", map[string]any{"script": "return document.URL", "args": []any{}})
	if err != nil {
		return nil, err
	}
	if string(value) == `"`+errorPage+`"` {
		return s.resource(), nil
	}
	return value, nil
}

// resource is the address of the page that IE would show instead of Chromium's.
func (s *session) resource() string {
	var asked, text string
	if value, err := s.backend.send(http.MethodGet, "/url", nil); err == nil {
		json.Unmarshal(value, &asked)
	}
	script := "return document.documentElement.innerText || ''"
	if value, err := s.backend.send(http.MethodPost, "/execute/sync", map[string]any{"script": script, "args": []any{}}); err == nil {
		json.Unmarshal(value, &text)
	}
	if strings.Contains(text, "ERR_CERT") {
		return "res://ieframe.dll/invalidcert.htm?SSLError=50331648#" + asked
	}
	return "res://ieframe.dll/dnserror.htm#" + asked
}

// source has no doctype.
func (s *session) source(*call) (any, error) {
	return s.backend.send(http.MethodPost, "/execute/sync", map[string]any{"script": "return document.documentElement.outerHTML", "args": []any{}})
}

func (s *session) screenshot(c *call) (any, error) {
	if c.Faults.ScreenshotFails {
		return "", nil
	}
	if err := s.obeyWindow(); err != nil {
		return nil, err
	}
	var value any
	var err error
	if c.route.name == "screenshot" {
		value, err = s.pass(c)
	} else {
		value, err = s.ask(c)
	}
	if refused(err) == alertOpen { // which chromedriver cannot picture, but IEDriver can
		return blank(), nil
	}
	return value, err
}

// obeyWindow brings chromedriver into the current window, if no dialog holds it.
func (s *session) obeyWindow() error {
	win := s.focus()
	if win == nil {
		return fail(noWindow, "Unable to get browser")
	}
	if s.at == win.target && !win.top {
		return nil
	}
	if _, open := s.alert(); open {
		return nil
	}
	return s.move(win)
}

func blank() []byte {
	picture := image.NewPaletted(image.Rect(0, 0, 1280, 720), color.Palette{color.White})
	var b bytes.Buffer
	png.Encode(&b, picture)
	return b.Bytes() // which JSON has in base64
}
