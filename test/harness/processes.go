package harness

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Process is a living process.
type Process struct {
	Pid     int
	Parent  int
	Command []string
}

func (p Process) String() string { return fmt.Sprint(p.Pid, " ", strings.Join(p.Command, " ")) }

// Is tells whether the process runs a program of that name.
func (p Process) Is(program string) bool {
	return len(p.Command) > 0 && filepath.Base(p.Command[0]) == program
}

// Has tells whether an argument of the process begins with prefix.
func (p Process) Has(prefix string) bool {
	for _, argument := range p.Command {
		if strings.HasPrefix(argument, prefix) {
			return true
		}
	}
	return false
}

// Kill ends it at once.
func (p Process) Kill() {
	if process, err := os.FindProcess(p.Pid); err == nil {
		process.Kill()
	}
}

// Processes are those that have folder in their arguments or environment, or
// work in it. It reads /proc, so it knows Linux only.
func Processes(folder string) []Process {
	var found []Process
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		place := "/proc/" + entry.Name() + "/"
		command, _ := os.ReadFile(place + "cmdline")
		environment, _ := os.ReadFile(place + "environ")
		cwd, _ := os.Readlink(place + "cwd")
		if bytes.Contains(command, []byte(folder)) || bytes.Contains(environment, []byte(folder)) ||
			cwd == folder || strings.HasPrefix(cwd, folder+"/") {
			found = append(found, Process{
				Pid:     pid,
				Parent:  parent(place),
				Command: strings.Split(strings.TrimRight(string(command), "\x00"), "\x00"),
			})
		}
	}
	return found
}

// parent reads "pid (name) state parent …"; a name may hold anything.
func parent(place string) int {
	stat, _ := os.ReadFile(place + "stat")
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	pid, _ := strconv.Atoi(string(fields[1]))
	return pid
}
