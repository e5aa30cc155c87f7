// Package doctor holds the tests of winworker.exe doctor, with much that can be
// wrong on a Windows.
package doctor

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"

	"iemesh/api"
	"iemesh/test/wine"
	"iemesh/worker/doctor"
)

// machine is a Windows with winworker.exe.
type machine struct {
	t         *testing.T
	windows   *wine.Prefix
	winworker string
	folder    string // for drivers and browsers
}

func newMachine(t *testing.T) *machine {
	m := &machine{t: t, windows: wine.Start(t, wine.Bits64)}
	var err error
	if m.winworker, err = m.windows.Build("cmd/winworker", "winworker.exe"); err != nil {
		t.Fatal(err)
	}
	m.folder = filepath.Join(m.windows.Folder, "drive_c", "iemesh")
	if err := os.Mkdir(m.folder, 0o755); err != nil {
		t.Fatal(err)
	}
	return m
}

// outcome is what winworker doctor --json prints.
type outcome struct {
	api.DoctorReport
	Verdict string
	Repair  *doctor.Repair
}

// run runs winworker doctor.
func (m *machine) run(args ...string) (stdout []byte, code int) {
	m.t.Helper()
	stdout, stderr, err := m.start(m.winworker, append([]string{"doctor", "--json", "--listen", "127.0.0.1:0"}, args...)...)
	if len(stderr) > 0 {
		m.t.Errorf("%v: %s", args, stderr)
	}
	exit, _ := errors.AsType[*exec.ExitError](err)
	switch {
	case err == nil:
		return stdout, 0
	case exit == nil:
		m.t.Fatal(err)
	}
	return stdout, exit.ExitCode()
}

// start runs a program of Windows to its end. Its output goes into files: a
// service of Wine that it is the first to need would hold pipes open for longer.
func (m *machine) start(program string, args ...string) (stdout, stderr []byte, err error) {
	m.t.Helper()
	cmd := m.windows.Command(m.t.Context(), program, args...)
	var files [2]*os.File
	for i := range files {
		var failed error
		if files[i], failed = os.CreateTemp(m.folder, "output"); failed != nil {
			m.t.Fatal(failed)
		}
		defer files[i].Close()
	}
	cmd.Stdout, cmd.Stderr = files[0], files[1]
	err = cmd.Run()
	read := func(i int) []byte {
		content, failed := os.ReadFile(files[i].Name())
		if failed != nil {
			m.t.Fatal(failed)
		}
		return content
	}
	return read(0), read(1), err
}

// examine returns the outcome, and its checks by id.
func (m *machine) examine(args ...string) (outcome, map[string]api.DoctorCheck) {
	m.t.Helper()
	stdout, code := m.run(args...)
	var out outcome
	if err := json.Unmarshal(stdout, &out); err != nil {
		m.t.Fatalf("%v: %s", err, stdout)
	}
	if code != 1 || out.Fit { // Wine has too little ever to be fit
		m.t.Errorf("%v: exit %d, %s", args, code, out.Verdict)
	}
	var raw struct{ Checks []map[string]any }
	if err := json.Unmarshal(stdout, &raw); err != nil {
		m.t.Fatal(err)
	}
	for _, c := range raw.Checks {
		for _, key := range []string{"id", "title", "state", "found", "wanted", "why", "remedy"} {
			if _, ok := c[key].(string); !ok {
				m.t.Errorf("%v has no %s", c["id"], key)
			}
		}
	}
	checks := map[string]api.DoctorCheck{}
	for _, c := range out.Checks {
		checks[c.ID] = c
	}
	return out, checks
}

func (m *machine) copy(from, name string) string {
	m.t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		m.t.Fatal(err)
	}
	path := filepath.Join(m.folder, name)
	if err := os.WriteFile(path, content, 0o755); err != nil {
		m.t.Fatal(err)
	}
	return path
}

