package driver

import (
	"crypto/rand"
	"io/fs"
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

const (
	folderPrefix = "iemesh-"
	lockName     = "owner.lock" // held as long as someone will remove the folder
)

// newFolder names a folder that does not exist yet; strays are recognised by it.
func newFolder() string {
	return filepath.Join(temporary(), folderPrefix+strings.ToLower(rand.Text()[:8]))
}

// temporary is where the folders are. Their paths must be short, because Chromium puts a
// socket below them, whose path has about 100 bytes: under a temporary folder of 44
// Chromium exits at once (measured), and that of macOS has 49.
func temporary() string {
	if base := os.TempDir(); runtime.GOOS == "windows" || len(base) <= 30 {
		return base
	}
	return "/tmp"
}

var sweepOnce sync.Once

// sweep removes what is left where nobody was left to do it: on Unix when a process and
// its supervisors were killed together, on Windows whenever a process was killed.
func sweep() {
	folders, _ := filepath.Glob(filepath.Join(temporary(), folderPrefix+"*"))
	for _, folder := range folders {
		if abandoned(folder) {
			endStrays(folder)
			removeFolder(folder)
		}
	}
}

// old says that a folder without a lock is not just about to get it: it lost it in a
// removal that did not come to its end.
func old(info fs.FileInfo) bool { return time.Since(info.ModTime()) > time.Minute }

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
