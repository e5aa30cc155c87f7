// Package programs drives gateway.exe and winworker.exe under Wine, as processes
// of their own: over pipes and sockets, with the emulator as IEDriverServer.exe
// and a Chromium on Linux behind it.
package programs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"iemesh/test/harness"
	"iemesh/test/wine"
)

// windows64 and windows32 are shared by the tests of their width; each test
// removes what it puts there. Set once by TestMain.
var windows64, windows32 *machine

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

func run(m *testing.M) (code int) {
	for _, w := range []struct {
		to   **machine
		bits wine.Bits
	}{{&windows64, wine.Bits64}, {&windows32, wine.Bits32}} {
		made, err := newMachine(w.bits)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer func() {
			for _, left := range made.Close() {
				fmt.Fprintln(os.Stderr, "left behind:", left)
				code = 1
			}
		}()
		*w.to = made
	}
	return m.Run()
}

// machine is a Windows with our programs.
type machine struct {
	*wine.Prefix
	gateway, winworker, driver, edge string
}

func newMachine(bits wine.Bits) (*machine, error) {
	p, err := wine.New(bits)
	if err != nil {
		return nil, err
	}
	m := &machine{Prefix: p}
	for _, program := range []struct {
		to           *string
		folder, name string
	}{
		{&m.gateway, "cmd/gateway", "gateway.exe"},
		{&m.winworker, "cmd/winworker", "winworker.exe"},
		{&m.driver, "worker/iedriversim", "IEDriverServer.exe"},
		{&m.edge, "test/wine/iedriver/edge", "msedge.exe"},
	} {
		if *program.to, err = p.Build(program.folder, program.name); err != nil {
			p.Close()
			return nil, err
		}
	}
	return m, nil
}

// names of the programs that a test may leave.
var names = []string{"gateway.exe", "winworker.exe", "IEDriverServer.exe", "msedge.exe"}

// clean waits until none of our programs runs and the temporary folder holds
// what it held, and tells what else there is.
func (m *machine) clean(t *testing.T, held ...string) {
	t.Helper()
	var left []string
	if !harness.Until(harness.GoneWithin, func() bool {
		left = slices.DeleteFunc(m.temporary(t), func(name string) bool { return slices.Contains(held, name) })
		for _, name := range names {
			for _, process := range m.Running(name) {
				left = append(left, process.String())
			}
		}
		return len(left) == 0
	}) {
		t.Errorf("left behind: %q", left)
	}
}

func (m *machine) temporary(t *testing.T) (names []string) {
	t.Helper()
	entries, err := filepath.Glob(filepath.Join(m.Temporary(), "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, filepath.Base(entry))
	}
	return names
}

// launched starts a program for the length of a test.
func (m *machine) launched(t *testing.T, program string, args []string, env ...string) *harness.Program {
	t.Helper()
	p, err := m.Launch(program, args, env...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			for _, line := range p.Lines() {
				t.Log(line)
			}
		}
		// Services that Windows started meanwhile may hold its output.
		if _, ended := p.Ended(2 * harness.GoneWithin); !ended {
			t.Errorf("%s has not ended", filepath.Base(program))
			p.Signal(os.Kill)
		}
		p.Clear()
	})
	return p
}