// set imports lines of a registry file.
func (m *machine) set(lines string) {
	m.t.Helper()
	path := filepath.Join(m.folder, "set.reg")
	if err := os.WriteFile(path, []byte("REGEDIT4\r\n\r\n"+strings.ReplaceAll(lines, "\n", "\r\n")), 0o600); err != nil {
		m.t.Fatal(err)
	}
	if _, stderr, err := m.start("reg", "import", m.windows.Path(path)); err != nil {
		m.t.Fatalf("%v: %s", err, stderr)
	}
}

// user is what the registry holds of the user, a line for each value, except what
// Wine keeps there for itself.
func (m *machine) user() []string {
	m.t.Helper()
	path := filepath.Join(m.folder, "user.reg")
	if _, stderr, err := m.start("reg", "export", "HKCU", m.windows.Path(path), "/y"); err != nil {
		m.t.Fatalf("%v: %s", err, stderr)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		m.t.Fatal(err)
	}
	content, err = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Bytes(content)
	if err != nil {
		m.t.Fatal(err)
	}
	var values []string
	key := ""
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "["):
			key = line
		case line != "" && !strings.Contains(key, "Volatile") && !strings.Contains(key, "WindowMetrics") && !strings.Contains(key, `Software\Wine`):
			values = append(values, key+" "+line)
		}
	}
	if len(values) < 100 {
		m.t.Fatalf("%d values of the user", len(values))
	}
	return values
}

// same tells what is in one list and not in the other.
func (m *machine) same(what string, before, after []string) {
	m.t.Helper()
	for _, line := range before {
		if !slices.Contains(after, line) {
			m.t.Errorf("%s: gone: %s", what, line)
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			m.t.Errorf("%s: new: %s", what, line)
		}
	}
}

const zones = `Software\Microsoft\Windows\CurrentVersion\Internet Settings\Zones`

// wrong is a user's registry with much that is not as it must be, and policies beside it.
const wrong = `
[HKEY_CURRENT_USER\` + zones + `\1]
"2500"=dword:00000000
[HKEY_CURRENT_USER\` + zones + `\2]
"2500"=dword:00000003
[HKEY_CURRENT_USER\` + zones + `\3]
"2500"="three"
[HKEY_CURRENT_USER\Software\Microsoft\Internet Explorer\Main]
"Isolation"="PMEM"
"Disable Script Debugger"="no"
[HKEY_CURRENT_USER\Software\Microsoft\Internet Explorer\Zoom]
"ZoomFactor"=dword:0001e848
[HKEY_CURRENT_USER\Control Panel\Desktop]
"LogPixels"=dword:00000090
[HKEY_CURRENT_USER\Software\Policies\Microsoft\Edge]
"InternetExplorerIntegrationLevel"=dword:00000002
[HKEY_LOCAL_MACHINE\Software\Microsoft\Internet Explorer\Main\FeatureControl\FEATURE_BFCACHE]
"iexplore.exe"=dword:00000000
[HKEY_LOCAL_MACHINE\Software\Policies\Microsoft\Edge]
"UserDataDir"="D:\\profiles"
[HKEY_LOCAL_MACHINE\Software\Policies\Microsoft\Windows\CurrentVersion\Internet Settings\Zones\3]
"2500"=dword:00000000
`

// All that is wrong is found, --fix mends what is the user's, and --undo brings
// every byte of the user's registry back.
func TestDoctorUnderWine(t *testing.T) {
	m := newMachine(t)
	real, err := wine.IEDriverServer()
	if err != nil {
		t.Fatal(err)
	}
	m.set(wrong)
	wide := m.copy(m.windows.File(`C:\windows\system32\reg.exe`), "wide.exe") // a 64-bit program without --version
	before := m.user()

	_, checks := m.examine("--driver-path", m.windows.Path(wide))
	for id, want := range map[string]api.DoctorCheck{
		"zones.equal":                {State: api.CheckProblem, Found: "none in zone 3, 4; zone 1: 0, zone 2: 3"},
		"zones.policies":             {State: api.CheckProblem, Found: "zone 3: 0; the user's values differ"},
		"ie.enhanced-protected-mode": {State: api.CheckProblem, Found: "is PMEM"},
		"ie.script-debugger":         {State: api.CheckWarning, Found: "Disable Script Debugger: no"},
		"ie.zoom":                    {State: api.CheckWarning, Found: "125 %"},
		"ie.bfcache":                 {State: api.CheckProblem, Found: "64-bit: 0, 32-bit: not set"},
		"display.scale-setting":      {State: api.CheckWarning, Found: "150 %"},
		"desktop.scale":              {State: api.CheckWarning, Found: "150 %"},
		"policy.ie-mode":             {State: api.CheckProblem, Found: "InternetExplorerIntegrationLevel is 2"},
		"policy.user-data-dir":       {State: api.CheckProblem, Found: `D:\profiles`},
		"driver.found":               {State: api.CheckOK, Found: `C:\iemesh\wide.exe`},
		"driver.bits":                {State: api.CheckProblem, Found: "64-bit"},
		"driver.runs":                {State: api.CheckProblem, Found: "--version"},
		"edge.found":                 {State: api.CheckProblem, Found: "not registered"},
		"desktop.session-zero":       {State: api.CheckOK},
		"desktop.locked":             {State: api.CheckOK},
		"temp.folder":                {State: api.CheckOK, Found: "%USERPROFILE%"},
		"listen.address":             {State: api.CheckOK},
	} {
		if got := checks[id]; got.State != want.State || !strings.Contains(got.Found, want.Found) || want.State != api.CheckOK && got.Remedy == "" {
			t.Errorf("%s: %+v, want %+v", id, got, want)
		}
	}
	m.same("examined", before, m.user())

	old, edge := m.copy(real, "IEDriverServer.exe"), m.copy(real, "msedge.exe")
	m.set(`[HKEY_LOCAL_MACHINE\Software\Microsoft\Windows\CurrentVersion\App Paths\msedge.exe]
