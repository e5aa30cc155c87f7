package driver

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
)

// chromium drives Chromium and Chrome through chromedriver, Edge through msedgedriver.
type chromium struct {
	options string // the vendor capability
	name    string // browserName
	edge    bool
}

func (c chromium) locate(cfg Config) (p Programs, err error) {
	drivers, browsers := []string{"chromedriver"}, []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
		"/Applications/Chromium.app/Contents/MacOS/Chromium", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"}
	folder, program := "Google/Chrome", "chrome.exe"
	if c.edge {
		drivers, browsers = []string{"msedgedriver"}, []string{"microsoft-edge", "microsoft-edge-stable", "msedge",
			"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge"}
		folder, program = "Microsoft/Edge", "msedge.exe"
	}
	if runtime.GOOS == "windows" {
		for _, root := range []string{"ProgramFiles", "ProgramFiles(x86)", "LocalAppData"} {
			browsers = append(browsers, filepath.Join(os.Getenv(root), folder, "Application", program))
		}
	}
	if cfg.DriverPath != "" {
		drivers = []string{cfg.DriverPath}
	}
	if cfg.BrowserPath != "" {
		browsers = []string{cfg.BrowserPath}
	}
	p = Programs{lookup(drivers...), lookup(browsers...)}
	if p.Driver == "" {
		return p, c.missing("driver", drivers[0])
	}
	if p.Browser == "" {
		return p, c.missing("browser", browsers[0])
	}
	return p, nil
}

func (c chromium) missing(what, name string) error {
	install := "apt-get install chromium chromium-driver"
	switch {
	case c.edge:
		install = "install Microsoft Edge and the msedgedriver of the same version"
	case runtime.GOOS == "darwin":
		install = "brew install --cask chromium chromedriver"
	case runtime.GOOS == "windows":
		install = "install Chrome and the chromedriver of the same version, or use Edge and msedgedriver"
	}
	return &Error{Kind: NotInstalled, Command: "open", Message: fmt.Sprintf("%s %q was not found: %s", what, name, install)}
}

var warnRoot sync.Once

func (c chromium) launch(cfg Config, p Programs, folder string, port int) launch {
	args := []string{
		"--user-data-dir=" + filepath.Join(folder, "profile"),
		"--window-size=1280,863", // of which a headless page gets 1280x720
		"--no-default-browser-check",
		"--disable-component-update",
	}
	if cfg.Headless == "true" || cfg.Headless != "false" && noDisplay() {
		args = append(args, "--headless=new")
	}
	if runtime.GOOS == "linux" && os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
		warnRoot.Do(func() {
			if cfg.Warn != nil {
				cfg.Warn("running as root: the browser runs without its sandbox (--no-sandbox); use an ordinary user")
			}
		})
	}
	if smallSharedMemory() {
		args = append(args, "--disable-dev-shm-usage")
	}
	// Under a path that nobody can guess the driver is ours for sure, and no page
	// can end it by a GET of /shutdown, which needs no permission otherwise.
	base := "/" + rand.Text()
	return launch{
		args:      []string{fmt.Sprintf("--port=%d", port), "--url-base=" + base},
		base:      base,
		limits:    limits{commandLimit, commandLimit},
		keepAlive: true,
		start:     "data:,",
		away:      true, // chromedriver names that page only to browsers whose profile it made itself
		capabilities: map[string]any{
			"browserName":             c.name,
			"pageLoadStrategy":        "normal",
			"unhandledPromptBehavior": "ignore",
			"timeouts":                limits{commandLimit, commandLimit},
			c.options: map[string]any{
				"binary": p.Browser,
				"args":   args,
				"prefs": map[string]any{ // no bubble may cover the page
					"credentials_enable_service":              false,
					"profile.password_manager_enabled":        false,
					"profile.password_manager_leak_detection": false,
				},
			},
		},
	}
}

func (chromium) differences() []Difference { return nil }

func (c chromium) opened(capabilities json.RawMessage) (o opened, err error) {
	var common struct{ BrowserVersion string }
	if err := json.Unmarshal(capabilities, &common); err != nil {
		return o, err
	}
	var vendor map[string]json.RawMessage
	if err := json.Unmarshal(capabilities, &vendor); err != nil {
		return o, err
	}
	var options struct{ DebuggerAddress string }
	if err := json.Unmarshal(vendor[c.options], &options); err != nil {
		return o, fmt.Errorf("%s: %w", c.options, err)
	}
	return opened{version: common.BrowserVersion, debugger: options.DebuggerAddress}, nil
}
