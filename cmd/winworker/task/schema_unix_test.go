//go:build !windows

package task

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The schema is ours, written from [MS-TSCH]. It must also refuse what the Task
// Scheduler would.
func TestDefinitionIsValid(t *testing.T) {
	good := example(t)
	for name, c := range map[string]struct {
		old, new string
		valid    bool
	}{
		"as it is":             {valid: true},
		"an unknown element":   {"<Hidden>false</Hidden>", "<Headless>false</Headless>", false},
		"a wrong value":        {">InteractiveToken<", ">Interactive<", false},
		"too often":            {"<Interval>PT1M<", "<Interval>PT5S<", false},
		"no Enabled":           {"<Enabled>true</Enabled>\r\n      <Repetition>", "<Repetition>", true},
		"the user comes first": {"<LogonTrigger>", "<LogonTrigger><UserId>alice</UserId>", false},
		"no such principal":    {`Context="Author"`, `Context="Somebody"`, false},
		"another version":      {`version="1.2"`, `version="2.0"`, false},
	} {
		if c.old != "" && !strings.Contains(good, c.old) {
			t.Errorf("%s: %q is not there", name, c.old)
		}
		file := filepath.Join(folder(t), "task.xml")
		if err := os.WriteFile(file, littleEndian(strings.Replace(good, c.old, c.new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("xmllint", "--nonet", "--noout", "--schema", "testdata/task.xsd", file).CombinedOutput()
		if (err == nil) != c.valid {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
