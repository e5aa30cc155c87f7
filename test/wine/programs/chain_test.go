package programs

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"iemesh/test/harness"
	"iemesh/worker/legacyapp"
)

// chromedriver starts a chromedriver on Linux for the length of a test and
// returns its URL. Its browsers are its own, and end with it.
func chromedriver(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("chromedriver")
	if err != nil {
		t.Fatal(err)
	}
	address, err := harness.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(address)
	p, err := harness.Start(path, []string{"--port=" + port, "--log-level=SEVERE"})
	if err != nil {
		t.Fatal(err)
	}
	url := "http://127.0.0.1:" + port
	t.Cleanup(func() {
		closeSessions(t, url)
		for _, left := range p.Stop() {
			if !strings.Contains(left, "org.chromium.") { // which Chromium leaves wherever it is not our worker that starts it
				t.Errorf("chromedriver left behind: %s", left)
			}
		}
	})
	if !harness.Until(startWithin, func() bool {
		status, _, err := harness.Get(http.DefaultClient, url+"/status")
		return err == nil && status == http.StatusOK
	}) {
		t.Fatalf("chromedriver does not answer: %q", p.Lines())
	}
	return url
}

// closeSessions closes those whose driver died.
func closeSessions(t *testing.T, chromedriver string) {
	t.Helper()
	_, body, err := harness.Get(http.DefaultClient, chromedriver+"/sessions")
	var sessions struct{ Value []struct{ ID string } }
	if err != nil || json.Unmarshal([]byte(body), &sessions) != nil {
		t.Errorf("chromedriver's sessions: %v %s", err, body)
	}
	for _, session := range sessions.Value {
		request, err := http.NewRequest(http.MethodDelete, chromedriver+"/session/"+session.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			response.Body.Close()
		}
	}
}

// emulator configures the emulator, and tells the arguments with which
// winworker.exe drives it and a stand-in for Edge.
func (m *machine) emulator(t *testing.T, chromedriver string) []string {
	t.Helper()
	settings, err := json.Marshal(map[string]string{"chromedriverUrl": chromedriver})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(filepath.Dir(m.driver), "iedriversim.json")
	if err := os.WriteFile(file, settings, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(file) })
	return []string{"--engine", "ie", "--driver-path", m.Path(m.driver), "--edge-path", m.Path(m.edge)}
}

// The whole way: an agent and a gateway on Linux, winworker.exe and the driver
// as 32-bit programs of Windows, a browser on Linux in the place of IE mode.
func TestExample(t *testing.T) {
	m := windows32
	binaries, err := harness.Build()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(binaries.Remove)
	site := httptest.NewServer(legacyapp.New())
	t.Cleanup(site.Close)

	worker := m.serving(t, m.emulator(t, chromedriver(t))...)
	gateway := harness.Serving(t, binaries.Gateway, nil, "--worker", worker.Base)
	client := harness.Connected(t, gateway.MCP("", nil), harness.Modern)
	harness.Example(t, client, "ie", site.URL)
	if len(m.Running("msedge.exe")) != 1 || len(m.Running("IEDriverServer.exe")) != 1 {
		t.Errorf("running: %v", m.Processes())
	}
	harness.Do(t, client, "browser_close", nil)
	m.close(t, worker.Program, "winworker.exe")
	m.clean(t)
}
