package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"iemesh/worker/desktop"
	"iemesh/worker/driver"
)

// facts are what the examination judges beside the registry.
type facts struct {
	system  string // "Windows 10.0.22631"
	old     bool   // older than Windows 10
	desktop desktop.Facts
	driver  program
	browser program
	run     string // what the driver said when it was run, ""; of IE mode
	runs    error
	temp    folder
	drivers int // IEDriverServers on this desktop; -1 = not known
}

// program is an executable file.
type program struct {
	path    string
	bits    int    // 32 or 64; 0 = not known
	version string // "4.14.0.0"; "" = not known
	failed  error  // why there is none
}

// folder is the one for temporary files.
type folder struct {
	path   string
	free   uint64 // bytes; 0 = not known
	failed error  // of writing into it
}

var bits = map[string]int{"x86": 32, "x64": 64, "arm64": 64}

// look reads what an executable file tells of itself.
func look(path string) program {
	p := program{path: path}
	if _, p.failed = os.Stat(path); p.failed != nil {
		return p
	}
	if b, err := driver.Examine(path); err == nil {
		p.version, p.bits = b.Version, bits[b.Machine]
	}
	return p
}

var versionPattern = regexp.MustCompile(`\d+(\.\d+)+`)

// ask is look; where the file does not tell, the program is run, if it may be.
func ask(ctx context.Context, path string, run bool) program {
	p := look(path)
	if run && p.version == "" && p.failed == nil {
		said, _ := driver.Version(ctx, path)
		p.version = versionPattern.FindString(said)
	}
	return p
}

func major(version string) int {
	head, _, _ := strings.Cut(version, ".")
	n, _ := strconv.Atoi(head)
	return n
}

// older tells whether version is less than least; both are numbers with dots.
func older(version, least string) bool {
	have, want := strings.Split(version, "."), strings.Split(least, ".")
	for i, part := range want {
		h, w := 0, 0
		if i < len(have) {
			h, _ = strconv.Atoi(have[i])
		}
		w, _ = strconv.Atoi(part)
		if h != w {
			return h < w
		}
	}
	return false
}

// temporary looks at the folder of the sessions.
func temporary() folder {
	f := folder{path: driver.Folder()}
	file, err := os.CreateTemp(f.path, "iemesh-doctor-")
	if err != nil {
		f.failed = err
		return f
	}
	_ = file.Close()
	f.failed = os.Remove(file.Name())
	f.free = free(f.path)
	return f
}

const leastFree = 500 << 20

func (x *examination) temporary() {
	t := x.facts.temp
	wanted := "there, writable, with 500 MB free"
	if runtime.GOOS == "windows" || x.registry != nil {
		wanted += ", a short path without blanks"
	}
	f := x.check("temp.folder", "Folder for temporary files", wanted, "The profile of the browser and the library of the driver are put there.")
	switch {
	case t.failed != nil:
		f.problem("%s: %v", t.path, t.failed).mend("Make it writable, or set TEMP to a folder that is.")
	case t.free > 0 && t.free < leastFree:
		f.warning("%s, with %d MB free", t.path, t.free>>20).mend("Make room on that disk.")
	case x.registry != nil && (strings.Contains(t.path, " ") || len(t.path) > 80): // as driver.Open has it
		f.problem("%s", t.path).mend(`Set TEMP to a short path without blanks, and log on again:` + "\n" + `setx TEMP C:\iemesh\temp`)
	default:
		f.ok("%s", t.path)
	}
}

// driverFound begins the checks of every engine.
func (x *examination) driverFound() {
	f := x.check("driver.found", "WebDriver program", "there", "It drives the browser.")
	if d := x.facts.driver; d.failed != nil {
		f.problem("%v", d.failed).mend("Install it, or name it in --driver-path.")
	} else {
		f.ok("%s", d.path)
	}
}

// ieDriver looks at IEDriverServer.
func (x *examination) ieDriver(try bool) {
	x.driverFound()
	d := x.facts.driver

	f := x.check("driver.bits", "Driver is a 32-bit program", "32-bit", "Tabs in IE mode are 32-bit. The 64-bit driver takes seconds for each character, and has neither cookies nor whole pictures.")
	switch {
	case d.failed != nil:
		f.unknown("no driver")
	case d.bits == 0:
		f.unknown("%s is no program of Windows", d.path)
	case d.bits != 32:
		f.problem("%d-bit", d.bits).mend("Use the 32-bit IEDriverServer 4.14 (IEDriverServer_Win32_4.14.0.zip of the Selenium project).")
	default:
		f.ok("32-bit")
	}

	f = x.check("driver.version", "Version of the driver", driver.OldestIEDriver+" or later, best 4.14", "Older ones lose windows that pages open, and hang when they end.")
	switch {
	case d.failed != nil:
		f.unknown("no driver")
	case d.version == "":
		f.unknown("%s does not tell", d.path)
	case older(d.version, driver.OldestIEDriver):
		f.problem("%s", d.version).mend("Use IEDriverServer 4.14, 32-bit.")
	default:
		f.ok("%s", d.version)
	}

	f = x.check("driver.runs", "Driver can be run", "--version answers", "It loads a library from the temporary folder, which a virus scanner or AppLocker may forbid.")
	switch {
	case !try:
		f.information("not tried")
	case d.failed != nil:
		f.unknown("no driver")
	case x.facts.runs != nil:
		f.problem("%v", x.facts.runs).mend("Allow IEDriverServer.exe, and libraries (IED*.tmp) in the temporary folder, in the virus scanner and in AppLocker.")
	default:
		f.ok("%s", x.facts.run)
	}
}

