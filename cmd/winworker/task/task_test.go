package task

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"iemesh/cmd/config"
)

// machine stands in for Windows, whose programs are not here. It notes what was run.
type machine struct {
	account  Account
	elevated bool
	answers  map[string]string // by the beginning of the command line
	failing  []string          // likewise
	pids     []int
	ran      []string
}

func (m *machine) Account(name string) (Account, error) {
	if name != "" && name != m.account.Name {
		return Account{}, errors.New("unknown user")
	}
	return m.account, nil
}

func (m *machine) Elevated() bool { return m.elevated }

func (m *machine) Run(_ context.Context, program string, args ...string) (string, error) {
	line := program + " " + commandLine(args)
	m.ran = append(m.ran, line)
	for _, beginning := range m.failing {
		if strings.HasPrefix(line, beginning) {
			return "", errors.New(program + ": exit status 1: Access is denied.")
		}
	}
	for beginning, answer := range m.answers {
		if strings.HasPrefix(line, beginning) {
			return answer, nil
		}
	}
	return "", nil
}

// Processes come to their end one at each look, once the task was ended.
func (m *machine) Processes(string) ([]int, error) {
	list := m.pids
	if slices.ContainsFunc(m.ran, func(line string) bool { return strings.HasPrefix(line, "schtasks /End") }) && len(list) > 0 {
		m.pids = list[1:]
	}
	return list, nil
}

// folder is a temporary one. Wine 8 cannot remove those of testing.
func folder(t *testing.T) string {
	t.Helper()
	path, err := os.MkdirTemp("", "task")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := removeAll(path); err != nil {
			t.Error(err)
		}
	})
	return path
}

func newMachine(t *testing.T) *machine {
	return &machine{account: Account{`PC\alice`, filepath.Join(folder(t), "iemesh")}}
}

