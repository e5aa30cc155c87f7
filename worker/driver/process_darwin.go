package driver

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
)

func ownProgram() (string, error) { return os.Executable() }

// adoptOrphans has no counterpart on macOS: family finds orphans by the folder in their arguments.
func adoptOrphans() {}

func smallSharedMemory() bool { return false }

// family returns the living processes below root, in root's process group, or with
// folder in their arguments; never this process itself.
func family(root int, folder string) []int {
	list, err := exec.Command("/bin/ps", "-axww", "-o", "pid=,ppid=,pgid=,stat=,command=").Output()
	if err != nil {
		return nil
	}
	self := os.Getpid()
	parents := map[int]int{}
	member := map[int]bool{root: true}
	for line := range strings.Lines(string(list)) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			continue
		}
		pid, _ := strconv.Atoi(fields[0])
		parent, _ := strconv.Atoi(fields[1])
		group, _ := strconv.Atoi(fields[2])
		if pid == self || parent == self && strings.HasPrefix(fields[4], "/bin/ps") || strings.HasPrefix(fields[3], "Z") {
			continue
		}
		parents[pid] = parent
		member[pid] = pid == root || group == root || strings.Contains(line, folder)
	}
	return descendants(member, parents)
}
