package iedriver

import (
	"encoding/json"
	"strconv"
	"strings"
)

// request is one request that needs no page, sent to the real driver and to the emulator.
// Their answers must be the same, but for what exempt names.
type request struct {
	line    string // method and target
	headers string // beside Host, Connection and Content-Length, one a line
	body    string
	exempt  []field
}

// field is a part of an answer that differs for a reason: the text that match finds.
type field struct{ match, reason string }

var (
	driverVersion = field{`"version" : "4\.\d+\.\d+\.\d+ \(32-bit\)"`, "the emulator looks like 4.14, npm has 4.0"}
	system        = field{`"arch" : "\w+",\s+"name" : "windows",\s+"version" : "[\d.]+"`, "the emulator looks like 64-bit Windows 10, Wine's 32-bit prefix is another system"}
	installedIE   = field{`installed version of IE is -?\d+|"browserVersion" : "-?\d+"`, "the emulator has IE 11, Wine its own version or none"}
	processID     = field{`with ID \d+`, "an id that the system gave"}
	profile       = field{`--user-data-dir=\S*IEDriver-[0-9a-f-]+`, "a name made by chance in each one's temporary folder"}
	switches      = field{`--disable-features=msImplicitSignin( --disable-popup-blocking --enable-features=msIEModeAlwaysWaitForUnload)?`, "two were added in 4.3 and 4.6"}
	startPort     = field{`http://localhost:\d+/`, "each one's own port"}
)

func always(capabilities string) string {
	return `{"capabilities":{"alwaysMatch":` + capabilities + `}}`
}

// wanted is what a session is opened with that no rule refuses.
const wanted = `{"browserName":"internet explorer","unhandledPromptBehavior":"ignore","se:ieOptions":{"ie.edgechromium":true,"browserAttachTimeout":2000}}`

