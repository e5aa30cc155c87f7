package doctor

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

const explorer = `Software\Microsoft\Internet Explorer`

// explorer looks at the settings of Internet Explorer, which IE mode obeys too.
func (x *examination) explorer() {
	x.explorerInstalled()
	x.lostConnections()
	x.enhancedProtectedMode()
	x.enhancedSecurity()
	x.zoom()
	x.scriptDebugger()
	x.firstRun()

	f := x.check("ie.tab-processes", "Tab processes of Internet Explorer", "", "Only a way of starting plain Internet Explorer needs 0, which iemesh does not go.")
	f.information("%s", x.shown(Place{Root: User, Path: explorer + `\Main`, Name: "TabProcGrowth"}))

	f = x.check("ie.redirect", "Internet Explorer redirects to Edge", "", "It changes nothing for IE mode.")
	redirect := Place{Root: Machine, Path: `Software\Microsoft\Windows\CurrentVersion\Policies\Ext\CLSID`, Name: "{1FD49718-1D00-4B19-AF5F-070AF6D5D54C}"}
	if x.text(redirect) == "1" {
		f.information("yes")
	} else {
		f.information("no")
	}
}

// shown is the content of a place for people.
func (x *examination) shown(p Place) string {
	if v, ok := x.read(p); ok {
		return v.String()
	}
	return "not set"
}

