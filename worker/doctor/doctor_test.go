package doctor

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"iemesh/api"
	"iemesh/worker/desktop"
	"iemesh/worker/driver"
)

var ieMode = Config{Browser: driver.Config{Engine: "ie"}, Try: true}

// wellOff is a machine on which nothing is wrong.
func wellOff(t *testing.T) (*memory, facts) {
	t.Helper()
	values := map[Place]Value{
		{Root: Machine, Path: `Software\Classes\InternetExplorer.Application\CLSID`}:                                      sz("{0002DF01-0000-0000-C000-000000000046}"),
		{Root: Machine, Path: `Software\Classes\CLSID\{0002DF01-0000-0000-C000-000000000046}\LocalServer32`}:              sz(file(t, "iexplore.exe") + " -Embedding"),
		{Root: Machine, Path: explorer + `\Main\FeatureControl\FEATURE_BFCACHE`, Name: "iexplore.exe"}:                    dword(0),
		{Root: Machine, Path: explorer + `\Main\FeatureControl\FEATURE_BFCACHE`, Name: "iexplore.exe", View32: true}:      dword(0),
		{Root: User, Path: explorer + `\Main`, Name: "Disable Script Debugger"}:                                           sz("yes"),
		{Root: User, Path: explorer + `\Main`, Name: "DisableScriptDebuggerIE"}:                                           sz("yes"),
		{Root: User, Path: explorer + `\Main`, Name: "Error Dlg Displayed On Every Error"}:                                sz("no"),
		{Root: Machine, Path: `Software\Policies\Microsoft\Internet Explorer\Main`, Name: "DisableFirstRunCustomize"}:     dword(1),
		{Root: Machine, Path: `Software\Policies\Microsoft\Edge`, Name: "TrackingPrevention"}:                             dword(0),
		{Root: Machine, Path: `Software\Microsoft\Windows\CurrentVersion\Internet Settings\Zones\3`, Name: protectedMode}: dword(0), // as Windows has it
		{Root: User, Path: internetSettings + `\Zones\0`, Name: "1400"}:                                                   dword(0),
		{Root: Machine, Path: `Software\Microsoft\Windows\CurrentVersion\App Paths\msedge.exe`}:                           sz(file(t, "msedge.exe")),
	}
	for _, number := range zones {
		values[zone(User, internetSettings, number, protectedMode)] = dword(3)
	}
	return newMemory(values), facts{
		system:  "Windows 10.0.22631",
		desktop: desktop.Facts{Session: "1", Connection: "active", Input: "Default", ScalePercent: 100},
		driver:  program{path: `C:\iemesh\IEDriverServer.exe`, bits: 32, version: "4.14.0.0"},
		browser: program{path: `C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe`, version: "143.0.3650.66"},
		run:     "IEDriverServer.exe 4.14.0.0 (32-bit)",
		temp:    folder{path: `C:\Temp`, free: 1 << 40},
	}
}

// place is t.TempDir for Wine too, where os.RemoveAll does not work.
func place(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "doctor")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		files, _ := filepath.Glob(filepath.Join(folder, "*"))
		for _, path := range append(files, folder) {
			if err := os.Remove(path); err != nil {
				t.Error(err)
			}
		}
	})
	return folder
}

