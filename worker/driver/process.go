package driver

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
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
	gone   chan struct{}             // closed when no process and no file of it is left
	stop   func()                    // makes it end soon; may be called many times
	runs   func(program string) bool // whether a program of that file name runs in it; nil = it cannot tell
	output *tail                     // what the driver said last
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

var sweepOnce sync.Once

// Sweep ends and removes what programs of ours left that were killed, once in a
// process. The first session does it too.
func Sweep() { sweepOnce.Do(sweep) }

// sweep removes what is left where nobody was left to do it: on Unix when a process and
// its supervisors were killed together, on Windows whenever a process was killed.
//
// A profile (IEDriver-…) or library (IED….tmp) of a driver lies in its session's folder,
// because that is its temporary one; those in that of the user are somebody else's.
func sweep() {
	folders, _ := filepath.Glob(filepath.Join(temporary(), folderPrefix+"????????"))
	for _, folder := range folders {
		if abandoned(folder) {
			endStrays(folder)
			removeFolder(folder)
		}
	}
}

// unlocked says whether a folder without a lock is ours and can go: one whose owner
// died before it made the lock is empty, and older than that takes.
func unlocked(folder string) bool {
	info, err := os.Lstat(folder)
	if err != nil || !info.IsDir() || time.Since(info.ModTime()) < time.Minute {
		return false
	}
	content, err := os.ReadDir(folder)
	return err == nil && len(content) == 0
}

// removeFolder also bears with files that a process just killed still holds
// (Windows) or with one that is being written. The lock goes last: without it nobody
// would know what is left for ours.
func removeFolder(folder string) error {
	var err error
	for range 50 {
		content, _ := os.ReadDir(folder)
		err = nil
		for _, entry := range content {
			if entry.Name() != lockName {
				err = errors.Join(err, removeAll(filepath.Join(folder, entry.Name())))
			}
		}
		if err == nil {
			if err = removeAll(folder); err == nil {
				return nil
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

// descendants lists the members and all that descend from them.
func descendants(member map[int]bool, parents map[int]int) []int {
	var pids []int
	for pid := range parents {
		for p := pid; p > 1; p = parents[p] {
			if member[p] {
				pids = append(pids, pid)
				break
			}
		}
	}
	return pids
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
