package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLogFileRotates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "folder", "winworker.log")
	var fallback strings.Builder
	l, err := openLogFile(path, 20, &fallback)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 12 {
		fmt.Fprintf(l, "line %02d..\n", i) // two to a file
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"": "10 11", ".1": "08 09", ".2": "06 07", ".3": "04 05"} {
		text, err := os.ReadFile(path + name)
		numbers := strings.ReplaceAll(strings.TrimSpace(strings.NewReplacer("line ", "", "..", "").Replace(string(text))), "\n", " ")
		if err != nil || numbers != want {
			t.Errorf("%q has %q, %v", name, numbers, err)
		}
	}
	if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 4 || fallback.Len() > 0 {
		t.Errorf("%v, %s", entries, &fallback)
	}
	again, err := openLogFile(path, 20, &fallback)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	fmt.Fprint(again, "after a start")
	if text, _ := os.ReadFile(path + ".1"); string(text) != "line 10..\nline 11..\n" {
		t.Errorf("a start forgets how large the file is: %q", text)
	}
}

// The log goes on in the same file where it cannot be renamed, and on the
// fallback where there is no file.
func TestLogFileGoesOnWithoutRotation(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "folder")
	path := filepath.Join(folder, "log")
	if err := os.MkdirAll(path+".0/in the way", 0o700); err != nil {
		t.Fatal(err)
	}
	var fallback strings.Builder
	l, err := openLogFile(path, 10, &fallback)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for i := range 5 {
		fmt.Fprintf(l, "line %d..\n", i)
	}
	if text, _ := os.ReadFile(path); strings.Count(string(text), "line") != 5 {
		t.Errorf("%q", text)
	}
	_ = l.Close()
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if n, err := fmt.Fprint(l, "lost folder"); n != 11 || err != nil || fallback.String() != "lost folder" {
		t.Errorf("%d, %v, %q", n, err, &fallback)
	}
}
