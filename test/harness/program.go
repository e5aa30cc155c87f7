package harness

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

// GoneWithin is how long a program may take to disappear with all it started.
const GoneWithin = 10 * time.Second

// Program is a started program. Its working directory, which is also where it
// puts temporary files, is its own, so whatever it leaves can be told apart.
type Program struct {
	Folder string
	Pid    int
	Stdin  io.WriteCloser

	cmd    *exec.Cmd
	stdout io.ReadCloser
	ended  chan struct{} // closed when the program itself has exited

	mu      sync.Mutex
	written bytes.Buffer // all that was read from its standard output
	lines   []string     // of its standard error
}

// Start starts a program in the environment of the test, less our own
// variables, plus env.
func Start(path string, args []string, env ...string) (*Program, error) {
	folder, err := os.MkdirTemp("", "e2e-")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, args...)
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "IE_MCP_") {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	cmd.Env = append(cmd.Env, "TMPDIR="+folder)
	cmd.Env = append(cmd.Env, env...)
	p, err := Launch(cmd, folder)
	if err != nil {
		os.RemoveAll(folder)
	}
	return p, err
}

// Launch starts a program that works in a folder, which is empty and becomes its own.
func Launch(cmd *exec.Cmd, folder string) (*Program, error) {
	cmd.Dir = folder
	p := &Program{Folder: folder, cmd: cmd, ended: make(chan struct{})}
	if err := p.start(); err != nil {
		return nil, fmt.Errorf("%s: %w", cmd.Path, err)
	}
	return p, nil
}

func (p *Program) start() (err error) {
	// Pipes of our own: those of exec are closed at the exit, read or not.
	in, stdin, err := os.Pipe()
	if err != nil {
		return err
	}
	stdout, out, err := os.Pipe()
	if err != nil {
		return err
	}
	stderr, log, err := os.Pipe()
	if err != nil {
		return err
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = in, out, log
	err = p.cmd.Start()
	in.Close()
	out.Close()
	log.Close()
	if err != nil {
		stdin.Close()
		stdout.Close()
		stderr.Close()
		return err
	}
	p.Pid, p.Stdin, p.stdout = p.cmd.Process.Pid, stdin, stdout
	logged := make(chan struct{})
	go func() {
		defer close(logged)
		lines := bufio.NewScanner(stderr)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			p.mu.Lock()
			p.lines = append(p.lines, lines.Text())
			p.mu.Unlock()
		}
		stderr.Close()
	}()
	go func() {
		p.cmd.Wait()
		select {
		case <-logged: // all lines are there before the end is told
		case <-time.After(GoneWithin):
		}
		close(p.ended)
	}()
	return nil
}

// Read reads its standard output and remembers it. One reader at a time.
func (p *Program) Read(b []byte) (int, error) {
	n, err := p.stdout.Read(b)
	p.mu.Lock()
	p.written.Write(b[:n])
	p.mu.Unlock()
	return n, err
}

// Written is all that was read from its standard output so far.
func (p *Program) Written() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.written.String()
}

// Lines are the lines on its standard error so far.
func (p *Program) Lines() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.lines...)
}

// Log are the lines on its standard error that are JSON objects.
func (p *Program) Log() []map[string]any {
	var log []map[string]any
	for _, line := range p.Lines() {
		var entry map[string]any
		if json.Unmarshal([]byte(line), &entry) == nil {
			log = append(log, entry)
		}
	}
	return log
}

// Ended tells whether the program exits within d, and with which code (-1 after a signal).
func (p *Program) Ended(d time.Duration) (code int, ended bool) {
	limit := time.NewTimer(d)
	defer limit.Stop()
	select {
	case <-p.ended:
	case <-limit.C:
		select { // both at once
		case <-p.ended:
		default:
			return 0, false
		}
	}
	return p.cmd.ProcessState.ExitCode(), true
}

// Signal sends it a signal.
func (p *Program) Signal(signal os.Signal) { p.cmd.Process.Signal(signal) }

// Left waits until nothing of the program is left, at most [GoneWithin] long,
// and returns what is: processes, files, listeners on ports.
func (p *Program) Left(ports ...string) []string {
	var left []string
	Until(GoneWithin, func() bool {
		left = left[:0]
		for _, process := range Processes(p.Folder) {
			left = append(left, "process "+process.String())
		}
		entries, err := os.ReadDir(p.Folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // cleared before
			left = append(left, err.Error())
		}
		for _, entry := range entries {
			left = append(left, "file "+entry.Name())
		}
		for _, port := range ports {
			if conn, err := net.DialTimeout("tcp", port, time.Second); err == nil {
				conn.Close()
				left = append(left, "listener on "+port)
			}
		}
		return len(left) == 0
	})
	return left
}

// Stop ends the program in order (SIGTERM), by force if it takes longer than
// [GoneWithin], and returns what it left behind, itself included.
func (p *Program) Stop(ports ...string) []string {
	p.Signal(syscall.SIGTERM)
	p.Stdin.Close()
	if _, ended := p.Ended(GoneWithin); !ended {
		p.Signal(os.Kill)
		<-p.ended
		return append([]string{"the program itself, after SIGTERM"}, p.Clear(ports...)...)
	}
	return p.Clear(ports...)
}

// Clear removes all that the ended program left, and returns what that was.
func (p *Program) Clear(ports ...string) []string {
	left := p.Left(ports...)
	for _, process := range Processes(p.Folder) {
		process.Kill()
	}
	p.stdout.Close()
	os.RemoveAll(p.Folder)
	return left
}

// Until looks at a condition every few milliseconds until it holds, at most d
// long, and tells whether it does.
func Until(d time.Duration, holds func() bool) bool {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(d); ; <-tick.C {
		if holds() {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
	}
}
