package driver

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// ownProgram names the running program itself, even after an update has replaced its file.
func ownProgram() (string, error) { return "/proc/self/exe", nil }

// adoptOrphans makes every descendant whose parent dies a child of this process.
func adoptOrphans() { unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

// smallSharedMemory says whether Chromium would run out of /dev/shm and crash,
// as with the 64 MB of a container.
func smallSharedMemory() bool {
	var fs unix.Statfs_t
	return unix.Statfs("/dev/shm", &fs) != nil || fs.Bavail*uint64(fs.Bsize) < 1<<30
}

// family returns the living processes below root, in root's process group, or with
// folder in their arguments or environment; never this process itself. Measured with
// Chromium 156: crash handlers leave tree and group, renderers wipe their
// environment, the driver's arguments do not name the folder; together they are all.
func family(root int, folder string) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	self := os.Getpid()
	parents := map[int]int{}
	member := map[int]bool{root: true}
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == self {
			continue
		}
		state, parent, group := stat(pid)
		if state == 0 || state == 'Z' || state == 'X' {
			continue
		}
		parents[pid] = parent
		member[pid] = pid == root || group == root || names(pid, folder)
	}
	return descendants(member, parents)
}

// stat reads "pid (name) state parent group …"; a name may hold anything.
func stat(pid int) (state byte, parent, group int) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, 0
	}
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(fields) < 3 {
		return 0, 0, 0
	}
	parent, _ = strconv.Atoi(string(fields[1]))
	group, _ = strconv.Atoi(string(fields[2]))
	return fields[0][0], parent, group
}

func names(pid int, folder string) bool {
	for _, file := range []string{"cmdline", "environ"} {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/" + file)
		if err == nil && bytes.Contains(b, []byte(folder)) {
			return true
		}
	}
	return false
}
