// Package desktop tells what stands between the desktop of this process and IE
// mode: Edge must show its window to somebody, or the driver waits for ever.
//
// Reading the facts needs Windows; judging them does not.
package desktop

import "fmt"

// Facts is what Windows tells of the desktop of this process. The zero value,
// which is that of other systems, knows nothing and has no obstacles.
type Facts struct {
	Session      string // number of the Windows session; "0" is that of services; "" = not known
	Connection   string // of that session to a screen: "active", "disconnected", …; "" = not known
	Locked       bool   // the user must log on again first, or a secure prompt is open
	Remote       bool   // a remote desktop connection
	Unseen       bool   // the window station of this process is on no screen
	ScalePercent int    // of the main screen; 0 = not known
	Elevated     bool   // this process has administrator rights in force

	Unknown []string // ids of the obstacles that could not be looked for
}

// IDs of the obstacles.
const (
	SessionZero  = "session_zero"
	Unseen       = "unseen_desktop"
	Disconnected = "disconnected"
	Locked       = "locked"
	Elevated     = "elevated"
	Remote       = "remote_session"
	Scale        = "scale"
)

// Checks are the ids of all obstacles, those that weigh most first.
func Checks() []string {
	return []string{SessionZero, Unseen, Disconnected, Locked, Elevated, Remote, Scale}
}

// Obstacle is something about the desktop that IE mode does not bear. Every text
// is a sentence or a phrase for people, without secrets.
type Obstacle struct {
	ID     string
	Found  string
	Wanted string
	Why    string
	Remedy string
	Fatal  bool // no session can be opened, and none can work; else it may work
}

// String is the obstacle in one line, for an error.
func (o Obstacle) String() string {
	return fmt.Sprintf("%s, and %s. %s", o.Found, o.Why, o.Remedy)
}

// Obstacles judges the facts, those that weigh most first.
func (f Facts) Obstacles() []Obstacle {
	var list []Obstacle
	if f.Session == "0" {
		list = append(list, Obstacle{
			ID: SessionZero, Fatal: true,
			Found: "This process is in session 0, that of the services", Wanted: "the session of a logged-on user",
			Why:    "no browser has a screen there",
			Remedy: "Start winworker in the session of the user who is logged on: winworker install makes a task that does it at logon.",
		})
	}
	if f.Unseen && f.Session != "0" {
		list = append(list, Obstacle{
			ID: Unseen, Fatal: true,
			Found: "The window station of this process is on no screen", Wanted: "the interactive window station WinSta0",
			Why:    "the driver cannot find or operate windows there",
			Remedy: "Start winworker in the user's own desktop session, not over SSH, WinRM or a task that runs whether the user is logged on or not: winworker install makes one that does not.",
		})
	}
	if f.Connection != "" && f.Connection != "active" && f.Session != "0" {
		list = append(list, Obstacle{
			ID: Disconnected, Fatal: true,
			Found: "The desktop session is " + f.Connection, Wanted: "active, connected to the console or a remote desktop",
			Why:    "without a screen Windows draws nothing and passes no input",
			Remedy: "Connect to it again. To leave it without a connection, run as administrator in it: tscon %SESSIONNAME% /dest:console",
		})
	}
	if f.Locked {
		list = append(list, Obstacle{
			ID: Locked, Fatal: true,
			Found: "The desktop is locked, or a secure prompt covers it", Wanted: "unlocked, with no screen saver and no prompt of User Account Control",
			Why:    "clicks and keys do not reach a browser behind it",
			Remedy: "Unlock it. Switch off the lock screen and the screen saver of this user, and leave a remote desktop with tscon %SESSIONNAME% /dest:console, as administrator, instead of closing it.",
		})
	}
	if f.Elevated {
		list = append(list, Obstacle{
			ID: Elevated, Fatal: true,
			Found: "This process runs as administrator", Wanted: "the ordinary rights of the user",
			Why:    "Edge gives such rights up by starting itself anew: the driver does not find that Edge, and nothing could end it",
			Remedy: "Start winworker without Run as administrator. As the built-in Administrator, or with User Account Control off, use another account.",
		})
	}
	if f.Remote && f.Connection != "disconnected" {
		list = append(list, Obstacle{
			ID:    Remote,
			Found: "The desktop is shown over a remote connection", Wanted: "the console of the machine",
			Why:    "closing or minimising that connection stops the browser",
			Remedy: "Leave it with tscon %SESSIONNAME% /dest:console, as administrator. While it stays, do not minimise its window.",
		})
	}
	if f.ScalePercent != 0 && f.ScalePercent != 100 {
		list = append(list, Obstacle{
			ID:    Scale,
			Found: fmt.Sprintf("The screen is scaled to %d %%", f.ScalePercent), Wanted: "100 %",
			Why:    "the driver clicks by coordinates, and may miss",
			Remedy: "Set Settings > System > Display > Scale to 100 %, and log on again.",
		})
	}
	return list
}

// Fatal returns the first obstacle with which no session can work.
func (f Facts) Fatal() (Obstacle, bool) {
	for _, o := range f.Obstacles() {
		if o.Fatal {
			return o, true
		}
	}
	return Obstacle{}, false
}
