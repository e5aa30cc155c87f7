package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func winworker(t *testing.T, line string, env ...string) (*Common, Request, error) {
	t.Helper()
	return ParseWinWorker(strings.Fields(line), env, &strings.Builder{})
}

func TestTaskCommands(t *testing.T) {
	_, r, err := winworker(t, `install --user PC\alice --listen 192.0.2.10:7311 --gateway-address 192.0.2.5 --tls-cert c --tls-key k --token-file t`)
	if err != nil || r.Command != Install || r.Task.User != `PC\alice` || r.Task.GatewayAddress.String() != "192.0.2.5" {
		t.Errorf("%+v, %v", r, err)
	}
	if _, r, err = winworker(t, "uninstall --purge"); err != nil || r.Command != Uninstall || r.Task != (Task{Purge: true}) {
		t.Errorf("%+v, %v", r, err)
	}
	if _, r, err = winworker(t, "status --json", "IE_MCP_USER=bob"); err != nil || r.Command != Status || r.Task != (Task{JSON: true}) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestInstallNeedsTheGatewaysAddress(t *testing.T) {
	const reachable = " --listen 192.0.2.10:7311 --tls-cert c --tls-key k --token-file t"
	for line, want := range map[string]string{
		"install" + reachable:                                    "--gateway-address: is needed",
		"install --gateway-address 192.0.2.5":                    "--gateway-address: is of no use",
		"install --gateway-address 0.0.0.0" + reachable:          "--gateway-address: must be the address of one machine",
		"install --gateway-address legacy" + reachable:           "--gateway-address",
		"install --listen 192.0.2.10:7311 --gateway-address ::1": "needs TLS",
	} {
		if _, _, err := winworker(t, line); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// What was given, by flag or variable, is what the task passes on.
func TestArgsGiveTheSameSettings(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("beside.exe", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c, _, err := winworker(t, "install --engine=ie --driver-path beside.exe --edge-path msedge.exe --token-file sub/tokens",
		"IE_MCP_IDLE_TIMEOUT=5m", "IE_MCP_LOG_LEVEL=")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"--engine=ie", "--driver-path=" + filepath.Join(here, "beside.exe"), "--edge-path=msedge.exe", "--idle-timeout=5m0s",
		"--token-file=" + filepath.Join(here, "sub", "tokens")}
	if !slices.Equal(c.Args(), want) {
		t.Errorf("%q", c.Args())
	}
	again, _, err := ParseWinWorker(c.Args(), nil, &strings.Builder{})
	if err != nil || !slices.Equal(again.Args(), want) {
		t.Errorf("%q, %v", again.Args(), err)
	}
}
