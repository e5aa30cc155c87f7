package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A gateway that is told to end while its browser is open leaves nothing.
func TestSIGTERMLeavesNoBrowser(t *testing.T) {
	stderr := newOutput()
	program := exec.CommandContext(t.Context(), os.Args[0], "--stdio", "--engine", "chromium", "--headless", "true")
	program.Env = append(os.Environ(), asGateway+"=1", "TMPDIR="+t.TempDir())
	program.Stderr = stderr
	in, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	_, err = io.WriteString(in, initialize+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"browser_start","arguments":{}}}`+"\n")
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	answer := ""
	for !strings.Contains(answer, `"id":2`) {
		if answer, err = lines.ReadString('\n'); err != nil {
			t.Fatalf("%v, %s", err, stderr)
		}
	}
	if !strings.Contains(answer, `"status":"ready"`) {
		t.Fatalf("browser_start: %s", answer)
	}
	family := descendants(t, program.Process.Pid)
	if len(family) < 3 {
		t.Errorf("only %d processes belong to a session: %v", len(family), family)
	}

	start := time.Now()
	if err := program.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := program.Wait(); err != nil {
		t.Errorf("%v, %s", err, stderr)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("the end took %v", took)
	}
	limit := time.After(5 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for left := alive(family); len(left) > 0; left = alive(family) {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("left: %v", left)
		}
	}
	if strings.Contains(stderr.String(), "failed") {
		t.Errorf("log: %s", stderr)
	}
}

// process is one process for good: numbers are used again, with another start.
type process struct {
	pid   int
	start string
}

// stat reads parent and start of a process.
func stat(pid int) (parent int, start string, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, "", false
	}
	_, rest, _ := strings.Cut(string(text[strings.LastIndexByte(string(text), ')'):]), " ")
	fields := strings.Fields(rest) // from the state on
	if len(fields) < 20 || fields[0] == "Z" {
		return 0, "", false
	}
	_, err = fmt.Sscan(fields[1], &parent)
	return parent, fields[19], err == nil
}

func descendants(t *testing.T, root int) []process {
	t.Helper()
	folders, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	children := map[int][]process{}
	for _, folder := range folders {
		var pid int
		if _, err := fmt.Sscan(filepath.Base(folder), &pid); err != nil {
			continue
		}
		if parent, start, ok := stat(pid); ok {
			children[parent] = append(children[parent], process{pid, start})
		}
	}
	var found []process
	for next := []int{root}; len(next) > 0; next = next[1:] {
		for _, p := range children[next[0]] {
			found = append(found, p)
			next = append(next, p.pid)
		}
	}
	return found
}

func alive(list []process) (left []process) {
	for _, p := range list {
		if _, start, ok := stat(p.pid); ok && start == p.start {
			left = append(left, p)
		}
	}
	return left
}
