package config

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

const (
	maxLogFile = 10 << 20 // bytes, after which a new file is begun
	oldLogs    = 3        // files that are kept beside it
)

// LogFile appends to a file of bounded size. Rotation never stops the log: where
// the file cannot be renamed, it grows on until the next attempt.
type LogFile struct {
	mu       sync.Mutex
	path     string
	limit    int64
	file     *os.File // nil while it cannot be opened
	written  int64    // since the last attempt to rotate
	fallback io.Writer
}

// OpenLogFile opens or makes the file, and its folder. What cannot be written
// goes to fallback. The caller closes it.
func OpenLogFile(path string, fallback io.Writer) (*LogFile, error) {
	return openLogFile(path, maxLogFile, fallback)
}

func openLogFile(path string, limit int64, fallback io.Writer) (*LogFile, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	l := &LogFile{path: path, limit: limit, fallback: fallback}
	return l, l.open()
}

func (l *LogFile) open() error {
	file, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return err
	}
	l.file, l.written = file, info.Size()
	return nil
}

func (l *LogFile) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.written > 0 && l.written+int64(len(b)) > l.limit {
		l.rotate()
	}
	if l.file == nil && l.open() != nil {
		return l.fallback.Write(b)
	}
	n, err := l.file.Write(b)
	l.written += int64(n)
	if err != nil {
		return l.fallback.Write(b)
	}
	return n, nil
}

func (l *LogFile) rotate() {
	if l.file != nil {
		_ = l.file.Close() // Windows renames no open files
		l.file = nil
	}
	// The newest goes aside first: if that fails, the older ones stay what they are.
	err := os.Rename(l.path, l.old(0))
	for i := oldLogs; err == nil && i > 0; i-- {
		_ = os.Rename(l.old(i-1), l.old(i)) // there may be fewer
	}
	if l.open() == nil && err != nil {
		l.written = 0
	}
}

func (l *LogFile) old(i int) string { return fmt.Sprintf("%s.%d", l.path, i) }

// Close closes the file.
func (l *LogFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}