func file(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(place(t), name)
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func judge(registry Registry, f facts) Examination {
	x := &examination{registry: registry, facts: f}
	return x.judge(context.Background(), ieMode)
}

func find(t *testing.T, e Examination, id string) api.DoctorCheck {
	t.Helper()
	for _, c := range e.Report.Checks {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("there is no check %s", id)
	return api.DoctorCheck{}
}

func TestNothingIsWrong(t *testing.T) {
	e := judge(wellOff(t))
	kebab, seen := regexp.MustCompile(`^[a-z]+\.[a-z]+(-[a-z]+)*$`), map[string]bool{}
	for _, c := range e.Report.Checks {
		if c.State != api.CheckOK && c.State != api.CheckInformation && c.ID != "ie.installed" { // an empty file has no version
			t.Errorf("%+v", c)
		}
		if !kebab.MatchString(c.ID) || seen[c.ID] || c.Title == "" || c.Found == "" || c.Remedy != "" && c.State == api.CheckOK {
			t.Errorf("%+v", c)
		}
		seen[c.ID] = true
	}
	if !e.Report.Fit || len(e.changes) != 0 {
		t.Errorf("fit: %v, %+v", e.Report.Fit, e.changes)
	}
}

// rows are the settings of Windows that the driver is known to need or to mind,
// with the checks that look at them.
var rows = []string{
	"zones.equal", "zones.policies", "zones.machine-only", "ie.bfcache", "ie.enhanced-protected-mode", "ie.zoom", "ie.tab-processes",
	"edge.found", "edge.version", "ie.redirect", "ie.installed", "policy.ie-mode", "policy.site-list", "policy.ie-mode-details",
	"policy.tracking-prevention", "policy.user-data-dir", "policy.downloads", "ie.enhanced-security", "ie.script-debugger", "ie.first-run",
	"zones.scripting", "zones.logon", "zones.downloads", "zones.mixed-content",
	"desktop.scale", "display.scale-setting", "display.focus", "display.screen-saver",
	"desktop.session-zero", "desktop.unseen-desktop", "desktop.disconnected", "desktop.locked", "desktop.elevated", "desktop.remote-session",
	"desktop.lock-time", "desktop.auto-logon", "driver.found", "driver.bits", "driver.version", "driver.runs", "sessions.one",
	"temp.folder", "system.windows",
}

func TestEverySettingIsLookedAt(t *testing.T) {
	e := judge(wellOff(t))
	for _, id := range rows {
		find(t, e, id)
	}
	if len(rows) != len(e.Report.Checks) {
		t.Errorf("%d checks, %d known", len(e.Report.Checks), len(rows))
	}
}

type fault struct {
	id     string
	state  api.CheckState
	breaks func(map[Place]*Value, *facts) // nil removes
	found  string
	says   string // a part of the remedy
	fixes  int    // values that a fix changes, after which the check is ok
}

func edge(name string) Place {
	return Place{Root: Machine, Path: `Software\Policies\Microsoft\Edge`, Name: name}
}

func give(values map[Place]Value) func(map[Place]*Value, *facts) {
	return func(to map[Place]*Value, _ *facts) {
		for p, v := range values {
			to[p] = &v
		}
	}
}

func lose(places ...Place) func(map[Place]*Value, *facts) {
	return func(to map[Place]*Value, _ *facts) {
		for _, p := range places {
			to[p] = nil
		}
	}
}

func know(change func(*facts)) func(map[Place]*Value, *facts) {
	return func(_ map[Place]*Value, f *facts) { change(f) }
}

func user(number string) Place { return zone(User, internetSettings, number, protectedMode) }

var mainKey = Place{Root: User, Path: explorer + `\Main`}

func valueOf(p Place, name string) Place {
	p.Name = name
	return p
}

var faults = []fault{
	{"zones.equal", api.CheckProblem, lose(user("4")), "none in zone 4; zone 1: 3, zone 2: 3, zone 3: 3", "--fix", 1},
	{"zones.equal", api.CheckProblem, lose(user("1"), user("2"), user("3"), user("4")), "none in zone 1, 2, 3, 4", "--fix", 4},
	{"zones.equal", api.CheckProblem, give(map[Place]Value{user("2"): dword(0)}), "zone 2: 0", "--fix", 1},
	{"zones.equal", api.CheckProblem, give(map[Place]Value{user("2"): sz("3")}), "none in zone 2", "--fix", 1},
	{"zones.equal", api.CheckProblem, give(map[Place]Value{user("1"): dword(1), user("2"): dword(1), user("3"): dword(1), user("4"): dword(1)}), "1 in all", "--fix", 4},
	{"zones.equal", api.CheckOK, give(map[Place]Value{user("1"): dword(0), user("2"): dword(0), user("3"): dword(0), user("4"): dword(0)}), "0 in all", "", 0},
	{"zones.equal", api.CheckProblem, give(map[Place]Value{user("7"): dword(0)}), "zone 7: 0", "--fix", 1},
	{"zones.equal", api.CheckProblem, give(map[Place]Value{user("1"): dword(0), user("2"): dword(0), user("3"): dword(0), user("4"): dword(0), zone(User, internetSettings, "7", "1400"): dword(0)}), "zone 7: 3", "--fix", 5},
	{"zones.policies", api.CheckProblem, give(map[Place]Value{zone(Machine, internetPolicies, "3", protectedMode): dword(0)}), "zone 3: 0; the user's values differ", "--fix", 4},
	{"zones.policies", api.CheckProblem, give(map[Place]Value{zone(User, internetPolicies, "3", protectedMode): dword(0)}), "zone 3: 0", "--fix", 4},
	{"zones.policies", api.CheckProblem, give(map[Place]Value{zone(Machine, internetPolicies, "3", protectedMode): dword(0), zone(User, internetPolicies, "2", protectedMode): dword(3)}), "zone 2: 3, zone 3: 0", `reg delete "HKLM\Software\Policies\Microsoft\Windows\CurrentVersion\Internet Settings\Zones\3" /v "2500" /f /reg:64`, 0},
	{"zones.policies", api.CheckProblem, func(to map[Place]*Value, _ *facts) {
		v := dword(0)
		to[user("3")], to[zone(Machine, internetPolicies, "3", protectedMode)] = nil, &v
	}, "zone 3: 0; the user's values differ", "--fix", 4},
	{"zones.policies", api.CheckOK, give(map[Place]Value{zone(Machine, internetPolicies, "3", protectedMode): dword(3)}), "zone 3: 3", "", 0},
	{"zones.policies", api.CheckProblem, give(map[Place]Value{machineOnly: dword(1)}), "zone 3: 0", "--fix", 4},
	{"zones.machine-only", api.CheckWarning, give(map[Place]Value{machineOnly: dword(1), zone(Machine, internetSettings, "3", protectedMode): dword(3)}), "no", "Security_HKLM_only", 0},
	{"zones.scripting", api.CheckWarning, give(map[Place]Value{zone(User, internetSettings, "3", "1400"): dword(3)}), "zone 3: 3", "active scripting", 0},
	{"zones.scripting", api.CheckWarning, give(map[Place]Value{zone(Machine, internetPolicies, "1", "1400"): dword(3)}), "zone 1: 3", "", 0},
	{"zones.scripting", api.CheckOK, give(map[Place]Value{zone(User, internetSettings, "4", "1400"): dword(3)}), "yes", "", 0},
	{"zones.logon", api.CheckInformation, give(map[Place]Value{zone(User, internetSettings, "1", "1A00"): dword(0x10000)}), "zone 1: asks", "", 0},
	{"zones.downloads", api.CheckInformation, give(map[Place]Value{zone(User, internetSettings, "3", "1803"): dword(3)}), "zone 3: not allowed", "", 0},
	{"zones.mixed-content", api.CheckInformation, give(map[Place]Value{zone(User, internetSettings, "3", "1609"): dword(1)}), "zone 3: asks", "", 0},
	{"ie.bfcache", api.CheckProblem, lose(Place{Root: Machine, Path: explorer + `\Main\FeatureControl\FEATURE_BFCACHE`, Name: "iexplore.exe", View32: true}), "32-bit: not set", "/d 0 /f /reg:32", 0},
	{"ie.enhanced-protected-mode", api.CheckProblem, give(map[Place]Value{valueOf(mainKey, "Isolation"): sz("PMEM")}), "PMEM", "--fix", 1},
	{"ie.enhanced-protected-mode", api.CheckOK, give(map[Place]Value{valueOf(mainKey, "Isolation"): sz("PMIL")}), "off", "", 0},
	{"ie.enhanced-protected-mode", api.CheckProblem, give(map[Place]Value{{Root: Machine, Path: `Software\Policies\Microsoft\Internet Explorer\Main`, Name: "Isolation"}: sz("PMEM")}), "HKLM", "reg delete", 0},
	{"ie.zoom", api.CheckWarning, give(map[Place]Value{{Root: User, Path: explorer + `\Zoom`, Name: "ZoomFactor"}: dword(125_000)}), "125 %", "--fix", 1},
	{"ie.script-debugger", api.CheckWarning, lose(valueOf(mainKey, "Disable Script Debugger"), valueOf(mainKey, "DisableScriptDebuggerIE")), "Disable Script Debugger: not set", "--fix", 2},
	{"ie.first-run", api.CheckWarning, lose(Place{Root: Machine, Path: `Software\Policies\Microsoft\Internet Explorer\Main`, Name: "DisableFirstRunCustomize"}), "may ask", "reg add", 0},
	{"ie.installed", api.CheckProblem, lose(Place{Root: Machine, Path: `Software\Classes\InternetExplorer.Application\CLSID`}), "not registered", "dism", 0},
	{"ie.installed", api.CheckProblem, give(map[Place]Value{{Root: Machine, Path: `Software\Classes\CLSID\{0002DF01-0000-0000-C000-000000000046}\LocalServer32`}: sz(`"C:\none\iexplore.exe" -x`)}), `C:\none\iexplore.exe is not there`, "dism", 0},
	{"ie.enhanced-security", api.CheckProblem, give(map[Place]Value{{Root: Machine, Path: `Software\Microsoft\Active Setup\Installed Components\{A509B1A8-37EF-4b3f-8CFC-4F3A74704073}`, Name: "IsInstalled"}: dword(1)}), "on for users", "reg add", 0},
	{"ie.redirect", api.CheckInformation, give(map[Place]Value{{Root: Machine, Path: `Software\Microsoft\Windows\CurrentVersion\Policies\Ext\CLSID`, Name: "{1FD49718-1D00-4B19-AF5F-070AF6D5D54C}"}: sz("1")}), "yes", "", 0},
	{"policy.ie-mode", api.CheckProblem, give(map[Place]Value{edge("InternetExplorerIntegrationLevel"): dword(0)}), "is 0", "reg delete", 0},
	{"policy.ie-mode", api.CheckProblem, give(map[Place]Value{{Root: User, Path: edge("").Path, Name: "InternetExplorerIntegrationLevel"}: dword(2)}), "HKCU", `reg delete "HKCU\Software\Policies`, 0},
	{"policy.ie-mode", api.CheckOK, give(map[Place]Value{edge("InternetExplorerIntegrationLevel"): dword(1), {Root: User, Path: edge("").Path, Name: "InternetExplorerIntegrationLevel"}: dword(2)}), "1", "", 0},
	{"policy.user-data-dir", api.CheckProblem, give(map[Place]Value{edge("UserDataDir"): sz(`D:\profiles`)}), `D:\profiles`, "reg delete", 0},
	{"policy.tracking-prevention", api.CheckWarning, lose(edge("TrackingPrevention")), "on", "reg add", 0},
	{"policy.site-list", api.CheckInformation, give(map[Place]Value{edge("InternetExplorerIntegrationSiteList"): sz("http://intranet/sites.xml")}), "sites.xml", "", 0},
	{"desktop.locked", api.CheckProblem, know(func(f *facts) { f.desktop.Locked = true }), "locked", "Unlock", 0},
	{"desktop.session-zero", api.CheckProblem, know(func(f *facts) { f.desktop.Session = "0" }), "session 0", "install", 0},
	{"desktop.disconnected", api.CheckProblem, know(func(f *facts) { f.desktop.Connection = "disconnected" }), "disconnected", "tscon", 0},
	{"desktop.elevated", api.CheckProblem, know(func(f *facts) { f.desktop.Elevated = true }), "administrator", "", 0},
	{"desktop.remote-session", api.CheckWarning, know(func(f *facts) { f.desktop.Remote = true }), "remote", "tscon", 0},
	{"desktop.scale", api.CheckWarning, know(func(f *facts) { f.desktop.ScalePercent = 150 }), "150 %", "100 %", 0},
	{"desktop.locked", api.CheckUnknown, know(func(f *facts) { f.desktop.Unknown = []string{desktop.Locked} }), "does not tell", "", 0},
	{"display.scale-setting", api.CheckWarning, give(map[Place]Value{{Root: User, Path: userDesktop, Name: "LogPixels"}: dword(144)}), "150 %", "--fix", 1},
	{"display.screen-saver", api.CheckWarning, give(map[Place]Value{{Root: User, Path: userDesktop, Name: "ScreenSaveActive"}: sz("1"), {Root: User, Path: userDesktop, Name: "SCRNSAVE.EXE"}: sz("a.scr")}), "a.scr", "--fix", 1},
	{"display.screen-saver", api.CheckWarning, give(map[Place]Value{{Root: User, Path: `Software\Policies\Microsoft\Windows\Control Panel\Desktop`, Name: "ScreenSaveActive"}: sz("1"), {Root: User, Path: userDesktop, Name: "SCRNSAVE.EXE"}: sz("a.scr")}), "by policy", "reg delete", 0},
	{"display.screen-saver", api.CheckOK, give(map[Place]Value{{Root: User, Path: userDesktop, Name: "ScreenSaveActive"}: sz("1")}), "none", "", 0},
	{"desktop.lock-time", api.CheckWarning, give(map[Place]Value{{Root: Machine, Path: `Software\Microsoft\Windows\CurrentVersion\Policies\System`, Name: "InactivityTimeoutSecs"}: dword(900)}), "900 s", "reg add", 0},
	{"desktop.auto-logon", api.CheckWarning, give(map[Place]Value{{Root: Machine, Path: `Software\Microsoft\Windows NT\CurrentVersion\Winlogon`, Name: "DefaultPassword"}: sz("hunter2")}), "password", "Autologon", 0},
	{"driver.found", api.CheckProblem, know(func(f *facts) { f.driver = program{failed: errors.New("driver was not found")} }), "not found", "--driver-path", 0},
	{"driver.bits", api.CheckProblem, know(func(f *facts) { f.driver.bits = 64 }), "64-bit", "Win32", 0},
	{"driver.version", api.CheckProblem, know(func(f *facts) { f.driver.version = "4.0.0.0" }), "4.0.0.0", "4.14", 0},
	{"driver.version", api.CheckUnknown, know(func(f *facts) { f.driver.version = "" }), "does not tell", "", 0},
	{"driver.runs", api.CheckProblem, know(func(f *facts) { f.runs = errors.New("--version ended with exit status 2") }), "status 2", "AppLocker", 0},
	{"edge.found", api.CheckProblem, know(func(f *facts) { f.browser = program{failed: errors.New("msedge.exe is not registered")} }), "not registered", "--edge-path", 0},
	{"edge.version", api.CheckProblem, know(func(f *facts) { f.browser.version = "44.1.0.0" }), "44.1", "Update", 0},
	{"policy.tracking-prevention", api.CheckOK, func(to map[Place]*Value, f *facts) {
		to[edge("TrackingPrevention")], f.browser.version = nil, "127.0.0.0"
	}, "127", "", 0},
	{"sessions.one", api.CheckWarning, know(func(f *facts) { f.drivers = 1 }), "an IEDriverServer", "taskkill", 0},
	{"sessions.one", api.CheckUnknown, know(func(f *facts) { f.drivers = -1 }), "not tell", "", 0},
	{"temp.folder", api.CheckProblem, know(func(f *facts) { f.temp.path = `C:\Users\Jane Doe\Temp` }), "Jane Doe", "setx", 0},
	{"temp.folder", api.CheckProblem, know(func(f *facts) { f.temp.failed = errors.New("access is denied") }), "denied", "TEMP", 0},
	{"temp.folder", api.CheckWarning, know(func(f *facts) { f.temp.free = 1 << 20 }), "1 MB", "room", 0},
	{"system.windows", api.CheckProblem, know(func(f *facts) { f.old, f.system = true, "Windows 6.1.7601" }), "6.1", "newer", 0},
}

func TestEveryFaultIsFound(t *testing.T) {
	for _, c := range faults {
		registry, f := wellOff(t)
		changed := map[Place]*Value{}
		c.breaks(changed, &f)
		for p, v := range changed {
			if err := put(registry, p, v); err != nil {
				t.Fatal(err)
			}
		}
		e := judge(registry, f)
		got := find(t, e, c.id)
		if got.State != c.state || !strings.Contains(got.Found, c.found) || !strings.Contains(got.Remedy, c.says) {
			t.Errorf("%+v, want %s: %s", got, c.state, c.found)
			continue
		}
		if strings.Contains(got.Found+got.Remedy, "hunter2") {
			t.Error("a password is told")
		}
		if e.Report.Fit == (c.state == api.CheckProblem) {
			t.Errorf("%s: fit %v", c.id, e.Report.Fit)
		}
		before := registry.clone()
		repair, err := fix(registry, e.changes, place(t))
		if err != nil || len(repair.Changed) != c.fixes || (repair.UndoFile == "") != (c.fixes == 0) {
			t.Errorf("%s: %+v, %v", c.id, repair, err)
		}
		for _, command := range repair.Commands {
			if !strings.Contains(got.Remedy, command) && c.state == api.CheckProblem && c.fixes == 0 {
				t.Errorf("%s: the remedy lacks %s", c.id, command)
			}
		}
		if c.fixes == 0 {
			continue
		}
		if after := find(t, judge(registry, f), c.id); after.State != api.CheckOK {
			t.Errorf("fixed: %+v", after)
		}
		if again, err := fix(registry, e.changes, place(t)); err != nil || len(again.Changed) != 0 || again.UndoFile != "" {
			t.Errorf("%s: fixed twice: %+v, %v", c.id, again, err)
		}
		for range 2 {
			if _, err := undo(registry, repair.UndoFile); err != nil || !maps.Equal(registry.values, before.values) {
				t.Errorf("%s: undone: %v", c.id, err)
			}
		}
	}
}

func TestWhatCannotBeReadIsUnknown(t *testing.T) {
	registry, f := wellOff(t)
	registry.broken = "Zoom"
	if c := find(t, judge(registry, f), "ie.zoom"); c.State != api.CheckUnknown || !strings.Contains(c.Found, "access is denied") {
		t.Errorf("%+v", c)
	}
}

func TestAFixThatFailsHalfWayCanBeUndone(t *testing.T) {
	registry, f := wellOff(t)
	for _, number := range zones {
		delete(registry.values, lower(user(number)))
	}
	registry.values[lower(valueOf(mainKey, "Isolation"))] = Value{3, "\x01\x02"} // of no kind that Windows puts there
	before := registry.clone()
	e := judge(registry, f)
	registry.writes = 2
	repair, err := fix(registry, e.changes, place(t))
	if err == nil || len(repair.Changed) != 2 || repair.UndoFile == "" {
		t.Fatalf("%+v, %v", repair, err)
	}
	registry.writes = 1
	if _, err := undo(registry, repair.UndoFile); err == nil {
		t.Error("an undo that could not write")
	}
	registry.writes = -1
	if done, err := undo(registry, repair.UndoFile); err != nil || !maps.Equal(registry.values, before.values) {
		t.Errorf("%+v, %v", done, err)
	}

	repair, err = fix(registry, e.changes, place(t))
	if err != nil || len(repair.Changed) != 5 {
		t.Fatalf("%+v, %v", repair, err)
	}
	registry.values[lower(user("2"))] = dword(1)
	done, err := undo(registry, repair.UndoFile)
	if err != nil || len(done.Changed) != 4 || len(done.Left) != 1 || registry.values[lower(user("2"))] != dword(1) {
		t.Errorf("changed by others: %+v, %v", done, err)
	}
}

func TestNothingIsChangedWithoutAnUndoFile(t *testing.T) {
	registry, f := wellOff(t)
	delete(registry.values, lower(user("1")))
	before := registry.clone()
	if repair, err := fix(registry, judge(registry, f).changes, file(t, "not a folder")); err == nil || !maps.Equal(registry.values, before.values) {
		t.Errorf("%+v, %v", repair, err)
	}
}

func TestUndoChangesNothingElse(t *testing.T) {
	registry, _ := wellOff(t)
	before := registry.clone()
	for _, content := range []string{
		``, `{}`, `{"values":[{"root":"HKLM","path":"Software","name":"x","was":"dword:1","set":null}]}`,
		`{"values":[{"root":"HKCU","path":"Software\\Policies\\Microsoft\\Edge","name":"x","was":"dword:1","set":null}]}`,
		`{"values":[{"root":"HKCU","path":"Software","name":"x","was":"float:1","set":null}]}`,
	} {
		path := file(t, "undo.json")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if r, err := undo(registry, path); err == nil || !maps.Equal(registry.values, before.values) {
			t.Errorf("%s: %+v", content, r)
		}
	}
}

func TestValuesKeepEveryByte(t *testing.T) {
	for _, v := range []Value{dword(0), dword(1 << 31), sz(""), sz("日本語 \"x\""), {kindText, "a"}, {kindText, ""}, {kindExpand, "%\x00"}, {kindNumber, "123"}, {3, "\x00\xff"}, {11, "12345678"}} {
		line, err := v.MarshalText()
		var back Value
		if err != nil || back.UnmarshalText(line) != nil || back != v {
			t.Errorf("%+v as %s is %+v", v, line, back)
		}
	}
}

func TestCommands(t *testing.T) {
	for want, c := range map[string]change{
		`reg add "HKLM\A B" /v "x y" /t REG_DWORD /d 7 /f /reg:64`: set(Place{Machine, "A B", "x y", false}, dword(7)),
		`reg add "HKLM\A" /ve /t REG_SZ /d "v w" /f /reg:32`:       set(Place{Machine, "A", "", true}, sz("v w")),
		`reg delete "HKCU\Software\Policies\X" /v "y" /f`:          remove(Place{User, `Software\Policies\X`, "y", false}),
	} {
		if got := c.command(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestExecutableOfACommandLine(t *testing.T) {
	t.Setenv("IEMESH_TEST", `C:\Program Files`)
	for line, want := range map[string]string{
		`"C:\Program Files\x.exe" -Embedding`: `C:\Program Files\x.exe`,
		`C:\Program Files\x.exe /automation`:  `C:\Program Files\x.exe`,
		`%IEMESH_TEST%\x.EXE`:                 `C:\Program Files\x.EXE`,
		`100%`:                                `100%`,
		``:                                    ``,
	} {
		if got := executable(line); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

func TestEdgeIsFoundAsTheDriverDoes(t *testing.T) {
	registry, _ := wellOff(t)
	x := &examination{registry: registry}
	if p := x.findEdge(""); p.failed != nil || !strings.HasSuffix(p.path, "msedge.exe") {
		t.Errorf("%+v", p)
	}
	if p := x.findEdge(file(t, "other.exe")); p.failed != nil || !strings.HasSuffix(p.path, "other.exe") {
		t.Errorf("%+v", p)
	}
	if p := x.findEdge("/nowhere/msedge.exe"); p.failed == nil {
		t.Errorf("%+v", p)
	}
	registry.values = map[Place]Value{}
	if p := x.findEdge(""); p.failed == nil || !strings.Contains(p.failed.Error(), "not registered") {
		t.Errorf("%+v", p)
	}
}

func TestReportsTellNoHome(t *testing.T) {
	home := place(t)
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	if got := discreet("at " + home + "/x"); got != "at "+homeName+"/x" {
		t.Error(got)
	}
}

func TestTheOrderIsFixed(t *testing.T) {
	ids := func() (list []string) {
		for _, c := range judge(wellOff(t)).Report.Checks {
			list = append(list, c.ID)
		}
		return list
	}
	if a, b := ids(), ids(); !slices.Equal(a, b) {
		t.Errorf("%v, %v", a, b)
	}
}

func TestEveryObstacleIsLookedAt(t *testing.T) {
	var ids []string
	for _, o := range everyObstacle() {
		ids = append(ids, o.ID)
		if desktopTitles[o.ID] == "" {
			t.Errorf("%s has no title", o.ID)
		}
	}
	if !slices.Equal(ids, desktop.Checks()) {
		t.Errorf("%v, want %v", ids, desktop.Checks())
	}
}