@="` + strings.ReplaceAll(m.windows.Path(edge), `\`, `\\`) + `"
`)
	out, checks := m.examine("--fix", "--driver-path", m.windows.Path(old))
	for id, state := range map[string]api.CheckState{
		"zones.equal": api.CheckOK, "zones.policies": api.CheckOK, "ie.enhanced-protected-mode": api.CheckOK, "ie.script-debugger": api.CheckOK,
		"ie.zoom": api.CheckOK, "display.scale-setting": api.CheckOK, "ie.bfcache": api.CheckProblem, "policy.ie-mode": api.CheckProblem,
		"policy.user-data-dir": api.CheckProblem, "driver.bits": api.CheckOK, "driver.version": api.CheckProblem, "edge.found": api.CheckOK,
		"edge.version": api.CheckProblem, // it is the driver's
	} {
		if got := checks[id]; got.State != state {
			t.Errorf("fixed: %+v, want %s", got, state)
		}
	}
	repair := out.Repair
	if repair == nil || len(repair.Changed) != 9 || repair.UndoFile == "" {
		t.Fatalf("%+v", repair)
	}
	for _, command := range []string{
		`reg delete "HKCU\Software\Policies\Microsoft\Edge" /v "InternetExplorerIntegrationLevel" /f`,
		`reg delete "HKLM\Software\Policies\Microsoft\Edge" /v "UserDataDir" /f /reg:64`,
	} {
		if !slices.Contains(repair.Commands, command) {
			t.Errorf("%s is not in %q", command, repair.Commands)
		}
	}
	if !strings.HasPrefix(repair.UndoFile, `C:\users\`) {
		t.Errorf("the undo file is %s", repair.UndoFile)
	}
	if out, _ := m.examine("--fix", "--driver-path", m.windows.Path(old)); len(out.Repair.Changed) != 0 || out.Repair.UndoFile != "" {
		t.Errorf("fixed twice: %+v", out.Repair)
	}

	for again := range 2 {
		stdout, code := m.run("--undo", repair.UndoFile)
		var undone doctor.Repair
		if err := json.Unmarshal(stdout, &undone); err != nil || code != 0 || len(undone.Left) != 0 || len(undone.Changed) != 9*(1-again) {
			t.Errorf("undo: %d, %v, %s", code, err, stdout)
		}
		if again == 0 {
			m.same("undone", before, m.user())
		}
	}
}
