package driver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// ie drives Edge in IE mode through IEDriverServer.
type ie struct{}

// attachTimeout is how long the driver looks for the window of the Edge that it
// started. Its own default is for ever.
const attachTimeout = 30 * time.Second

func (ie) locate(cfg Config) (p Programs, err error) {
	name := cfg.DriverPath
	if name == "" {
		name = "IEDriverServer"
	}
	if p.Driver = lookup(name); p.Driver == "" {
		remedy := "download the 32-bit IEDriverServer 4.14 from the Selenium project and name it in --driver-path"
		if runtime.GOOS != "windows" {
			remedy = "IE mode needs Windows: run winworker there and connect to it with --worker, or use --engine chromium"
		}
		return p, &Error{Kind: NotInstalled, Command: "open", Message: fmt.Sprintf("driver %q was not found: %s", name, remedy)}
	}
	if b, err := Examine(p.Driver); err == nil { // else it is a script, or no program of Windows
		if why := unfit(b, oldest(cfg)); why != "" {
			return p, &Error{Kind: NotInstalled, Command: "open", Message: why}
		}
	}
	if runtime.GOOS == "windows" && !FolderFits(temporary()) {
		return p, &Error{Kind: NotInstalled, Command: "open",
			Message: "the path of the user's temporary folder has a space or is longer than 80 characters, at which the driver would cut it: set TMP and TEMP to a folder such as C:\\Temp"}
	}
	if cfg.BrowserPath != "" { // else the driver finds Edge itself
		if p.Browser = lookup(cfg.BrowserPath); p.Browser == "" {
			return p, &Error{Kind: NotInstalled, Command: "open", Message: fmt.Sprintf("browser %q was not found: give the path of msedge.exe in --edge-path", cfg.BrowserPath)}
		}
	}
	return p, nil
}

// FolderFits tells whether IEDriverServer can have its files below a folder of Windows:
// it names them to Edge unquoted, and cuts a long path.
func FolderFits(path string) bool { return !strings.Contains(path, " ") && len(path) <= 80 }

func oldest(cfg Config) string { return cmp.Or(cfg.OldestDriver, OldestIEDriver) }

// launch sends no proxy: with one the driver changes that of the whole Windows user,
// and gives it back only if it ends in order.
func (ie) launch(cfg Config, p Programs, folder string, port int) launch {
	options := map[string]any{
		"ie.edgechromium":            true, // always said: found out by itself, the driver takes the ways of plain IE later
		"browserAttachTimeout":       attachTimeout.Milliseconds(),
		"ignoreZoomSetting":          true,
		"ie.fileUploadDialogTimeout": 10_000,
		"initialBrowserUrl":          startPage(port),
	}
	if p.Browser != "" {
		options["ie.edgepath"] = p.Browser
	}
	return launch{
		program: filepath.Base(cmp.Or(p.Browser, "msedge.exe")),
		args: []string{
			fmt.Sprintf("/port=%d", port), "/host=127.0.0.1", "/silent", "/extract-path=" + folder,
			"/log-level=WARN", // to its output, whose end tells why a start failed
		},
		limits: limits{PageLoad: 300 * time.Second, Script: 30 * time.Second}, // the driver's own
		start:  startPage(port),
		judge:  func(status []byte) error { return judge(status, oldest(cfg)) },
		capabilities: map[string]any{
			"browserName":             "internet explorer",
			"unhandledPromptBehavior": "ignore",
			"se:ieOptions":            options,
		},
	}
}

// judge reads the driver's own account of itself, {"value":{"build":{"version":"4.14.0.0
// (32-bit)"},…}}: a file may lack its version, or start another program.
func judge(status []byte, oldest string) error {
	var s struct {
		Value struct {
			Build struct{ Version string }
		}
	}
	if json.Unmarshal(status, &s) != nil {
		return nil // New Session will tell
	}
	var b Binary
	version, bits, _ := strings.Cut(s.Value.Build.Version, " ")
	b.Version = version
	if strings.Contains(bits, "64") {
		b.Machine = "x64"
	}
	if why := unfit(b, oldest); why != "" {
		return &Error{Kind: NotInstalled, Command: "open", Message: why}
	}
	return nil
}

func (ie) differences() []Difference {
	return []Difference{LateWindows, SilentWindows, AssumedDialogs, BelievedOpener, BlackPictures, UncheckedParts, UnclearArrival, HTMLDialogs, DocumentModes}
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
