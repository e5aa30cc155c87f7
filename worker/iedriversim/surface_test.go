package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestCommandLine(t *testing.T) {
	folder := t.TempDir()
	out, err := exec.Command(binary, "--version", "-extract-path="+folder).Output()
	if err != nil || string(out) != "IEDriverServer.exe 4.14.0.0 (32-bit)\r\n" {
		t.Errorf("%q %v", out, err)
	}
	out, err = exec.Command(binary, "/help").Output()
	if err != nil || !strings.HasPrefix(string(out), "Launches the WebDriver server for the Internet Explorer driver\r\n\r\n") {
		t.Errorf("%q %v", out, err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	cmd := exec.Command(binary, fmt.Sprintf("-port=%d", port), "/extract-path="+folder)
	out, _ = cmd.Output()
	want := fmt.Sprintf("Failed to start the server with: port = '%d', host = '', log level = '', log file = '', whitelisted ips = ''.", port)
	if cmd.ProcessState.ExitCode() != 4 || string(out) != want {
		t.Errorf("%d %q", cmd.ProcessState.ExitCode(), out)
	}
	if _, err := os.Stat(filepath.Join(folder, "IEDriver.tmp")); err != nil {
		t.Error("a failed start removed the library")
	}
}

func TestBannerAndShutdown(t *testing.T) {
	s := start(t, quick, "--log-level=debug")
	if _, err := os.Stat(filepath.Join(s.folder, "IEDriver.tmp")); err != nil {
		t.Error(err)
	}
	s.do("GET", "/shutdown", nil)
	<-s.exited
	if s.cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("exit %d", s.cmd.ProcessState.ExitCode())
	}
	lines := strings.Split(s.output.String(), "\r\n")
	want := []string{"Started InternetExplorerDriver server (32-bit)", "4.14.0.0", fmt.Sprintf("Listening on port %d", s.port),
		"Log level is set to DEBUG", "Library extracted to " + s.folder, "Only local connections are allowed", ""}
	if !strings.HasPrefix(lines[0], "I ") || strings.Join(lines[1:], "|") != strings.Join(want, "|") {
		t.Errorf("%q", lines)
	}
	if _, err := os.Stat(filepath.Join(s.folder, "IEDriver.tmp")); err == nil {
		t.Error("shutdown left the library")
	}
}

func TestExitBeforeReady(t *testing.T) {
	s := start(t, `{"faults":{"exitBeforeReady":2}}`, "/silent")
	<-s.exited
	if s.cmd.ProcessState.ExitCode() != 2 || s.output.String() != "Failed to load the library from temp directory: "+filepath.Join(s.folder, "IEDriver.tmp") {
		t.Errorf("%d %q", s.cmd.ProcessState.ExitCode(), s.output.String())
	}
}

func TestSurface(t *testing.T) {
	s := start(t, quick, "/silent")
	for _, c := range []struct {
		method, path  string
		status        int
		code, message string
	}{
		{"GET", "/status/", 404, "unknown command", "Command not found: GET /status/"},
		{"GET", "/wd/hub/status", 404, "unknown command", "Command not found: GET /wd/hub/status"},
		{"POST", "/session/x/print", 404, "unknown command", "Command not found: POST /session/x/print"},
		{"GET", "/session/x/element/y/shadow", 404, "unknown command", "Command not found: GET /session/x/element/y/shadow"},
		{"POST", "/session/x/se/file", 404, "unknown command", "Command not found: POST /session/x/se/file"},
		{"PATCH", "/session/x/url", 405, "unknown method", "Invalid method requested: PATCH is not a valid HTTP verb for /session/x/url; acceptable verbs are: GET,POST"},
		{"POST", "/status", 405, "unknown method", "Invalid method requested: POST is not a valid HTTP verb for /status; acceptable verbs are: GET"},
		{"GET", "/session/x/url", 404, "invalid session id", "session x does not exist"},
		{"DELETE", "/session/x", 200, "", ""},
	} {
		r := s.do(c.method, c.path, nil)
		if code, message, _ := r.failure(); r.status != c.status || code != c.code || message != c.message {
			t.Errorf("%s %s: %d %s", c.method, c.path, r.status, r.value)
		}
		kind, caching, vary, ranges := "application/json; charset=utf-8", "no-cache", "Accept-Charset, Accept-Encoding, Accept-Language, Accept", "bytes"
		if c.status == 405 {
			kind, caching, vary, ranges = "text/html", "", "", ""
		}
		h := r.header
		if h.Get("Content-Type") != kind || h.Get("Content-Length") == "" || h.Get("Cache-Control") != caching || h.Get("Vary") != vary || h.Get("Accept-Ranges") != ranges || h.Get("Date") != "" {
			t.Errorf("%s %s: headers %v", c.method, c.path, h)
		}
	}
	if r := s.do("PATCH", "/session/x/url", nil); r.header.Get("Allow") != "GET,POST" {
		t.Errorf("Allow %q", r.header.Get("Allow"))
	}
	if r := s.do("HEAD", "/status", nil); r.status != 405 {
		t.Errorf("HEAD %d", r.status)
	}
	if r := s.do("GET", "/status?x=y", nil); !strings.Contains(string(r.value), `"ready":true`) || !strings.Contains(string(r.value), `"4.14.0.0 (32-bit)"`) {
		t.Errorf("%s", r.value)
	}
	if r := s.do("GET", "/sessions", nil); string(r.value) != "[]" {
		t.Errorf("%s", r.value)
	}
	answer, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/", s.port))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, _ := io.ReadAll(answer.Body); string(body) != startPage || answer.Header.Get("Content-Type") != "text/html; charset=utf-8" {
		t.Errorf("%q %v", body, answer.Header)
	}
	s.do("GET", "/shutdown", nil)
	if <-s.exited; s.output.Len() != 0 {
		t.Errorf("silent, but %q", s.output.String())
	}
}

