package programs

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"iemesh/api"
	"iemesh/test/harness"
)

// endWithin is how long a program may take to end in order, under Wine.
const endWithin = 30 * time.Second

// close asks a program to close, as Windows and taskkill do. There is one of its name.
func (m *machine) close(t *testing.T, p *harness.Program, name string) {
	t.Helper()
	if output, err := m.Command(t.Context(), "taskkill", "/IM", name).CombinedOutput(); err != nil {
		t.Errorf("taskkill: %v %s", err, output)
	}
	if code, ended := p.Ended(endWithin); !ended || code != 0 {
		t.Errorf("%s: ended: %t, exit code %d", name, ended, code)
	}
}

// serving starts winworker.exe and waits until it answers.
func (m *machine) serving(t *testing.T, args ...string) *harness.Server {
	t.Helper()
	address, err := harness.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	p := m.launched(t, m.winworker, append([]string{"--listen", address}, args...))
	s := &harness.Server{Program: p, Address: address, Base: "http://" + address, Client: http.DefaultClient}
	if !harness.Until(startWithin, func() bool {
		status, _, err := harness.Get(s.Client, s.Base+"/healthz")
		return err == nil && status == http.StatusOK
	}) {
		t.Fatalf("no answer: %q", p.Lines())
	}
	return s
}

// startWithin is how long Wine may take until a program serves.
const startWithin = time.Minute

func TestWinworkerWithoutADriver(t *testing.T) {
	m := windows64
	s := m.serving(t)
	if status, body, err := harness.Get(s.Client, s.Base+"/readyz"); err != nil || status != http.StatusServiceUnavailable || !strings.Contains(body, "IEDriverServer") {
		t.Errorf("/readyz: %d %s %v", status, body, err)
	}
	open := harness.Operations{Server: s}.Put(t, api.NewID(), harness.Args{"operation": "session_create", "timeoutMs": 20_000})
	if open.Error.Code != "BROWSER_ERROR" || !strings.Contains(open.Error.Message, "IEDriverServer") {
		t.Errorf("session_create: %d %s", open.Status, open.Body)
	}
	m.close(t, s.Program, "winworker.exe")
	m.clean(t)
}

func TestGatewayOverStdio(t *testing.T) {
	m := windows64
	p := m.launched(t, m.gateway, []string{"--stdio"})
	client := harness.Connected(t, p.Stdio(), harness.Legacy)
	tools, err := client.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 15 {
		t.Errorf("tools: %v %v", tools, err)
	}
	failure := harness.Refused(t, client, "browser_start", nil, "INTERNAL_ERROR")
	if message, _ := failure["message"].(string); !strings.Contains(message, "IEDriverServer") {
		t.Errorf("browser_start: %v", failure)
	}
	harness.Refused(t, client, "inspect_page", nil, "BROWSER_NOT_STARTED")
	p.Stdin.Close()
	if code, ended := p.Ended(endWithin); !ended || code != 0 {
		t.Errorf("after the end of its input: ended: %t, exit code %d", ended, code)
	}
	// Not a byte but lines of JSON-RPC, ended as on every system.
	written := p.Written()
	if !strings.HasSuffix(written, "\n") || strings.Contains(written, "\r") {
		t.Errorf("written: %q", written)
	}
	for line := range strings.Lines(written) {
		var message struct{ JSONRPC string }
		if json.Unmarshal([]byte(line), &message) != nil || message.JSONRPC != "2.0" {
			t.Errorf("on standard output: %q", line)
		}
	}
	if log := p.Log(); len(log) != len(p.Lines()) || len(log) == 0 || log[0]["event"] != "started" || log[0]["transport"] != "stdio" {
		t.Errorf("the log: %q", p.Lines())
	}
	m.clean(t)
}

// A bad setting stops the start with exit code 2 and is named as it was given.
func TestBadSettings(t *testing.T) {
	m := windows64
	for name, c := range map[string]struct {
		program string
		args    []string
		env     string
	}{
		"--listen":          {m.winworker, []string{"--listen", "0.0.0.0:0"}, ""},
		"IE_MCP_TIMEOUT_MS": {m.gateway, []string{"--stdio"}, "IE_MCP_TIMEOUT_MS=soon"},
	} {
		p := m.launched(t, c.program, c.args, c.env)
		if code, ended := p.Ended(startWithin); !ended || code != 2 || !strings.Contains(strings.Join(p.Lines(), "\n"), name) {
			t.Errorf("%s %s: ended: %t, exit code %d, %q", filepath.Base(c.program), name, ended, code, p.Lines())
		}
	}
	m.clean(t)
}