// stateless are requests that leave the driver as it was.
var stateless = []request{
	// The surface.
	{line: "GET /status", exempt: []field{driverVersion, system}},
	{line: "GET /status?a=b", exempt: []field{driverVersion, system}},
	{line: "GET /status/"},
	{line: "GET /STATUS"},
	{line: "POST /status", body: `{}`},
	{line: "DELETE /status"},
	{line: "HEAD /status"},
	{line: "OPTIONS /status"},
	{line: "PUT /status", body: `{}`},
	{line: "PATCH /status", body: `{}`},
	{line: "GET /"},
	{line: "HEAD /"},
	{line: "POST /", body: `{}`},
	{line: "GET /favicon.ico"},
	{line: "GET /wd/hub/status"},
	{line: "GET /session"},
	{line: "DELETE /session"},
	{line: "GET /sessions"},
	{line: "POST /sessions", body: `{}`},
	{line: "GET /session/"},

	// Sessions that are not there.
	{line: "GET /session/x"},
	{line: "DELETE /session/x"},
	{line: "POST /session/x", body: `{}`},
	{line: "GET /session/x/url"},
	{line: "POST /session/x/url", body: `{"url":"http://127.0.0.1/"}`},
	{line: "POST /session/x/url"},
	{line: "POST /session/x/url", body: `[]`},
	{line: "POST /session/x/url", body: `{"url":`},
	{line: "PATCH /session/x/url", body: `{}`},
	{line: "DELETE /session/x/url"},
	{line: "HEAD /session/x/url"},
	{line: "GET /session/x/window/handles"},
	{line: "DELETE /session/x/window"},
	{line: "POST /session/x/window/new", body: `{"type":"tab"}`},
	{line: "POST /session/x/timeouts", body: `{"implicit":-1}`},
	{line: "POST /session/x/execute/sync", body: `{"script":"return 1","args":[]}`},
	{line: "POST /session/x/element", body: `{"using":"id","value":"x"}`},
	{line: "GET /session/x/element/active"},
	{line: "GET /session/x/element/y/displayed"},
	{line: "GET /session/x/element/y/attribute/z"},
	{line: "GET /session/x/element/y/attribute/"},
	{line: "POST /session/x/actions", body: `{"actions":[]}`},
	{line: "GET /session/x/ime/activated"},
	{line: "POST /session/x/ie/script/background", body: `{}`},
	{line: "GET /session/%78/url"},
	{line: "GET /session/%E6%97%A5/url"},
	{line: "GET /session/a%20b/url"},

	// Commands that the driver does not have.
	{line: "POST /session/x/print", body: `{}`},
	{line: "POST /session/x/log", body: `{}`},
	{line: "POST /session/x/se/file", body: `{}`},
	{line: "POST /session/x/execute", body: `{}`},
	{line: "POST /session/x/moveto", body: `{}`},
	{line: "GET /session/x/element/y/shadow"},
	{line: "GET /session/x/element/y/computedrole"},
	{line: "GET /session/x/local_storage"},
	{line: "GET /session/x/%E6%97%A5"},
	{line: "PUT /session/x/print", body: `{}`},
	{line: "GET /session//url"},
	{line: "GET //session///x//url"},
	{line: "GET /session/x/url/"},
	{line: "HEAD /nowhere"},
	{line: "OPTIONS /nowhere"},

	// Bodies of New Session.
	{line: "POST /session", body: `{}`},
	{line: "POST /session", body: `{"desiredCapabilities":{}}`},
	{line: "POST /session", body: `{"capabilities":`},
	{line: "POST /session", body: `{"capabilities":1}`},
	{line: "POST /session", body: `{"capabilities":null}`},
	{line: "POST /session", body: `{"capabilities":[]}`},
	{line: "POST /session", body: always(`[]`)},
	{line: "POST /session", body: always(`1`)},
	{line: "POST /session", body: always(`null`)},
	{line: "POST /session", body: `{"capabilities":{"firstMatch":{}}}`},
	{line: "POST /session", body: `{"capabilities":{"firstMatch":[1]}}`},
	{line: "POST /session", body: `{"capabilities":{"firstMatch":[{},{"foo":1}]}}`},
	{line: "POST /session", body: `{"capabilities":{"firstMatch":[{"bar":1},{"foo":1}]}}`},
	{line: "POST /session", body: `{"capabilities":{"alwaysMatch":{"browserName":"x"},"firstMatch":[{"browserName":"x"}]}}`},
	{line: "POST /session", body: `{"capabilities":{"firstMatch":[{"browserName":"a"},{"browserName":"b"}]}}`},
	{line: "POST /session", headers: "Content-Type: text/plain", body: `{"desiredCapabilities":{}}`},
	{line: "POST /session", headers: "Content-Type: application/json; charset=utf-8\nAccept: application/json\nOrigin: http://example.org", body: `{"desiredCapabilities":{}}`},

	// Capabilities.
	{line: "POST /session", body: always(`{"foo":1}`)},
	{line: "POST /session", body: always(`{"zoo":1,"foo":1}`)},
	{line: "POST /session", body: always(`{"webSocketUrl":true}`)},
	{line: "POST /session", body: always(`{"browserName":1}`)},
	{line: "POST /session", body: always(`{"browserVersion":11}`)},
	{line: "POST /session", body: always(`{"platformName":["windows"]}`)},
	{line: "POST /session", body: always(`{"acceptInsecureCerts":"true"}`)},
	{line: "POST /session", body: always(`{"strictFileInteractability":"true"}`)},
	{line: "POST /session", body: always(`{"setWindowRect":true,"foo":1}`)},
	{line: "POST /session", body: always(`{"unhandledPromptBehavior":"x"}`)},
	{line: "POST /session", body: always(`{"unhandledPromptBehavior":{"alert":"accept"}}`)},
	{line: "POST /session", body: always(`{"unhandledPromptBehavior":"日本\"\\"}`)},
	{line: "POST /session", body: always(`{"pageLoadStrategy":"fast"}`)},
	{line: "POST /session", body: always(`{"pageLoadStrategy":1}`)},
	{line: "POST /session", body: always(`{"proxy":1}`)},
	{line: "POST /session", body: always(`{"proxy":{},"ms:edgeOptions":{}}`)},
	{line: "POST /session", body: always(`{"proxy":{"proxyType":"x"}}`)},
	{line: "POST /session", body: always(`{"proxy":{"proxyType":1}}`)},
	{line: "POST /session", body: always(`{"proxy":{"proxyType":"pac","proxyAutoconfigUrl":1}}`)},
	{line: "POST /session", body: always(`{"proxy":{"noProxy":"a"}}`)},
	{line: "POST /session", body: always(`{"proxy":{"socksVersion":"5"}}`)},
	{line: "POST /session", body: always(`{"proxy":{"socksVersion":256}}`)},
	{line: "POST /session", body: always(`{"proxy":{"foo":1}}`)},
	{line: "POST /session", body: always(`{"timeouts":1}`)},
	{line: "POST /session", body: always(`{"timeouts":{"implicit":"1"}}`)},
	{line: "POST /session", body: always(`{"timeouts":{"implicit":-1}}`)},
	{line: "POST /session", body: always(`{"timeouts":{"pageLoad":1.5}}`)},
	{line: "POST /session", body: always(`{"timeouts":{"pageLoad":1.0,"implicit":-1}}`)},
	{line: "POST /session", body: always(`{"timeouts":{"pageLoad":null}}`)},
	{line: "POST /session", body: always(`{"timeouts":{"script":null,"pageLoad":1.5}}`)},
	{line: "POST /session", body: always(`{"timeouts":{"script":null},"ms:edgeOptions":{}}`)},
	{line: "POST /session", body: always(`{"timeouts":{"script":1e300}}`)},
	{line: "POST /session", body: always(`{"timeouts":{"script":9007199254740992}}`)},
	{line: "POST /session", body: always(`{"timeouts":{"foo":1}}`)},
	{line: "POST /session", body: always(`{"se:ieOptions":1}`)},
	{line: "POST /session", body: always(`{"browserName":"MicrosoftEdge"}`)},
	{line: "POST /session", body: always(`{"platformName":"Windows"}`)},
	{line: "POST /session", body: always(`{"browserVersion":"10"}`), exempt: []field{installedIE}},
	{line: "POST /session", body: always(`{"acceptInsecureCerts":true}`)},
	{line: "POST /session", body: always(`{"ms:edgeOptions":{}}`)},
	{line: "POST /session", body: always(`{"foo":null,"ms:edgeOptions":{},"test:a":1}`)},
	{line: "POST /session", body: always(`{"a:b":1,"ms:edgeOptions":{},"browserName":"x"}`)},
	{line: "POST /session", body: always(`{"browserVersion":"","platformName":"x","acceptInsecureCerts":false}`), exempt: []field{installedIE}},
	{line: "POST /session", body: always(`{"platformName":"x","browserVersion":"10"}`), exempt: []field{installedIE}},
	{line: "POST /session", body: `{"capabilities":{"firstMatch":[{"browserName":"x"},{"a:b":1}]}}`},
}

