package driver

import (
	"errors"
	"os"
	"path/filepath"
)

// PutFile writes a file below the session's own folder, which goes when the
// session ends, and returns its path. Name is a bare name; files of the same name
// do not meet.
func (s *Session) PutFile(name string, content []byte) (path string, err error) {
	if name == "" || name == "." || name != filepath.Base(name) || !filepath.IsLocal(name) {
		return "", errors.New("the name of a file is not a bare one")
	}
	// Without the session's folder this fails: nothing may be made after its end.
	folder, err := os.MkdirTemp(s.folder, "file")
	if err != nil {
		return "", err
	}
	path = filepath.Join(folder, name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return "", errors.Join(err, os.RemoveAll(folder))
	}
	return path, nil
}
