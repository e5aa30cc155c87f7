package deploy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// systemd's own check of the unit, and of how little it lets the service do.
func TestSystemdAcceptsTheUnit(t *testing.T) {
	text, err := os.ReadFile(unitPath)
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable() // verify wants a program that exists
	if err != nil {
		t.Fatal(err)
	}
	unit := filepath.Join(t.TempDir(), filepath.Base(unitPath))
	if err := os.WriteFile(unit, []byte(strings.Replace(string(text), "/usr/local/bin/gateway", program, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"verify", "--man=no", unit},
		{"security", "--offline=yes", "--threshold=20", unit}, // tenths: at most 2.0, "OK"
	} {
		if out, err := exec.Command("systemd-analyze", args...).CombinedOutput(); err != nil {
			t.Errorf("systemd-analyze %s: %v\n%s", args[0], err, out)
		}
	}
}
