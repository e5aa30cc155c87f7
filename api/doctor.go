package api

import "time"

// CheckState is how a check came out.
type CheckState string

// The states. Only a problem keeps a machine from being fit.
const (
	CheckOK          CheckState = "ok"
	CheckWarning     CheckState = "warning"     // it works, but not in every case or not for long
	CheckProblem     CheckState = "problem"     // it does not work like this
	CheckUnknown     CheckState = "unknown"     // this system does not tell
	CheckInformation CheckState = "information" // worth knowing, neither good nor bad
)

// DoctorCheck is one thing that was looked at. All texts are for people;
// Wanted, Why and Remedy are "" where there is nothing to say.
type DoctorCheck struct {
	ID     string     `json:"id"` // stable: "zones.equal"
	Title  string     `json:"title"`
	State  CheckState `json:"state"`
	Found  string     `json:"found"`
	Wanted string     `json:"wanted"`
	Why    string     `json:"why"`
	Remedy string     `json:"remedy"` // in several lines where commands are to be run
}

// DoctorReport tells whether a machine is fit for its browser engine. Paths
// below the home folder begin with ~, on Windows with %USERPROFILE%.
type DoctorReport struct {
	System string        `json:"system"` // "windows/386, Windows 10.0.22631"
	Engine string        `json:"engine"` // ie, edge, chromium
	Fit    bool          `json:"fit"`    // no check is a problem
	Checks []DoctorCheck `json:"checks"` // in a fixed order
}

// Doctor examines the worker's machine.
var Doctor = declare[Empty, DoctorReport](Meta{
	Name: "doctor", Title: "Examine the machine",
	Description: "Tells whether the worker's machine is fit for its browser engine. It starts no browser.",
	Scope:       None, Effect: Read, Lane: NoQueue, Timeout: 30 * time.Second,
})
