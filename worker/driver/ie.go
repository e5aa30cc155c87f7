package driver

import (
	"encoding/json"
	"fmt"
	"runtime"
	"time"
)

// ie drives Edge in IE mode through IEDriverServer.
type ie struct{}

// attachTimeout is how long the driver looks for the window of the Edge that it
// started. Its own default is for ever.
const attachTimeout = 30 * time.Second

func (ie) locate(cfg Config) (p programs, err error) {
	name := cfg.DriverPath
	if name == "" {
		name = "IEDriverServer"
	}
	if p.driver = lookup(name); p.driver == "" {
		remedy := "download the 32-bit IEDriverServer 4.14 from the Selenium project and name it in --driver-path"
		if runtime.GOOS != "windows" {
			remedy = "IE mode needs Windows: run winworker there and connect to it with --worker, or use --engine chromium"
		}
		return p, &Error{Kind: NotInstalled, Command: "open", Message: fmt.Sprintf("driver %q was not found: %s", name, remedy)}
	}
	if cfg.BrowserPath != "" { // else the driver finds Edge itself
		if p.browser = lookup(cfg.BrowserPath); p.browser == "" {
			return p, &Error{Kind: NotInstalled, Command: "open", Message: fmt.Sprintf("browser %q was not found: give the path of msedge.exe in --edge-path", cfg.BrowserPath)}
		}
	}
	return p, nil
}

func (ie) launch(_ Config, p programs, folder string, port int) launch {
	options := map[string]any{
		"ie.edgechromium":            true, // always said: found out by itself, the driver takes the ways of plain IE later
		"browserAttachTimeout":       attachTimeout.Milliseconds(),
		"ignoreZoomSetting":          true,
		"ie.fileUploadDialogTimeout": 10_000,
		"initialBrowserUrl":          startPage(port),
	}
	if p.browser != "" {
		options["ie.edgepath"] = p.browser
	}
	return launch{
		args: []string{
			fmt.Sprintf("/port=%d", port), "/host=127.0.0.1", "/silent", "/extract-path=" + folder,
		},
		limits: limits{PageLoad: 300 * time.Second, Script: 30 * time.Second}, // the driver's own
		start:  startPage(port),
		capabilities: map[string]any{
			"browserName":             "internet explorer",
			"unhandledPromptBehavior": "ignore",
			"se:ieOptions":            options,
		},
	}
}

func (ie) differences() []Difference {
	return []Difference{LateWindows, SilentWindows, AssumedDialogs, BelievedOpener, UncheckedParts, UnclearArrival, HTMLDialogs, DocumentModes}
}

// startPage is the driver's own page, which is in IE mode like every other.
func startPage(port int) string { return fmt.Sprintf("http://127.0.0.1:%d/", port) }

func (ie) opened(capabilities json.RawMessage) (opened, error) {
	var c struct{ BrowserVersion string }
	if err := json.Unmarshal(capabilities, &c); err != nil {
		return opened{}, err
	}
	return opened{version: c.BrowserVersion, lateWindows: 12 * time.Second, quitsWhileBusy: true}, nil
}