func (m *machine) install(t *testing.T, line string) (string, error) {
	t.Helper()
	cfg, request, err := config.ParseWinWorker(strings.Fields("install "+line), nil, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err = Install(t.Context(), m, cfg, request.Task, `C:\iemesh dir\winworker.exe`, &out)
	return out.String(), err
}

func TestInstallOnLoopback(t *testing.T) {
	m := newMachine(t)
	out, err := m.install(t, "--engine ie")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(m.account.Folder, "winworker.xml")
	want := []string{
		`schtasks /End /TN iemesh\winworker`,
		`schtasks /Create /TN iemesh\winworker /XML ` + file + ` /F`,
		`schtasks /Run /TN iemesh\winworker`,
	}
	if !slices.Equal(m.ran, want) {
		t.Errorf("ran %q", m.ran)
	}
	if !strings.Contains(out, `at the logon of PC\alice`) || strings.Contains(out, "firewall") {
		t.Errorf("said %s", out)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	log := "--log-file=" + filepath.Join(m.account.Folder, "winworker.log")
	if definition := text(t, b); !strings.Contains(definition, "<Arguments>--engine=ie "+log+"</Arguments>") {
		t.Errorf("the task is %s", definition)
	}
	r, err := ReadRecord(m.account.Folder)
	if err != nil || r.User != `PC\alice` || r.Version != config.Version || !slices.Equal(r.Arguments, []string{"--engine=ie", log}) || r.GatewayAddress != "" {
		t.Errorf("%+v, %v", r, err)
	}
}

// files makes files to name in flags and returns the flags of a listener that others reach.
func reachable(t *testing.T) string {
	t.Helper()
	at := folder(t)
	line := "--listen 192.0.2.10:7400 --gateway-address 192.0.2.5"
	for flag, name := range map[string]string{"--tls-cert": "cert.pem", "--tls-key": "key.pem", "--token-file": "tokens"} {
		path := filepath.Join(at, name)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		line += " " + flag + " " + path
	}
	return line
}

const (
	closed = "netsh advfirewall firewall delete rule name=iemesh-winworker"
	opened = "netsh advfirewall firewall add rule name=iemesh-winworker dir=in action=allow enable=yes profile=any " +
		`protocol=TCP localport=7400 remoteip=192.0.2.5 "program=C:\iemesh dir\winworker.exe"`
)

func TestInstallOpensTheFirewallForTheGatewayAlone(t *testing.T) {
	m := newMachine(t)
	m.elevated, m.failing = true, []string{closed, "schtasks /End"} // nothing of an earlier installation
	out, err := m.install(t, reachable(t))
	if err != nil {
		t.Fatal(err)
	}
	if len(m.ran) < 2 || m.ran[0] != closed || m.ran[1] != opened || !strings.Contains(out, "Opened the firewall for 192.0.2.5, TCP port 7400.") {
		t.Errorf("ran %q, said %s", m.ran, out)
	}

	m = newMachine(t)
	if out, err = m.install(t, reachable(t)); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(strings.Join(m.ran, " "), "netsh") || !strings.Contains(out, "  "+closed+"\n  "+opened+"\n") || !strings.Contains(out, "Registered") {
		t.Errorf("without rights: ran %q, said %s", m.ran, out)
	}
}

func TestInstallThatFails(t *testing.T) {
	m := newMachine(t)
	m.failing = []string{"schtasks /Create"}
	_, err := m.install(t, "")
	if err == nil || !strings.Contains(err.Error(), "Access is denied.") || !strings.Contains(err.Error(), `run as one: schtasks /Create /TN iemesh\winworker /XML`) {
		t.Errorf("no rights: %v", err)
	}
	m = newMachine(t)
	missing := filepath.Join(folder(t), "IEDriverServer.exe")
	_, err = m.install(t, "--driver-path "+missing)
	if fault, ok := errors.AsType[*config.Error](err); !ok || fault.Setting != "--driver-path" || len(m.ran) > 0 {
		t.Errorf("no driver: %v, ran %q", err, m.ran)
	}
	m = newMachine(t)
	if _, err = m.install(t, "--user bob"); err == nil || !strings.Contains(err.Error(), "bob") {
		t.Errorf("no user: %v", err)
	}
	m = newMachine(t)
	m.failing = []string{"schtasks /Run"}
	if out, err := m.install(t, ""); err != nil || !strings.Contains(out, "It will start at the next logon") {
		t.Errorf("user not logged on: %s, %v", out, err)
	}
}

func TestUninstall(t *testing.T) {
	m := newMachine(t)
	if _, err := m.install(t, reachable(t)); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(m.account.Folder, "winworker.log")
	if err := os.WriteFile(log, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	uninstall := func(purge bool) string {
		t.Helper()
		m.ran = nil
		var out strings.Builder
		if err := Uninstall(t.Context(), m, config.Task{Purge: purge}, &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	m.pids = []int{os.Getpid() + 1, os.Getpid() + 2}
	out := uninstall(false)
	if len(m.pids) > 0 {
		t.Errorf("%v still run", m.pids)
	}
	if !slices.Equal(m.ran, []string{`schtasks /Query /TN iemesh\winworker`, `schtasks /End /TN iemesh\winworker`, `schtasks /Delete /TN iemesh\winworker /F`}) {
		t.Errorf("ran %q", m.ran)
	}
	if !strings.Contains(out, "may still be open for 192.0.2.5") || !strings.Contains(out, closed) {
		t.Errorf("said %s", out)
	}
	if entries, _ := os.ReadDir(m.account.Folder); len(entries) != 1 || entries[0].Name() != "winworker.log" {
		t.Errorf("left %v", entries)
	}

	m.failing, m.elevated = []string{"schtasks /Query", "netsh"}, true
	if out = uninstall(false); !strings.Contains(out, "There is no task") || strings.Contains(out, "firewall") || len(m.ran) != 2 {
		t.Errorf("again: ran %q, said %s", m.ran, out)
	}
	for range 2 {
		uninstall(true)
	}
	if _, err := os.Stat(m.account.Folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("purged, but %v", err)
	}
}

func status(t *testing.T, m *machine) (*Report, string, error) {
	t.Helper()
	var out, words strings.Builder
	err := Status(t.Context(), m, config.Task{JSON: true}, 7, &out)
	_ = Status(t.Context(), m, config.Task{}, 7, &words)
	r := new(Report)
	if err := json.Unmarshal([]byte(out.String()), r); err != nil {
		t.Fatalf("%v: %s", err, &out)
	}
	return r, words.String(), err
}

func TestStatus(t *testing.T) {
	m := newMachine(t)
	m.answers = map[string]string{"powershell": "absent"}
	r, words, err := status(t, m)
	if err == nil || err.Error() != "winworker is not installed" || r.Registered || r.Ready || r.Problem != "" || !strings.Contains(words, "is not registered") {
		t.Errorf("nothing: %+v, %v\n%s", r, err, words)
	}

	ready := `{"ready":true,"slots":{"free":1,"max":1}}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			_, _ = io.WriteString(w, ready)
		}
	}))
	defer server.Close()
	if _, err := m.install(t, "--listen "+server.Listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	m.ran, m.pids, m.answers["powershell"] = nil, []int{7, 42}, "Running 267009 2026-11-30T09:15:00.0000000+09:00"
	r, words, err = status(t, m)
	if err != nil || !r.Ready || !r.Registered || !r.Listening || r.State != "Running" || r.LastResult != "0x41301 (is running)" ||
		r.LastRun != "2026-11-30T09:15:00.0000000+09:00" || !slices.Equal(r.Processes, []int{42}) || r.Address != server.URL ||
		r.LogFile != filepath.Join(m.account.Folder, "winworker.log") || r.Version != config.Version {
		t.Errorf("running: %+v, %v", r, err)
	}
	for _, want := range []string{`task       iemesh\winworker, Running`, "processes  42", "ready      yes, 1 of 1 slots free", "for PC\\alice"} {
		if !strings.Contains(words, want) {
			t.Errorf("no %q in\n%s", want, words)
		}
	}

	ready = `{"ready":false,"reasons":["the desktop is locked"]}`
	if r, words, err = status(t, m); err == nil || r.Ready || !r.Listening || !strings.Contains(words, "no: the desktop is locked") {
		t.Errorf("locked: %+v, %v\n%s", r, err, words)
	}
	server.Close()
	m.pids, m.answers["powershell"] = nil, "Ready -2147020576 1999-11-30T00:00:00.0000000"
	if r, words, err = status(t, m); err == nil || r.Listening || r.LastResult != "0x800710e0 (was not started: it runs already, or the user was not logged on)" || r.Problem == "" || !strings.Contains(words, "no answer") {
		t.Errorf("gone: %+v, %v\n%s", r, err, words)
	}
	m.answers["powershell"] = "Ready 267011 1999-11-30T00:00:00.0000000"
	if r, _, _ = status(t, m); r.LastRun != "" || r.LastResult != "0x41303 (has not run)" {
		t.Errorf("never ran: %+v", r)
	}
	m.failing = []string{"powershell"}
	if r, _, _ = status(t, m); r.Registered || !strings.Contains(r.Problem, "Access is denied.") {
		t.Errorf("cannot ask: %+v", r)
	}
}

// A certificate is for the gateway to judge, not for a look at one's own machine.
func TestStatusOverTLS(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"ready":true}`) }))
	defer server.Close()
	pem := filepath.Join(folder(t), "pem")
	if err := os.WriteFile(pem, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m := newMachine(t)
	m.answers = map[string]string{"powershell": "Ready 0 2026-11-30T09:15:00.0000000+09:00"}
	if _, err := m.install(t, "--tls-cert "+pem+" --tls-key "+pem+" --listen "+server.Listener.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if r, words, err := status(t, m); err != nil || !r.Ready || r.Address != server.URL || !strings.Contains(words, "ready      yes\n") {
		t.Errorf("%+v, %v\n%s", r, err, words)
	}
}
