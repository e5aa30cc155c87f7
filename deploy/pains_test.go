package deploy_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const pains = 25

// Every pain is in the table, and every test that it names is in the repository.
func TestPainsAreAnswered(t *testing.T) {
	text, err := os.ReadFile("windows/README.md")
	if err != nil {
		t.Fatal(err)
	}
	known := tests(t)
	name := regexp.MustCompile("`(Test[A-Za-z0-9]+)`")
	row := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		number, err := strconv.Atoi(strings.TrimSpace(cells[0]))
		if err != nil {
			continue
		}
		if row++; number != row || len(cells) != 4 {
			t.Errorf("row %d is %s", row, line)
			continue
		}
		for _, cell := range cells[1:] {
			if len(strings.TrimSpace(cell)) < 12 {
				t.Errorf("row %d has %q", row, cell)
			}
		}
		named := name.FindAllStringSubmatch(cells[3], -1)
		if len(named) == 0 && !strings.Contains(cells[3], "eeds a Windows VM") {
			t.Errorf("row %d names neither a test nor what it needs", row)
		}
		for _, match := range named {
			if !known[match[1]] {
				t.Errorf("row %d: there is no test %s", row, match[1])
			}
		}
	}
	if row != pains {
		t.Errorf("%d rows, want %d", row, pains)
	}
}

// tests are the names of all tests of the repository.
func tests(t *testing.T) map[string]bool {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	names := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && (entry.Name() == "node_modules" || entry.Name() == ".git" || entry.Name() == ".cache") {
			return fs.SkipDir
		}
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, match := range declared.FindAllStringSubmatch(string(text), -1) {
			names[match[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