func (x *examination) explorerInstalled() {
	f := x.check("ie.installed", "Internet Explorer 11", "there, as the Windows feature that IE mode needs", "IE mode is its engine inside Edge.")
	f.mend("Install it as administrator, and restart Windows:\ndism /online /add-capability /capabilityname:Browser.InternetExplorer~~~~0.0.11.0\non Windows Server:\ndism /online /enable-feature /featurename:Internet-Explorer-Optional-amd64")
	class := x.text(Place{Root: Machine, Path: `Software\Classes\InternetExplorer.Application\CLSID`})
	if class == "" {
		f.problem("not registered")
		return
	}
	path := executable(x.text(Place{Root: Machine, Path: `Software\Classes\CLSID\` + class + `\LocalServer32`}))
	if path == "" {
		f.problem("its class %s names no program", class)
		return
	}
	p := look(path)
	switch {
	case p.failed != nil:
		f.problem("%s is not there", path)
	case p.version == "":
		f.unknown("%s tells no version", path)
	case major(p.version) < 11:
		f.problem("%s is version %s", path, p.version)
	default:
		f.ok("%s, version %s", path, p.version)
	}
}

// executable is the program in a command line of the registry.
func executable(command string) string {
	command = variable.ReplaceAllStringFunc(command, func(name string) string { return os.Getenv(strings.Trim(name, "%")) })
	if rest, ok := strings.CutPrefix(command, `"`); ok {
		command, _, _ = strings.Cut(rest, `"`)
		return command
	}
	if at := strings.Index(strings.ToLower(command), ".exe "); at >= 0 {
		command = command[:at+4]
	}
	return strings.TrimSpace(command)
}

var variable = regexp.MustCompile(`%[^%]+%`)

func (x *examination) lostConnections() {
	f := x.check("ie.bfcache", "FEATURE_BFCACHE", "iexplore.exe is 0, for 32-bit and 64-bit programs", "Else the driver loses Internet Explorer 11 when it goes to another page.")
	var changes []change
	var found []string
	for _, view32 := range []bool{false, true} {
		p := Place{Root: Machine, Path: explorer + `\Main\FeatureControl\FEATURE_BFCACHE`, Name: "iexplore.exe", View32: view32}
		if n, ok := x.number(p); !ok || n != 0 {
			changes = append(changes, set(p, dword(0)))
		}
		bits := 64
		if view32 {
			bits = 32
		}
		found = append(found, fmt.Sprintf("%d-bit: %s", bits, x.shown(p)))
	}
	if changes == nil {
		f.ok("0")
		return
	}
	f.problem("%s", strings.Join(found, ", ")).mend("", changes...)
}

func (x *examination) enhancedProtectedMode() {
	f := x.check("ie.enhanced-protected-mode", "Enhanced Protected Mode is off", "Isolation absent or PMIL", "The driver cannot see into pages that run in it.")
	const policy, name = `Software\Policies\Microsoft\Internet Explorer\Main`, "Isolation"
	user := Place{Root: User, Path: explorer + `\Main`, Name: name}
	var on []string
	for _, p := range []Place{{Root: Machine, Path: policy, Name: name}, {Root: User, Path: policy, Name: name}, user} {
		v, ok := x.read(p)
		if !ok || strings.EqualFold(v.text(), "PMIL") {
			continue
		}
		on = append(on, fmt.Sprintf("%s is %s", p, v))
		if p == user {
			f.mend("", set(p, sz("PMIL")))
		} else {
			f.mend("", remove(p))
		}
	}
	if on == nil {
		f.ok("off")
		return
	}
	f.problem("%s", strings.Join(on, ", "))
}

func (x *examination) enhancedSecurity() {
	f := x.check("ie.enhanced-security", "Enhanced Security Configuration of Windows Server is off", "IsInstalled absent or 0, for administrators and users", "It takes scripts from most sites, and asks questions that block the page.")
	var on []string
	for _, of := range [][2]string{{"administrators", "{A509B1A7-37EF-4b3f-8CFC-4F3A74704073}"}, {"users", "{A509B1A8-37EF-4b3f-8CFC-4F3A74704073}"}} {
		p := Place{Root: Machine, Path: `Software\Microsoft\Active Setup\Installed Components\` + of[1], Name: "IsInstalled"}
		if n, _ := x.number(p); n != 0 {
			on = append(on, of[0])
			f.mend("", set(p, dword(0)))
		}
	}
	if on == nil {
		f.ok("off")
		return
	}
	f.problem("on for %s", strings.Join(on, " and "))
}

func (x *examination) zoom() {
	f := x.check("ie.zoom", "Zoom of Internet Explorer", "100 %", "The driver clicks by coordinates.")
	p := Place{Root: User, Path: explorer + `\Zoom`, Name: "ZoomFactor"}
	n, ok := x.number(p)
	if !ok || n == 100_000 {
		f.ok("100 %%")
		return
	}
	f.warning("%d %%", n/1000).mend("", set(p, dword(100_000)))
}

func (x *examination) scriptDebugger() {
	f := x.check("ie.script-debugger", "Script debugger and script errors are silent", "off", "Their boxes block the page, and no tool can answer them.")
	var asks []string
	for _, s := range [][2]string{{"Disable Script Debugger", "yes"}, {"DisableScriptDebuggerIE", "yes"}, {"Error Dlg Displayed On Every Error", "no"}} {
		p := Place{Root: User, Path: explorer + `\Main`, Name: s[0]}
		if !strings.EqualFold(x.text(p), s[1]) {
			asks = append(asks, fmt.Sprintf("%s: %s", s[0], x.shown(p)))
			f.mend("", set(p, sz(s[1])))
		}
	}
	if asks == nil {
		f.ok("off")
		return
	}
	f.warning("%s", strings.Join(asks, ", "))
}

func (x *examination) firstRun() {
	f := x.check("ie.first-run", "First run of Internet Explorer", "DisableFirstRunCustomize is 1", "Its window may stand before the first page.")
	const policy, name = `Software\Policies\Microsoft\Internet Explorer\Main`, "DisableFirstRunCustomize"
	for _, root := range []Root{Machine, User} {
		if n, _ := x.number(Place{Root: root, Path: policy, Name: name}); n == 1 || n == 2 {
			f.ok("left out")
			return
		}
	}
	f.warning("may ask").mend("As administrator:\n" + set(Place{Root: Machine, Path: policy, Name: name}, dword(1)).command())
}
