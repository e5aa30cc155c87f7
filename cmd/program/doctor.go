package program

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"

	"iemesh/api"
	"iemesh/cmd/config"
	"iemesh/worker/doctor"
)

// ErrUnfit ends a doctor that has said on standard output what is not as it must be.
var ErrUnfit = errors.New("not fit")

// Doctor says what this machine is to be fit for.
func Doctor(cfg *config.Common, log *slog.Logger) doctor.Config {
	return doctor.Config{Browser: browser(cfg, log), Listen: cfg.Listen, Try: true}
}

// WriteChecks writes a line for each check, and what to do below those that need it.
func WriteChecks(out io.Writer, checks []api.DoctorCheck) {
	for _, c := range checks {
		fmt.Fprintf(out, "%-12s %-28s %s: %s\n", c.State, c.ID, c.Title, c.Found)
		if c.State != api.CheckProblem && c.State != api.CheckWarning {
			continue
		}
		if c.Wanted != "" {
			fmt.Fprintf(out, "%13swanted: %s\n", "", c.Wanted)
		}
		if c.Why != "" {
			fmt.Fprintf(out, "%13s%s\n", "", c.Why)
		}
		for line := range strings.Lines(c.Remedy) {
			fmt.Fprintf(out, "%13s> %s\n", "", strings.TrimSuffix(line, "\n"))
		}
	}
}

// Verdict is how the checks came out, in a line.
func Verdict(what string, checks []api.DoctorCheck) string {
	count := map[api.CheckState]int{}
	for _, c := range checks {
		count[c.State]++
	}
	var but []string
	for _, s := range []api.CheckState{api.CheckProblem, api.CheckWarning, api.CheckUnknown} {
		if n := count[s]; n > 0 {
			but = append(but, fmt.Sprintf("%d %s", n, plural(string(s), n)))
		}
	}
	verdict := what + ": fit"
	if count[api.CheckProblem] > 0 {
		verdict = what + ": not fit"
	}
	if but != nil {
		verdict += " (" + strings.Join(but, ", ") + ")"
	}
	return verdict
}

func plural(word string, n int) string {
	if n == 1 || word == string(api.CheckUnknown) {
		return word
	}
	return word + "s"
}
