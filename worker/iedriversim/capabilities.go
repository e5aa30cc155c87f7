package main

import (
	"encoding/json"
	"fmt"
	"maps"
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
		for i, raw := range list {
			problem := ""
			set, ok := objectOf(raw)
			if !ok {
				problem = "capabilities is not a JSON object"
			} else {
				problem = invalid(set)
			}
			if problem != "" {
				return w, fail(badArgument, fmt.Sprintf("All firstMatch elements failed validation\nInvalid capabilities in firstMatch element %d: %s", i, problem))
			}
			sets = append(sets, set)
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

// invalid says what is wrong with the types and values of a set. It drops nulls.
func invalid(set object) string {
	for _, name := range slices.Sorted(maps.Keys(set)) {
		raw := set[name]
		if string(raw) == "null" {
			delete(set, name)
			continue
		}
		var text string
		isText := json.Unmarshal(raw, &text) == nil
		var truth bool
		isTruth := json.Unmarshal(raw, &truth) == nil
		inner, isObject := objectOf(raw)
		switch name {
		case "browserName", "browserVersion", "platformName":
			if !isText {
				return name + " must be a string"
			}
		case "acceptInsecureCerts", "strictFileInteractability", "setWindowRect":
			if !isTruth {
				return name + " must be a boolean"
			}
		case "pageLoadStrategy":
			if !isText {
				return name + " must be a string"
			}
			if !slices.Contains(strategies, text) {
				return "pageLoadStrategy is " + text + " but must be 'none', 'eager', or 'normal'"
			}
		case "unhandledPromptBehavior":
			if !isText {
				return name + " must be a string"
			}
			if !slices.Contains(behaviors, text) {
				return "unhandledPromptBehavior is " + text + " but must be 'accept' or 'dismiss'"
			}
		case "proxy":
			if !isObject {
				return "proxy must be a JSON object"
			}
		case "timeouts":
			if !isObject {
				return "timeouts must be a JSON object"
			}
			for _, limit := range slices.Sorted(maps.Keys(inner)) {
				if !slices.Contains([]string{"implicit", "pageLoad", "script"}, limit) {
					return "unknown timeout named " + limit
				}
			}
			if err := new(timeouts).read(inner); err != nil {
				return err.Error()
			}
		case "se:ieOptions":
			if !isObject {
				return "se:ieOptions must be a JSON object"
			}
		default:
			if !strings.Contains(name, ":") {
				return "unknown capability named " + name
			}
		}
	}
	return ""
}

// unmatched says why a valid set does not match this driver.
func unmatched(set object) string {
	text := func(name string) (s string, ok bool) {
		raw, ok := set[name]
		json.Unmarshal(raw, &s)
		return s, ok
	}
	if name, ok := text("browserName"); ok && name != "internet explorer" {
		return "browserName must be 'internet explorer', but was '" + name + "'"
	}
	if v, ok := text("browserVersion"); ok && v != "" && v != "11" {
		return "requested browserVersion value was '" + v + "', but the installed version of IE is 11 (note: only exact matches on major version number are supported)"
	}
	if name, ok := text("platformName"); ok && name != "windows" {
		return "platformName must be 'windows', but was '" + name + "'"
	}
	if string(set["acceptInsecureCerts"]) == "true" {
		return "acceptInsecureCerts was 'true', but the IE driver does not allow bypassing insecure (self-signed) SSL certificates"
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if strings.Contains(name, ":") && name != "se:ieOptions" && !strings.Contains(name, "test:") {
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
