package driver

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// engine is what differs between browsers.
type engine interface {
	// locate finds the programs, or says in a NotInstalled error what installs them.
	locate(Config) (Programs, error)
	// launch says how to start them. The driver is to listen on port of 127.0.0.1
	// and to keep every file inside folder.
	launch(cfg Config, p Programs, folder string, port int) launch
	// opened reads the capabilities that New Session returned.
	opened(capabilities json.RawMessage) (opened, error)
	differences() []Difference
}

type launch struct {
	args         []string
	env          []string // beside the environment that every driver gets
	base         string   // path under which the driver takes commands; "" or "/…"
	capabilities map[string]any
	limits       limits // with which the session begins
	keepAlive    bool
	start        string                    // URL of the page with which the session begins
	away         bool                      // the browser begins elsewhere and is sent to start
	program      string                    // file name of the browser, whose end is told by its process; "" = by its debugger
	judge        func(status []byte) error // whether the driver that gave this answer to /status is taken; nil = any
}

type opened struct {
	version  string // of the browser
	debugger string // "127.0.0.1:port" of a Chromium; "" when there is none

	lateWindows    time.Duration // after an action the driver may find a window so late
	quitsWhileBusy bool          // the driver takes Quit while another command runs
}

func engineOf(name string) (engine, error) {
	switch name {
	case "ie":
		return ie{}, nil
	case "chromium":
		return chromium{options: "goog:chromeOptions", name: "chrome"}, nil
	case "edge":
		return chromium{options: "ms:edgeOptions", name: "MicrosoftEdge", edge: true}, nil
	}
	return nil, &Error{Kind: InvalidArgument, Command: "open", Message: "unknown engine " + name}
}

// lookup returns the path of the first program that exists.
func lookup(candidates ...string) string {
	for _, name := range candidates {
		path, err := exec.LookPath(name)
		if err == nil {
			path, err = filepath.Abs(path) // the driver runs in a folder of its own
		}
		if err == nil {
			return path
		}
	}
	return ""
}

// environment is all that a driver and its browser see of ours: where programs,
// display, fonts and clock are, and the proxies that an intranet needs. Home and
// temporary files are in folder.
func environment(folder string) []string {
	env := []string{"HOME=" + folder, "TMPDIR=" + folder, "TMP=" + folder, "TEMP=" + folder}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		switch upper := strings.ToUpper(name); upper {
		case "PATH", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH",
			"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "XDG_SESSION_TYPE",
			"FONTCONFIG_PATH", "FONTCONFIG_FILE",
			"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
			"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "USERNAME", "USERDOMAIN", "COMPUTERNAME",
			"APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432",
			"COMMONPROGRAMFILES", "COMMONPROGRAMFILES(X86)", "COMMONPROGRAMW6432", "PUBLIC", "ALLUSERSPROFILE",
			"HOMEDRIVE", "HOMEPATH", "LOGONSERVER", "USERDNSDOMAIN",
			"NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "OS", "SESSIONNAME":
			env = append(env, entry)
		default:
			if strings.HasPrefix(upper, "LC_") {
				env = append(env, entry)
			}
		}
	}
	if home, err := os.UserHomeDir(); err == nil && os.Getenv("XAUTHORITY") == "" && os.Getenv("DISPLAY") != "" {
		env = append(env, "XAUTHORITY="+home+"/.Xauthority") // where X looks under the true home
	}
	return env
}

// noDisplay says whether a browser could not show a window here.
func noDisplay() bool {
	return runtime.GOOS == "linux" && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == ""
}