// A body that the driver does not see leaves a session that has no id.
func TestPhantomSession(t *testing.T) {
	const refusal = "parameters property of command is not a valid JSON object"
	s := start(t, quick, "/silent")
	url := fmt.Sprintf("http://127.0.0.1:%d/session", s.port)
	broken, _ := http.NewRequest("POST", url, strings.NewReader(`{"capabilities":`))
	if _, message, _ := exchange(broken).failure(); message != "'capabilities' in new session request body is not a JSON object." {
		t.Errorf("%s", message)
	}
	chunked, _ := http.NewRequest("POST", url, io.MultiReader(strings.NewReader(`{"capabilities":{}}`)))
	if r := exchange(chunked); r.status != 400 || !strings.Contains(string(r.value), refusal) {
		t.Errorf("%d %s", r.status, r.value)
	}
	if r := s.do("GET", "/status", nil); !strings.Contains(string(r.value), `"message":"Maximum number of sessions already created"`) || !strings.Contains(string(r.value), `"ready":false`) {
		t.Errorf("%s", r.value)
	}
	if _, message, _ := s.do("POST", "/session", wish).failure(); message != "Only one session may be created at a time, and a session already exists." {
		t.Errorf("%s", message)
	}
	s.do("DELETE", "/session/", nil)
	if r := s.do("GET", "/status", nil); !strings.Contains(string(r.value), `"ready":true`) {
		t.Errorf("%s", r.value)
	}
}

func TestCapabilities(t *testing.T) {
	s := start(t, quick, "/silent")
	always := func(in string) string { return `{"capabilities":{"alwaysMatch":` + in + `}}` }
	const invalid, unmatched = "Invalid capabilities in alwaysMatch: ", "No matching capability sets found.\nUnable to match capability set 0: "
	for _, c := range []struct{ body, code, message string }{
		{`{"desiredCapabilities":{}}`, badArgument, "No property named 'capabilities' found in new session request body."},
		{`{"capabilities":1}`, badArgument, "'capabilities' in new session request body is not a JSON object."},
		{always(`[]`), badArgument, "alwaysMatch must be a JSON object"},
		{`{"capabilities":{"firstMatch":{}}}`, badArgument, "firstMatch must be a JSON list"},
		{`{"capabilities":{"alwaysMatch":{"browserName":"x"},"firstMatch":[{"browserName":"x"}]}}`, badArgument, "Cannot merge capabilities: browserName is already specified"},
		{`{"capabilities":{"firstMatch":[{},{"foo":1}]}}`, badArgument, "All firstMatch elements failed validation\nInvalid capabilities in firstMatch element 1: unknown capability named foo"},
		{always(`{"foo":1}`), badArgument, invalid + "unknown capability named foo"},
		{always(`{"webSocketUrl":true}`), badArgument, invalid + "unknown capability named webSocketUrl"},
		{always(`{"unhandledPromptBehavior":"x"}`), badArgument, invalid + "unhandledPromptBehavior is x but must be 'accept' or 'dismiss'"},
		{always(`{"pageLoadStrategy":"fast"}`), badArgument, invalid + "pageLoadStrategy is fast but must be 'none', 'eager', or 'normal'"},
		{always(`{"timeouts":{"implicit":"1"}}`), badArgument, invalid + "timeout implicitmust be an integer"},
		{always(`{"browserName":"MicrosoftEdge"}`), notCreated, unmatched + "browserName must be 'internet explorer', but was 'MicrosoftEdge'"},
		{always(`{"platformName":"Windows"}`), notCreated, unmatched + "platformName must be 'windows', but was 'Windows'"},
		{always(`{"browserVersion":"10"}`), notCreated, unmatched + "requested browserVersion value was '10', but the installed version of IE is 11 (note: only exact matches on major version number are supported)"},
		{always(`{"acceptInsecureCerts":true}`), notCreated, unmatched + "acceptInsecureCerts was 'true', but the IE driver does not allow bypassing insecure (self-signed) SSL certificates"},
		{always(`{"ms:edgeOptions":{}}`), notCreated, unmatched + "ms:edgeOptions is an unknown extension capability for IE"},
	} {
		q, _ := http.NewRequest("POST", fmt.Sprintf("http://127.0.0.1:%d/session", s.port), strings.NewReader(c.body))
		r := exchange(q)
		status := map[string]int{badArgument: 400, notCreated: 500}[c.code]
		if code, message, _ := r.failure(); r.status != status || code != c.code || message != c.message {
			t.Errorf("%s: %d %s", c.body, r.status, r.value)
		}
	}
}
