package driver

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// parts are the processes of a session.
type parts struct{ supervisor, driver, browser int }

func partsOf(t *testing.T, s *Session) (p parts) {
	t.Helper()
	mark := fmt.Appendf(nil, "--port=%d\x00", s.port)
	for _, pid := range processes(t) {
		if bytes.Contains(arguments(pid), mark) {
			p.driver = pid
			_, p.supervisor, _ = stat(pid)
		}
	}
	for _, pid := range processes(t) {
		if _, parent, _ := stat(pid); parent == p.driver && bytes.Contains(arguments(pid), []byte("--user-data-dir=")) {
			p.browser = pid
		}
	}
	if p.supervisor == 0 || p.browser == 0 {
		t.Fatalf("not all found: %+v", p)
	}
	return p
}

func processes(t *testing.T) (pids []int) {
	entries, err := os.ReadDir("/proc")
	must(t, err)
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func arguments(pid int) []byte {
	b, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	return b
}

// allDead waits until none of the processes lives, whatever they are called by then.
func allDead(t *testing.T, pids []int) {
	t.Helper()
	eventually(t, 10*time.Second, "all processes dead", func() bool {
		for _, pid := range pids {
			if state, _, _ := stat(pid); state != 0 && state != 'Z' && state != 'X' {
				return false
			}
		}
		return true
	})
}

func TestKilledPartLosesTheSessionAndLeavesNothing(t *testing.T) {
	for _, c := range []struct {
		name string
		pick func(parts) int
	}{
		{"driver", func(p parts) int { return p.driver }},
		{"browser", func(p parts) int { return p.browser }},
		{"supervisor", func(p parts) int { return p.supervisor }},
	} {
		t.Run(c.name, func(t *testing.T) {
			url := site(t, nil)
			s := openOne(t)
			p := partsOf(t, s)
			members := family(p.supervisor, os.TempDir())
			answered := make(chan error, 1)
			go func() { answered <- s.Navigate(context.Background(), url+"/silent", 30*time.Second) }()
			eventually(t, 5*time.Second, "a command runs", func() bool { return len(s.slot) == 1 })
			must(t, syscall.Kill(c.pick(p), syscall.SIGKILL))
			killed := time.Now()
			select {
			case <-s.Lost():
			case <-time.After(5 * time.Second):
				t.Fatal("the loss went unnoticed")
			}
			wantKind(t, <-answered, Lost)
			t.Logf("noticed after %s: %v", time.Since(killed), s.Why())
			_, err := s.Window(within(t, time.Second))
			wantKind(t, err, Lost)
			s.Close()
			t.Logf("gone after %s", time.Since(killed))
			allDead(t, members)
		})
	}
}

// startParent starts a process that has one session open, and returns the processes below it.
func startParent(t *testing.T, folder string) (parent *exec.Cmd, members []int) {
	t.Helper()
	parent = exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), parentMark+"=1")
	out, err := parent.StdoutPipe()
	must(t, err)
	must(t, parent.Start())
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("parent says %q", line)
	}
	members = family(parent.Process.Pid, folder)
	if len(members) < 5 {
		t.Fatalf("only %d processes run", len(members))
	}
	return parent, members
}

func TestKilledParentLeavesNothing(t *testing.T) {
	parent, members := startParent(t, emptied(t))
	must(t, parent.Process.Kill())
	parent.Wait()
	allDead(t, members)
}

func TestSweepAfterAllWereKilledTogether(t *testing.T) {
	folder := emptied(t)
	parent, members := startParent(t, folder)
	sweep() // a session that lives is left alone
	must(t, parent.Process.Signal(syscall.SIGSTOP))
	for _, pid := range members {
		if _, above, _ := stat(pid); above == parent.Process.Pid {
			must(t, syscall.Kill(pid, syscall.SIGKILL))
		}
	}
	must(t, parent.Process.Kill())
	parent.Wait()
	if left := family(-1, folder); len(left) == 0 {
		t.Fatal("nothing to sweep")
	}
	eventually(t, 10*time.Second, "swept", func() bool { // the lock goes with the last of the killed, a moment later
		sweep()
		return len(family(-1, folder)) == 0
	})
	allDead(t, members)
}

// A sweep takes what nobody holds, and not what only has such a name.
func TestSweepTakesOnlyOurs(t *testing.T) {
	folder := testFolder(t)
	t.Setenv("TMPDIR", folder)
	for _, path := range []string{
		"iemesh-abandone/" + lockName, "iemesh-abandone/profile/state",
		"iemesh-12345678", "iemesh-nolock00/letter.txt", "iemesh-a-longer-name/" + lockName, "IEDriver-2/state",
	} {
		path = filepath.Join(folder, path)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, nil, 0o600))
	}
	must(t, os.Mkdir(filepath.Join(folder, "iemesh-emptyold"), 0o700))
	must(t, os.Mkdir(filepath.Join(folder, "iemesh-emptynew"), 0o700))
	for _, name := range []string{"iemesh-nolock00", "iemesh-emptyold"} {
		hourAgo := time.Now().Add(-time.Hour)
		must(t, os.Chtimes(filepath.Join(folder, name), hourAgo, hourAgo))
	}
	sweep()
	var left []string
	entries, err := os.ReadDir(folder)
	must(t, err)
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	if got := strings.Join(left, " "); got != "IEDriver-2 iemesh-12345678 iemesh-a-longer-name iemesh-emptynew iemesh-nolock00" {
		t.Errorf("left: %s", got)
	}
}

func TestSupervisorOutlivesTerminalSignals(t *testing.T) {
	s := openOne(t)
	p := partsOf(t, s)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		must(t, syscall.Kill(p.supervisor, sig))
	}
	if _, _, group := stat(p.driver); group != p.supervisor {
		t.Errorf("the driver is in process group %d: a terminal's Ctrl+C may reach it", group)
	}
	if got := eval(t, s, "return 1"); got != "1" {
		t.Errorf("got %s", got)
	}
}
