package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// wanted is what New Session asked for, defaults filled in.
type wanted struct {
	pageLoadStrategy, behavior string
	strictFiles                bool
	timeouts                   timeouts
	proxy                      any
	options                    options
}

// options is se:ieOptions as the driver returns it.
type options struct {
	BrowserAttachTimeout        int64  `json:"browserAttachTimeout"`
	ElementScrollBehavior       int64  `json:"elementScrollBehavior"`
	EnablePersistentHover       bool   `json:"enablePersistentHover"`
	CommandLineSwitches         string `json:"ie.browserCommandLineSwitches"`
	EdgeChromium                bool   `json:"ie.edgechromium"`
	EdgePath                    string `json:"ie.edgepath"`
	EnsureCleanSession          bool   `json:"ie.ensureCleanSession"`
	FileUploadDialogTimeout     int64  `json:"ie.fileUploadDialogTimeout"`
	ForceCreateProcess          bool   `json:"ie.forceCreateProcessApi"`
	IgnoreProcessMatch          bool   `json:"ie.ignoreprocessmatch"`
	IgnoreProtectedModeSettings bool   `json:"ignoreProtectedModeSettings"`
	IgnoreZoomSetting           bool   `json:"ignoreZoomSetting"`
	InitialBrowserURL           string `json:"initialBrowserUrl"`
	NativeEvents                bool   `json:"nativeEvents"`
	RequireWindowFocus          bool   `json:"requireWindowFocus"`
}

type object = map[string]json.RawMessage

// requested validates the body of New Session in the driver's order.
func requested(params object, port int) (w wanted, err error) {
	raw, ok := params["capabilities"]
	if !ok {
		return w, fail(badArgument, "No property named 'capabilities' found in new session request body.")
	}
	capabilities, ok := objectOf(raw)
	if !ok {
		return w, fail(badArgument, "'capabilities' in new session request body is not a JSON object.")
	}
	always := object{}
	if raw, ok := capabilities["alwaysMatch"]; ok {
		if always, ok = objectOf(raw); !ok {
			return w, fail(badArgument, "alwaysMatch must be a JSON object")
		}
	}
	if problem := invalid(always); problem != "" {
		return w, fail(badArgument, "Invalid capabilities in alwaysMatch: "+problem)
	}
	sets := []object{{}}
	if raw, ok := capabilities["firstMatch"]; ok {
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil || list == nil {
			return w, fail(badArgument, "firstMatch must be a JSON list")
		}
		if len(list) > 0 {
			sets = nil
		}
		var problems []string
		for i, raw := range list {
			set, ok := objectOf(raw)
			if !ok {
				problems = append(problems, fmt.Sprintf("firstMatch element %d is not a JSON object.", i))
			} else if problem := invalid(set); problem != "" {
				problems = append(problems, fmt.Sprintf("Invalid capabilities in firstMatch element %d: %s", i, problem))
			}
			sets = append(sets, set)
		}
		if problems != nil {
			return w, fail(badArgument, "All firstMatch elements failed validation\n"+strings.Join(problems, "\n"))
		}
	}
	reasons := "No matching capability sets found."
	for i, set := range sets {
		merged := maps.Clone(always)
		for _, name := range slices.Sorted(maps.Keys(set)) {
			if _, twice := merged[name]; twice {
				return w, fail(badArgument, "Cannot merge capabilities: "+name+" is already specified")
			}
			merged[name] = set[name]
		}
		reason := unmatched(merged)
		if reason == "" {
			return fill(merged, port), nil
		}
		reasons += fmt.Sprintf("\nUnable to match capability set %d: %s", i, reason)
	}
	return w, fail(notCreated, reasons)
}

func objectOf(raw json.RawMessage) (o object, ok bool) {
	return o, json.Unmarshal(raw, &o) == nil && o != nil
}

var strategies = []string{"none", "eager", "normal"}

var behaviors = []string{"accept", "dismiss", "accept and notify", "dismiss and notify", "ignore"}

// types are those that capabilities must have.
var types = map[string]string{
	"browserName": "string", "browserVersion": "string", "platformName": "string", "pageLoadStrategy": "string", "unhandledPromptBehavior": "string",
	"acceptInsecureCerts": "boolean", "strictFileInteractability": "boolean", "setWindowRect": "boolean",
	"proxy": "object", "timeouts": "object", "se:ieOptions": "object",
}

// proxyTypes are those of the members of proxy.
var proxyTypes = map[string]string{
	"proxyType": "string", "proxyAutoconfigUrl": "string", "ftpProxy": "string", "httpProxy": "string", "sslProxy": "string", "socksProxy": "string",
	"noProxy": "array", "socksVersion": "number",
}

