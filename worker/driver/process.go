package driver

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// program is a driver to start, in a folder of its own.
type program struct {
	Folder string // absent yet; removed with everything in it at the end
	Path   string
	Args   []string
	Env    []string
}

// tree is a running driver and every process that descends from it.
type tree struct {
	gone   chan struct{} // closed when no process and no file of it is left
	stop   func()        // makes it end soon; may be called many times
	output *tail         // what the driver said last
}

// end ends the tree and returns when nothing of it is left.
func (t *tree) end() {
	t.stop()
	<-t.gone
}

const folderPrefix = "iemesh-"

// newFolder names a folder that does not exist yet. Strays are recognised by it, so
// it is unique; and it is short, because Chromium puts a socket below it, whose path
// has about 100 bytes: under a temporary folder of 44 it exits at once (measured), and
// that of macOS has 49.
func newFolder() string {
	base := os.TempDir()
	if runtime.GOOS != "windows" && len(base) > 30 {
		base = "/tmp"
	}
	return filepath.Join(base, folderPrefix+strings.ToLower(rand.Text()[:8]))
}

// removeFolder also bears with files that a process just killed still holds
// (Windows) or with one that is being written.
func removeFolder(folder string) error {
	var err error
	for range 50 {
		if err = removeAll(folder); err == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

// tail is a writer that keeps the last bytes.
type tail struct {
	mu   sync.Mutex
	last []byte
}

const tailSize = 2048

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, p[max(0, len(p)-tailSize):]...)
	t.last = t.last[max(0, len(t.last)-tailSize):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.last))
}
