package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"iemesh/api"
)

// A doctor tells what is missing, in words and in JSON, and ends with 1.
func TestDoctorFindsADriverMissing(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none")
	for _, engine := range []string{"ie", "edge", "chromium"} {
		var stdout, stderr output
		args := []string{"doctor", "--json", "--listen", "127.0.0.1:0", "--engine", engine, "--driver-path", missing}
		if status := run(t.Context(), args, nil, &stdout, &stderr); status != 1 || stderr.String() != "" {
			t.Errorf("%s: %d, %s", engine, status, &stderr)
		}
		var out outcome
		if err := json.Unmarshal([]byte(stdout.String()), &out); err != nil {
			t.Fatal(err)
		}
		if out.Fit || out.Engine != engine || !strings.Contains(out.Verdict, "not fit (1 problem") && engine != "edge" {
			t.Errorf("%+v", out)
		}
		found := false
		for _, c := range out.Checks {
			found = found || c.ID == "driver.found" && c.State == api.CheckProblem && strings.Contains(c.Found, "was not found") && c.Remedy != ""
		}
		if !found {
			t.Errorf("%s: %+v", engine, out.Checks)
		}
	}
	var stdout, stderr output
	status := run(t.Context(), []string{"doctor", "--engine", "ie", "--driver-path", missing}, nil, &stdout, &stderr)
	if text := stdout.String(); status != 1 || !strings.Contains(text, "problem      driver.found") || !strings.Contains(text, "\n             > ") || !strings.Contains(text, ": not fit (") {
		t.Errorf("%d: %s", status, text)
	}
}

func TestDoctorRefusesWrongSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for args, name := range map[string]string{
		"doctor --undo /nonexistent":          "--undo",
		"doctor --self-test --report " + file: "--report",
		"doctor --max-sessions 0":             "--max-sessions",
		"doctor --fix --undo file":            "--fix",
		"doctor --listen 0.0.0.0:7311":        "--listen",
		"doctor --fix=perhaps --report":       "--fix",
	} {
		var stdout, stderr output
		if status := run(t.Context(), strings.Fields(args), nil, &stdout, &stderr); status != 2 || !strings.Contains(stderr.String(), name) || stdout.String() != "" {
			t.Errorf("%s: %d, %s", args, status, &stderr)
		}
	}
}