// ieBrowser looks at the Edge that has IE mode.
func (x *examination) ieBrowser() {
	b := x.facts.browser
	f := x.check("edge.found", "Edge", "there, and registered in App Paths", "IE mode is a mode of Edge; the driver finds it there.")
	if b.failed != nil {
		f.problem("%v", b.failed).mend("Install Microsoft Edge for all users, or name msedge.exe in --edge-path.")
	} else {
		f.ok("%s", b.path)
	}
	f = x.check("edge.version", "Version of Edge", "77 or later", "IE mode began with it.")
	switch {
	case b.failed != nil:
		f.unknown("no Edge")
	case b.version == "":
		f.unknown("%s does not tell", b.path)
	case major(b.version) < 77:
		f.problem("%s", b.version).mend("Update Edge.")
	default:
		f.ok("%s", b.version)
	}
}

// findEdge finds msedge.exe as the driver does.
func (x *examination) findEdge(named string) program {
	path := named
	if path == "" {
		v, _, err := x.registry.Read(Place{Root: Machine, Path: `Software\Microsoft\Windows\CurrentVersion\App Paths\msedge.exe`})
		if err != nil {
			return program{failed: err}
		}
		path = executable(v.text())
	}
	if path == "" {
		return program{failed: fmt.Errorf("msedge.exe is not registered")}
	}
	if !filepath.IsAbs(path) {
		return program{path: path, failed: fmt.Errorf("%s is no full path", path)}
	}
	p := look(path)
	if p.failed != nil {
		p.failed = fmt.Errorf("%s is not there", path)
	}
	return p
}

const idOneSession = "sessions.one"

// oneSession looks for other users of the desktop.
func (x *examination) oneSession(ours int) {
	f := x.check(idOneSession, "One IE mode session on this desktop", "no other automated browser", "They would take the focus, the windows and the cookies from each other.")
	switch n := x.facts.drivers; {
	case n < 0:
		f.unknown("this system does not tell")
	case n > max(ours, 1):
		f.warning("%d IEDriverServers run", n).mend("End those that are not used: taskkill /f /im IEDriverServer.exe ends all.")
	case n > ours:
		f.warning("an IEDriverServer runs").mend("If it is not that of a winworker which serves now, end it: taskkill /f /im IEDriverServer.exe")
	default:
		f.ok("none")
	}
}

// webdriver looks at a browser that has a driver of its own version.
func (x *examination) webdriver() {
	x.driverFound()
	d, b := x.facts.driver, x.facts.browser
	f := x.check("browser.found", "Browser", "there", "")
	if b.failed != nil {
		f.problem("%v", b.failed).mend("Install it, or name it in --edge-path.")
	} else {
		f.ok("%s", b.path)
	}
	f = x.check("versions.match", "Driver and browser are of one version", "the same first number", "A driver of another version refuses the browser, or misunderstands it.")
	switch {
	case d.version == "" || b.version == "":
		f.unknown("driver: %s, browser: %s", orUnknown(d.version), orUnknown(b.version))
	case major(d.version) != major(b.version):
		f.problem("driver: %s, browser: %s", d.version, b.version).mend("Install the driver of the browser's version.")
	default:
		f.ok("driver: %s, browser: %s", d.version, b.version)
	}
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// startTime is how long a browser may take to start.
const startTime = 60 * time.Second

// starts really starts the browser, if it was asked for.
func (x *examination) starts(ctx context.Context, browser driver.Config, try bool) {
	f := x.check("browser.starts", "Browser starts", "", "")
	if !try {
		f.information("not tried")
		return
	}
	f.Wanted = fmt.Sprintf("in %d s", startTime/time.Second)
	if x.facts.driver.failed != nil || x.facts.browser.failed != nil {
		f.unknown("not tried")
		return
	}
	var warned string
	browser.Warn = func(message string) { warned = message }
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	began := time.Now()
	s, err := driver.Open(ctx, browser)
	if err != nil {
		f.problem("%v", err).mend("Start the driver by hand to see what it says. Is the disk full, or a library missing?")
		return
	}
	took := time.Since(began)
	version := s.BrowserVersion()
	s.Close()
	f.ok("version %s, in %.1f s", version, took.Seconds())
	if warned != "" {
		f.warning("%s; %s", f.Found, warned)
	}
}
