package doctor

import (
	"fmt"
	"strings"

	"iemesh/api"
)

// finding is a check that is being made: it begins as ok.
type finding struct {
	api.DoctorCheck
	advice  string
	changes []change
	failed  error // of reading what it is about
}

func (f *finding) is(state api.CheckState, format string, args ...any) *finding {
	f.State, f.Found = state, fmt.Sprintf(format, args...)
	return f
}

func (f *finding) ok(format string, args ...any) *finding { return f.is(api.CheckOK, format, args...) }
func (f *finding) problem(format string, args ...any) *finding {
	return f.is(api.CheckProblem, format, args...)
}
func (f *finding) warning(format string, args ...any) *finding {
	return f.is(api.CheckWarning, format, args...)
}
func (f *finding) information(format string, args ...any) *finding {
	return f.is(api.CheckInformation, format, args...)
}
func (f *finding) unknown(format string, args ...any) *finding {
	return f.is(api.CheckUnknown, format, args...)
}

// mend says how to mend it. What changes the registry is said by the changes.
func (f *finding) mend(advice string, changes ...change) *finding {
	f.advice, f.changes = advice, append(f.changes, changes...)
	return f
}

// result is the finished check.
func (f *finding) result() api.DoctorCheck {
	if f.failed != nil && f.State == api.CheckOK {
		f.unknown("could not be read: %v", f.failed)
	}
	if f.State != api.CheckOK && f.State != api.CheckUnknown {
		f.Remedy = f.remedy()
	}
	if f.State == api.CheckUnknown {
		f.Remedy = f.advice
	}
	return f.DoctorCheck
}

// remedy is the advice, and what the changes mean to the one who makes them.
func (f *finding) remedy() string {
	var lines []string
	if f.advice != "" {
		lines = append(lines, f.advice)
	}
	own, policies := false, false
	var commands []string
	for _, c := range f.changes {
		if own = own || c.own(); c.own() {
			continue
		}
		policies = policies || c.policy()
		commands = append(commands, c.command())
	}
	if own {
		lines = append(lines, "winworker doctor --fix sets it.")
	}
	if policies {
		lines = append(lines, "A policy says so: ask those who manage the policies of this machine, or it comes back.")
	}
	if commands != nil {
		lines = append(append(lines, "As administrator:"), commands...)
	}
	return strings.Join(lines, "\n")
}

// examination is a machine under examination.
type examination struct {
	registry Registry // nil where there is none
	facts    facts
	findings []*finding
}

// check begins a check.
func (x *examination) check(id, title, wanted, why string) *finding {
	f := &finding{DoctorCheck: api.DoctorCheck{ID: id, Title: title, State: api.CheckOK, Wanted: wanted, Why: why}}
	x.findings = append(x.findings, f)
	return f
}

// read reads for the check that was begun last.
func (x *examination) read(p Place) (Value, bool) {
	v, ok, err := x.registry.Read(p)
	if err != nil {
		x.findings[len(x.findings)-1].failed = fmt.Errorf("%s: %w", p, err)
	}
	return v, ok
}

// number reads a REG_DWORD; another kind is as none.
func (x *examination) number(p Place) (uint32, bool) {
	v, _ := x.read(p)
	return v.number()
}

func (x *examination) text(p Place) string {
	v, _ := x.read(p)
	return v.text()
}