// invalid says what is wrong with the types and values of a set. It drops nulls.
func invalid(set object) string {
	for _, name := range slices.Sorted(maps.Keys(set)) {
		raw := set[name]
		if string(raw) == "null" {
			delete(set, name)
			continue
		}
		wanted, known := types[name]
		if !known && !strings.Contains(name, ":") {
			return "unknown capability named " + name
		}
		if problem := wrongType(name, raw, wanted); problem != "" {
			return problem
		}
		var text string
		json.Unmarshal(raw, &text)
		inner, _ := objectOf(raw)
		problem := ""
		switch {
		case name == "pageLoadStrategy" && !slices.Contains(strategies, text):
			problem = "pageLoadStrategy is " + text + " but must be 'none', 'eager', or 'normal'"
		case name == "unhandledPromptBehavior" && !slices.Contains(behaviors, text):
			problem = "unhandledPromptBehavior is " + text + " but must be 'accept' or 'dismiss'"
		case name == "proxy":
			problem = invalidProxy(inner)
		case name == "timeouts":
			problem = invalidTimeouts(inner)
		}
		if problem != "" {
			return problem
		}
	}
	return ""
}

func wrongType(name string, raw json.RawMessage, wanted string) string {
	if actual := typeOf(raw); wanted != "" && actual != wanted {
		return name + " is type " + actual + " instead of " + wanted
	}
	return ""
}

