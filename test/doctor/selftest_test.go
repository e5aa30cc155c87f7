// Package doctor holds the tests of winworker doctor as a program, with real browsers.
package doctor

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"iemesh/test/harness"
	"iemesh/worker/doctor"
)

// TestSelfTest takes Chromium, and the look-alike of IEDriverServer, through the
// doctor's page, and reads the reports.
func TestSelfTest(t *testing.T) {
	root, err := harness.Root()
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin, "./cmd/winworker", "./worker/iedriversim")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	driver := filepath.Join(bin, "IEDriverServer")
	if err := os.Symlink(filepath.Join(bin, "iedriversim"), driver); err != nil {
		t.Fatal(err)
	}
	for engine, args := range map[string][]string{"chromium": nil, "ie": {"--driver-path", driver}} {
		t.Run(engine, func(t *testing.T) {
			report := filepath.Join(t.TempDir(), "report")
			args := append(args, "doctor", "--json", "--self-test", "--report", report, "--engine", engine, "--listen", "127.0.0.1:0")
			p, err := harness.Start(filepath.Join(bin, "winworker"), args)
			if err != nil {
				t.Fatal(err)
			}
			stdout, err := io.ReadAll(p)
			if err != nil {
				t.Fatal(err)
			}
			code, ended := p.Ended(harness.GoneWithin)
			if left := p.Clear(); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
			var out struct {
				Fit        bool
				SelfTest   doctor.SelfTest
				ReportFile string
			}
			if err := json.Unmarshal(stdout, &out); err != nil {
				t.Fatalf("%v: %s %q", err, stdout, p.Lines())
			}
			if !ended || code != 0 || !out.Fit || !out.SelfTest.Passed || out.SelfTest.BrowserVersion == "" {
				t.Errorf("exit %d: %s", code, stdout)
			}
			var names []string
			for _, s := range out.SelfTest.Steps {
				names = append(names, s.Name)
				if s.State != doctor.StepOK || s.Error != "" {
					t.Errorf("%+v", s)
				}
			}
			if got := strings.Join(names, " "); got != "start navigate inspect type select click confirm popup frameset screenshot quit" {
				t.Errorf("steps: %s", got)
			}
			read(t, report, out.ReportFile)
		})
	}
}

// read checks the two files of a report.
func read(t *testing.T, folder, page string) {
	t.Helper()
	html, err := os.ReadFile(filepath.Join(folder, "report.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"fit</span>", "passed</span>", "山田太郎 / 東京支店", `<img alt="" src="data:image/png;base64,iVBOR`, "temp.folder"} {
		if !strings.Contains(string(html), part) {
			t.Errorf("report.html lacks %s", part)
		}
	}
	if page != filepath.Join(folder, "report.html") || strings.Contains(string(html), "ZgotmplZ") {
		t.Errorf("the page is %s", page)
	}
	text, err := os.ReadFile(filepath.Join(folder, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var document doctor.Document
	if err := json.Unmarshal(text, &document); err != nil || document.Made.IsZero() || !document.Report.Fit || !document.SelfTest.Passed || len(document.Report.Checks) == 0 {
		t.Errorf("%v: %s", err, text)
	}
	if home, err := os.UserHomeDir(); err == nil && len(home) > 2 && strings.Contains(string(text)+string(html), home) {
		t.Error("the report names the home folder")
	}
}
