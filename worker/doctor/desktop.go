package doctor

import (
	"slices"
	"strings"

	"iemesh/worker/desktop"
)

var desktopTitles = map[string]string{
	desktop.SessionZero:  "Not the session of the services",
	desktop.Unseen:       "The desktop is on a screen",
	desktop.Disconnected: "The session is connected",
	desktop.Locked:       "The desktop is unlocked",
	desktop.Elevated:     "Ordinary rights",
	desktop.Remote:       "Console, not remote desktop",
	desktop.Scale:        "Scale of the screen",
}

// desktop looks at the desktop, and at what may take it away later.
func (x *examination) desktop() {
	facts := x.facts.desktop
	obstacles := facts.Obstacles()
	for _, might := range everyObstacle() {
		id := might.ID
		f := x.check("desktop."+strings.ReplaceAll(id, "_", "-"), desktopTitles[id], might.Wanted, sentence(might.Why))
		at := slices.IndexFunc(obstacles, func(o desktop.Obstacle) bool { return o.ID == id })
		switch {
		case at >= 0:
			o := obstacles[at]
			if o.Fatal {
				f.problem("%s", o.Found)
			} else {
				f.warning("%s", o.Found)
			}
			f.mend(o.Remedy)
		case slices.Contains(facts.Unknown, id):
			f.unknown("this system does not tell")
		default:
			f.ok("yes")
		}
	}
	x.scaleSetting()
	x.screenSaver()
	x.lockTime()
	x.focusLock()
	x.autoLogon()
}

// everyObstacle are those that a desktop can have, in their order.
func everyObstacle() []desktop.Obstacle {
	service := desktop.Facts{Session: "0"}
	worst := desktop.Facts{Session: "1", Unseen: true, Connection: "idle", Locked: true, Elevated: true, Remote: true, ScalePercent: 1}
	return append(service.Obstacles(), worst.Obstacles()...)
}

// sentence begins with a capital and ends with a stop.
func sentence(phrase string) string {
	if phrase == "" {
		return ""
	}
	return strings.ToUpper(phrase[:1]) + strings.TrimSuffix(phrase[1:], ".") + "."
}

const userDesktop = `Control Panel\Desktop`

func (x *examination) scaleSetting() {
	f := x.check("display.scale-setting", "Scale that the user has set", "100 %: LogPixels absent or 96", "The driver clicks by coordinates, and may miss.")
	p := Place{Root: User, Path: userDesktop, Name: "LogPixels"}
	n, ok := x.number(p)
	if !ok || n == 96 {
		f.ok("100 %%")
		return
	}
	f.warning("%d %%", n*100/96).mend("It takes effect at the next logon.", set(p, dword(96)))
}

func (x *examination) screenSaver() {
	f := x.check("display.screen-saver", "No screen saver", "ScreenSaveActive is 0, or no screen saver is chosen", "It takes the desktop away from the browser, and may lock it.")
	const policies, name = `Software\Policies\Microsoft\Windows\Control Panel\Desktop`, "ScreenSaveActive"
	p := Place{Root: User, Path: policies, Name: name}
	active, byPolicy := x.read(p)
	if !byPolicy {
		p.Path = userDesktop
		active, _ = x.read(p)
	}
	saver := x.text(Place{Root: User, Path: policies, Name: "SCRNSAVE.EXE"})
	if saver == "" {
		saver = x.text(Place{Root: User, Path: userDesktop, Name: "SCRNSAVE.EXE"})
	}
	switch {
	case active.String() == "0" || saver == "":
		f.ok("none")
	case byPolicy:
		f.warning("%s, by policy", saver).mend("", remove(p))
	default:
		f.warning("%s", saver).mend("", set(p, sz("0")))
	}
}

func (x *examination) lockTime() {
	f := x.check("desktop.lock-time", "Windows does not lock itself", "InactivityTimeoutSecs absent or 0", "A locked desktop stops the browser.")
	p := Place{Root: Machine, Path: `Software\Microsoft\Windows\CurrentVersion\Policies\System`, Name: "InactivityTimeoutSecs"}
	n, _ := x.number(p)
	if n == 0 {
		f.ok("no")
		return
	}
	f.warning("after %d s without input", n).mend("A policy may say so; ask those who manage this machine.", set(p, dword(0)))
}

func (x *examination) focusLock() {
	f := x.check("display.focus", "Programs may take the focus", "", "Only input that needs the focus gains from 0, which iemesh does not ask for.")
	f.information("ForegroundLockTimeout: %s", x.shown(Place{Root: User, Path: userDesktop, Name: "ForegroundLockTimeout"}))
}

func (x *examination) autoLogon() {
	const winlogon = `Software\Microsoft\Windows NT\CurrentVersion\Winlogon`
	f := x.check("desktop.auto-logon", "Logon after a restart", "", "Without it the worker waits until somebody logs on.")
	on := x.text(Place{Root: Machine, Path: winlogon, Name: "AutoAdminLogon"}) == "1"
	_, plain := x.read(Place{Root: Machine, Path: winlogon, Name: "DefaultPassword"})
	switch {
	case plain:
		f.warning("%s; a password stands in the registry, for everyone to read", automatic(on)).
			mend("Set it with Autologon of Sysinternals, which encrypts it. Then, as administrator:\n" + remove(Place{Root: Machine, Path: winlogon, Name: "DefaultPassword"}).command())
	default:
		f.information("%s", automatic(on))
	}
}

func automatic(on bool) string {
	if on {
		return "by itself"
	}
	return "by hand"
}
