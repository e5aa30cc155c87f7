package driver

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/windows"
)

// temporary is where the folders are, by its short name if the long one has a space:
// IEDriver gives the path of its profile to Edge unquoted.
func temporary() string {
	long := os.TempDir()
	if !strings.Contains(long, " ") {
		return long
	}
	name, err := windows.UTF16PtrFromString(long)
	if err != nil {
		return long
	}
	short := make([]uint16, windows.MAX_PATH)
	if n, err := windows.GetShortPathName(name, &short[0], uint32(len(short))); err != nil || int(n) > len(short) {
		return long
	}
	return windows.UTF16ToString(short)
}

// openAlone opens a file so that nobody else can open or remove it meanwhile.
func openAlone(path string, disposition uint32) (windows.Handle, error) {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return 0, err
	}
	return windows.CreateFile(name, windows.GENERIC_WRITE, 0, nil, disposition, windows.FILE_ATTRIBUTE_NORMAL, 0)
}

// abandoned says whether nobody holds the folder's lock: then it can be removed.
func abandoned(folder string) bool {
	lock, err := openAlone(filepath.Join(folder, lockName), windows.OPEN_EXISTING)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) && unlocked(folder)
	}
	windows.CloseHandle(lock)
	return true
}

// removeAll is os.RemoveAll in calls that Wine 8 has too.
func removeAll(folder string) error {
	var paths []string
	filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			paths = append(paths, path)
		}
		return nil
	})
	var failed error
	for _, path := range slices.Backward(paths) {
		if err := os.Remove(path); err != nil {
			failed = err
		}
	}
	return failed
}
