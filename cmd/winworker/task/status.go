package task

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"iemesh/cmd/config"
	"iemesh/cmd/web"
)

// Report tells how an installed winworker is.
type Report struct {
	Ready      bool           `json:"ready"`             // it serves, and could serve a session in a free slot
	Registered bool           `json:"registered"`        // the task exists
	State      string         `json:"state,omitempty"`   // of the task: Ready, Running, Disabled, Queued, Unknown
	LastRun    string         `json:"lastRun,omitempty"` // RFC 3339; "" when it never ran
	LastResult string         `json:"lastResult,omitempty"`
	Processes  []int          `json:"processes"` // ids of those that run the program
	Address    string         `json:"address,omitempty"`
	Listening  bool           `json:"listening"`
	Readiness  *web.Readiness `json:"readiness,omitempty"` // the answer of /readyz
	Problem    string         `json:"problem,omitempty"`   // why something could not be found out
	LogFile    string         `json:"logFile,omitempty"`
	Installed  *Record        `json:"installed,omitempty"`
	Version    string         `json:"version"` // of the program that tells this
}

// Status prints how the installed winworker is. The error says that it is not ready.
func Status(ctx context.Context, m Machine, what config.Task, self int, out io.Writer) error {
	account, err := m.Account(what.User)
	if err != nil {
		return fmt.Errorf("user %q: %w", what.User, err)
	}
	r := examine(ctx, m, account, self)
	r.Version = config.Version
	if what.JSON {
		text, err := json.MarshalIndent(r, "", "  ")
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "%s\n", text); err != nil {
			return err
		}
	} else {
		r.print(out)
	}
	switch {
	case r.Ready:
		return nil
	case !r.Registered && r.Installed == nil:
		return errors.New("winworker is not installed")
	}
	return errors.New("winworker is not ready")
}

func examine(ctx context.Context, m Machine, account Account, self int) *Report {
	r := &Report{Processes: []int{}}
	var problems []error
	text, err := m.Run(ctx, "powershell", "-NoProfile", "-NonInteractive", "-Command", question)
	if err == nil {
		err = r.readTask(text)
	}
	problems = append(problems, err)
	record, err := ReadRecord(account.Folder)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, err)
		}
		r.Problem = message(problems)
		return r
	}
	r.Installed = &record
	list, err := m.Processes(record.Program)
	problems = append(problems, err)
	for _, pid := range list {
		if pid != self {
			r.Processes = append(r.Processes, pid)
		}
	}
	cfg, _, err := config.ParseWinWorker(record.Arguments, nil, io.Discard)
	if err == nil {
		r.LogFile = cfg.LogFile
		err = r.ask(ctx, cfg)
	}
	r.Problem = message(append(problems, err))
	return r
}

func message(problems []error) string {
	if err := errors.Join(problems...); err != nil {
		return strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return ""
}

// question asks for the task in words that no language of Windows translates,
// which the output of schtasks is not.
const question = `$t = Get-ScheduledTask -TaskPath '\iemesh\' -TaskName 'winworker' -ErrorAction SilentlyContinue; ` +
	`if ($null -eq $t) { 'absent' } else { $i = $t | Get-ScheduledTaskInfo; '{0} {1} {2:o}' -f $t.State, $i.LastTaskResult, $i.LastRunTime }`

// neverRan is the result of a task that has not run.
const neverRan = 0x41303

// results are the results of a task that are worth a word.
var results = map[uint64]string{
	0: "ended in order", 1: "failed: see the log", 2: "a setting is wrong: see the log", 0x41301: "is running", neverRan: "has not run",
	0x41306: "was ended", 0x800710e0: "was not started: it runs already, or the user was not logged on", 0x80070002: "the program is not there", 0xc000013a: "ended with the session or its window",
}

func (r *Report) readTask(text string) error {
	fields := strings.Fields(text)
	if len(fields) == 1 && fields[0] == "absent" {
		return nil
	}
	if len(fields) != 3 {
		return fmt.Errorf("powershell answered %.100q about the task", text)
	}
	result, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return err
	}
	code := uint64(uint32(result)) // some versions of PowerShell show it as a negative number
	r.Registered, r.State, r.LastResult = true, fields[0], fmt.Sprintf("%#x", code)
	if word := results[code]; word != "" {
		r.LastResult += " (" + word + ")"
	}
	if code != neverRan {
		r.LastRun = fields[2]
	}
	return nil
}

// askTime is how long a winworker on this machine may take to answer.
const askTime = 5 * time.Second

// ask asks the winworker whether it is ready.
func (r *Report) ask(ctx context.Context, cfg *config.Common) error {
	scheme := "http"
	if cfg.TLSCert != "" {
		scheme = "https"
	}
	host, port, err := net.SplitHostPort(cfg.Listen)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	r.Address = scheme + "://" + net.JoinHostPort(host, port)
	client := http.Client{Timeout: askTime, Transport: &http.Transport{
		DisableKeepAlives: true,
		// It is this machine's own, and is told nothing.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.Address+"/readyz", nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	r.Listening = true
	r.Readiness = new(web.Readiness)
	if err := json.NewDecoder(io.LimitReader(answer.Body, 64<<10)).Decode(r.Readiness); err != nil {
		return fmt.Errorf("%s is something else than winworker: %w", r.Address, err)
	}
	r.Ready = r.Readiness.Ready
	return nil
}

func (r *Report) print(out io.Writer) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(out, "%-10s %s\n", name, fmt.Sprintf(format, args...))
	}
	if r.Registered {
		line("task", "%s, %s", Name, r.State)
		line("last run", "%s: %s", orNever(r.LastRun), r.LastResult)
	} else {
		line("task", "%s is not registered", Name)
	}
	if r.Installed != nil {
		line("program", "%s %s, for %s", r.Installed.Program, r.Installed.Version, r.Installed.User)
		line("processes", "%s", orNone(r.Processes))
		line("address", "%s%s", r.Address, map[bool]string{false: ", no answer"}[r.Listening])
		line("log", "%s", r.LogFile)
	}
	if r.Readiness != nil {
		line("ready", "%s", verdict(r.Readiness))
	}
	if r.Problem != "" {
		line("problem", "%s", r.Problem)
	}
}

func orNever(at string) string {
	if at == "" {
		return "never"
	}
	return at
}

func orNone(pids []int) string {
	if len(pids) == 0 {
		return "none"
	}
	return strings.Trim(fmt.Sprint(pids), "[]")
}

func verdict(r *web.Readiness) string {
	if !r.Ready {
		return "no: " + strings.Join(r.Reasons, "; ")
	}
	if r.Slots != nil {
		return fmt.Sprintf("yes, %d of %d slots free", r.Slots.Free, r.Slots.Max)
	}
	return "yes"
}
