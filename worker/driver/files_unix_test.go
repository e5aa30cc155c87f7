//go:build linux || darwin

package driver

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPutFile(t *testing.T) {
	s := openOne(t)
	var paths []string
	for _, content := range []string{"one", "two"} {
		path, err := s.PutFile("請求書.pdf", []byte(content))
		must(t, err)
		if got, err := os.ReadFile(path); err != nil || string(got) != content || filepath.Base(path) != "請求書.pdf" {
			t.Errorf("%s holds %q: %v", path, got, err)
		}
		paths = append(paths, path)
	}
	if paths[0] == paths[1] {
		t.Error("two files of one name met")
	}
	for _, name := range []string{"", ".", "..", "../a", "a/b", "/etc/passwd"} {
		if path, err := s.PutFile(name, nil); err == nil {
			t.Errorf("%q was written to %s", name, path)
		}
	}
	s.Close()
	for _, path := range paths {
		if _, err := os.Lstat(path); !os.IsNotExist(err) {
			t.Errorf("after the end: %v", err)
		}
	}
	if _, err := s.PutFile("late", nil); err == nil {
		t.Error("a file was written after the end")
	}
}
