package driver

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is sent changes nothing of the Windows user's: a proxy would be that of the
// whole system, and stay when the driver is killed.
func TestIEDriverIsAskedForNoProxy(t *testing.T) {
	l := ie{}.launch(Config{}, Programs{Driver: "IEDriverServer.exe"}, "folder", 5555)
	sent, err := json.Marshal(l.capabilities)
	if err != nil || strings.Contains(strings.ToLower(string(sent)), "proxy") || strings.Contains(string(sent), "ensureCleanSession") {
		t.Errorf("%s, %v", sent, err)
	}
}

func TestUnfitDriversAreRefused(t *testing.T) {
	path := filepath.Join(testFolder(t), "IEDriverServer.exe")
	check := func(machine uint16, version [4]uint16, oldest string) error {
		if err := os.WriteFile(path, executable(t, machine, version), 0o700); err != nil {
			t.Fatal(err)
		}
		return Check(Config{Engine: "ie", DriverPath: path, OldestDriver: oldest})
	}
	const x86, x64 = 0x14c, 0x8664
	for _, c := range []struct {
		machine uint16
		version [4]uint16
		oldest  string
		want    string
	}{
		{x86, [4]uint16{4, 14}, "", ""},
		{x86, [4]uint16{}, "", ""},
		{x86, [4]uint16{4, 0}, "4.0", ""},
		{x86, [4]uint16{4, 0}, "", "version 4.0.0.0"},
		{x64, [4]uint16{4, 14}, "", "64-bit"},
	} {
		err := check(c.machine, c.version, c.oldest)
		if c.want == "" && err == nil {
			continue
		}
		if KindOf(err) != NotInstalled || c.want == "" || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// A file may not tell its version; the driver does.
func TestDriverTellsItsVersion(t *testing.T) {
	for version, want := range map[string]string{
		"4.14.0.0 (32-bit)": "", "4.14.0.0": "", "": "",
		"4.6.0.0 (32-bit)": "version 4.6.0.0", "4.14.0.0 (64-bit)": "64-bit",
	} {
		status, err := json.Marshal(map[string]any{"value": map[string]any{"ready": true, "build": map[string]string{"version": version}}})
		if err != nil {
			t.Fatal(err)
		}
		got := judge(status, OldestIEDriver)
		if (got != nil) != (want != "") || got != nil && (KindOf(got) != NotInstalled || !strings.Contains(got.Error(), want)) {
			t.Errorf("%q: %v", version, got)
		}
	}
	if err := judge([]byte("<html>"), OldestIEDriver); err != nil {
		t.Error(err)
	}
}