func typeOf(raw json.RawMessage) string {
	switch raw[0] {
	case '"':
		return "string"
	case '{':
		return "object"
	case '[':
		return "array"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

func invalidProxy(proxy object) string {
	for _, name := range slices.Sorted(maps.Keys(proxy)) {
		wanted, known := proxyTypes[name]
		if !known {
			return "unknown proxy setting named " // the driver forgets the name
		}
		if problem := wrongType(name, proxy[name], wanted); problem != "" {
			return "proxy setting " + problem
		}
		var kind string
		json.Unmarshal(proxy[name], &kind)
		if name == "proxyType" && !slices.Contains([]string{"pac", "direct", "autodetect", "system", "manual"}, kind) {
			return "a proxy type named " + kind + " is specified, but proxy type must be 'pac', 'direct', 'autodetect', 'system', or 'manual'"
		}
		var socks int64
		if name == "socksVersion" && (json.Unmarshal(proxy[name], &socks) != nil || socks < 0 || socks > 255) {
			return "SOCKS version must be between 0 and 255."
		}
	}
	return ""
}

func invalidTimeouts(limits object) string {
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		if !slices.Contains([]string{"implicit", "pageLoad", "script"}, name) {
			return "a timeout named " + name + " is specified, but timeout names must be 'implicit', 'pageLoad', or 'script'"
		}
		if name == "script" && string(limits[name]) == "null" {
			continue
		}
		var ms float64
		if typeOf(limits[name]) != "number" || json.Unmarshal(limits[name], &ms) != nil || ms != math.Trunc(ms) || math.Abs(ms) >= 1<<64 {
			return "timeout " + name + "must be an integer"
		}
		if ms < 0 || ms >= 1<<53 {
			return "timeout " + name + "must be an integer between 0 and 2^53 - 1"
		}
	}
	return ""
}

// unmatched says why a valid set does not match this driver, by the first name that does not.
func unmatched(set object) string {
	for _, name := range slices.Sorted(maps.Keys(set)) {
		var text string
		json.Unmarshal(set[name], &text)
		switch {
		case name == "browserName" && text != "internet explorer":
			return "browserName must be 'internet explorer', but was '" + text + "'"
		case name == "browserVersion" && text != "11":
			return "requested browserVersion value was '" + text + "', but the installed version of IE is 11 (note: only exact matches on major version number are supported)"
		case name == "platformName" && text != "windows":
			return "platformName must be 'windows', but was '" + text + "'"
		case name == "acceptInsecureCerts" && string(set[name]) == "true":
			return "acceptInsecureCerts was 'true', but the IE driver does not allow bypassing insecure (self-signed) SSL certificates"
		case strings.Contains(name, ":") && name != "se:ieOptions" && !strings.Contains(name, "test:"):
			return name + " is an unknown extension capability for IE"
		}
	}
	return ""
}

// fill fills in the defaults. Members of se:ieOptions of a wrong type are as if absent.
func fill(set object, port int) wanted {
	script := int64(30000)
	w := wanted{
		pageLoadStrategy: "normal",
		behavior:         "dismiss and notify",
		timeouts:         timeouts{PageLoad: 300000, Script: &script},
		proxy:            map[string]any{},
		options: options{
			EnablePersistentHover: true, FileUploadDialogTimeout: 3000, NativeEvents: true,
			InitialBrowserURL: fmt.Sprintf("http://localhost:%d/", port),
		},
	}
	take := func(from object, name string, to any) {
		if raw, ok := from[name]; ok {
			json.Unmarshal(raw, to) // a wrong type leaves the default
		}
	}
	take(set, "pageLoadStrategy", &w.pageLoadStrategy)
	take(set, "unhandledPromptBehavior", &w.behavior)
	take(set, "strictFileInteractability", &w.strictFiles)
	take(set, "proxy", &w.proxy)
	if limits, ok := objectOf(set["timeouts"]); ok {
		w.timeouts.read(limits)
	}
	in, _ := objectOf(set["se:ieOptions"])
	o := &w.options
	for name, to := range map[string]any{
		"browserAttachTimeout": &o.BrowserAttachTimeout, "elementScrollBehavior": &o.ElementScrollBehavior,
		"enablePersistentHover": &o.EnablePersistentHover, "ie.browserCommandLineSwitches": &o.CommandLineSwitches,
		"ie.edgechromium": &o.EdgeChromium, "ie.edgepath": &o.EdgePath, "ie.ensureCleanSession": &o.EnsureCleanSession,
		"ie.forceCreateProcessApi": &o.ForceCreateProcess, "ie.ignoreprocessmatch": &o.IgnoreProcessMatch,
		"ignoreProtectedModeSettings": &o.IgnoreProtectedModeSettings, "ignoreZoomSetting": &o.IgnoreZoomSetting,
		"initialBrowserUrl": &o.InitialBrowserURL, "nativeEvents": &o.NativeEvents, "requireWindowFocus": &o.RequireWindowFocus,
	} {
		take(in, name, to)
	}
	var upload int64
	if take(in, "ie.fileUploadDialogTimeout", &upload); upload > 0 {
		o.FileUploadDialogTimeout = upload
	}
	o.IgnoreZoomSetting = o.IgnoreZoomSetting || o.EdgeChromium
	o.EnablePersistentHover = o.EnablePersistentHover && o.NativeEvents && !o.RequireWindowFocus
	return w
}

// commandLine is how Edge is started with its profile. Nothing in it is quoted.
func (o options) commandLine(profile string) string {
	program := o.EdgePath
	if program == "" {
		program = "msedge.exe"
	}
	return program + " --ie-mode-force --internet-explorer-integration=iemode --user-data-dir=" + profile +
		" --no-first-run --no-service-autorun --disable-sync --disable-features=msImplicitSignin" +
		" --disable-popup-blocking --enable-features=msIEModeAlwaysWaitForUnload " + o.InitialBrowserURL
}

// answer is what New Session returns.
func (w wanted) answer() map[string]any {
	return map[string]any{
		"acceptInsecureCerts":       false,
		"browserName":               "internet explorer",
		"browserVersion":            "11",
		"pageLoadStrategy":          w.pageLoadStrategy,
		"platformName":              "windows",
		"proxy":                     w.proxy,
		"se:ieOptions":              w.options,
		"setWindowRect":             true,
		"strictFileInteractability": w.strictFiles,
		"timeouts":                  w.timeouts,
		"unhandledPromptBehavior":   w.behavior,
	}
}

// legacy is what the driver says of a session that it lists.
func (w wanted) legacy() map[string]any {
	o := w.options
	return map[string]any{
		"browserAttachTimeout":          o.BrowserAttachTimeout,
		"browserName":                   "internet explorer",
		"browserVersion":                "11",
		"elementScrollBehavior":         o.ElementScrollBehavior,
		"enablePersistentHover":         o.EnablePersistentHover,
		"ie.browserCommandLineSwitches": o.CommandLineSwitches,
		"ie.ensureCleanSession":         o.EnsureCleanSession,
		"ie.fileUploadDialogTimeout":    o.FileUploadDialogTimeout,
		"ie.forceCreateProcessApi":      o.ForceCreateProcess,
		"ie.usePerProcessProxy":         false,
		"ignoreProtectedModeSettings":   o.IgnoreProtectedModeSettings,
		"ignoreZoomSetting":             o.IgnoreZoomSetting,
		"initialBrowserUrl":             o.InitialBrowserURL,
		"nativeEvents":                  o.NativeEvents,
		"pageLoadStrategy":              w.pageLoadStrategy,
		"platformName":                  "windows",
		"requireWindowFocus":            o.RequireWindowFocus,
		"unhandledPromptBehavior":       w.behavior,
	}
}

// phantomCapabilities are those of a session that was never asked for any.
func phantomCapabilities() map[string]any {
	return wanted{pageLoadStrategy: "normal", options: options{FileUploadDialogTimeout: 3000, NativeEvents: true, RequireWindowFocus: true}}.legacy()
}