// phantom are about the session that a broken New Session leaves. Only DELETE /session/
// ends it; with it, /shutdown crashes the real driver under Wine.
var phantom = []request{
	{line: "POST /session"},
	{line: "GET /status", exempt: []field{driverVersion, system}},
	{line: "GET /sessions", exempt: []field{installedIE}},
	{line: "POST /session", body: always(wanted)},
	{line: "POST /session"},
	{line: "POST /session", body: `{"capabilities":`},
	{line: "GET /session/", exempt: []field{installedIE}},
	{line: "DELETE /session/"},
	{line: "GET /status", exempt: []field{driverVersion, system}},
}

var chunked = []request{
	{line: "POST /session", headers: "Transfer-Encoding: chunked", body: "2\r\n{}\r\n0\r\n\r\n"},
	{line: "GET /status", exempt: []field{driverVersion, system}},
	{line: "DELETE /session/"},
}

// launches are sessions that cannot be opened here.
var launches = []request{
	{line: "POST /session", body: always(wanted), exempt: []field{profile, switches, startPort}},
	{line: "GET /status", exempt: []field{driverVersion, system}},
	{line: "GET /sessions"},
}

// windowless is a session whose browser, at a path of Windows, never shows a window.
func windowless(browser string) []request {
	path, _ := json.Marshal(browser)
	return []request{
		{line: "POST /session", body: always(`{"se:ieOptions":{"ie.edgechromium":true,"browserAttachTimeout":2999,"ie.edgepath":` + string(path) + `}}`), exempt: []field{processID}},
		{line: "GET /status", exempt: []field{driverVersion, system}},
	}
}

// raw is the request as it is sent, on a connection of its own.
func (r request) raw(host string) string {
	var b strings.Builder
	b.WriteString(r.line + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n")
	for header := range strings.SplitSeq(r.headers, "\n") {
		if header != "" {
			b.WriteString(header + "\r\n")
		}
	}
	if r.body != "" && !strings.Contains(r.headers, "chunked") {
		b.WriteString("Content-Length: " + strconv.Itoa(len(r.body)) + "\r\n")
	}
	return b.String() + "\r\n" + r.body
}
