// Package harness lets tests drive the built programs from outside: it builds
// and starts them, speaks to them as MCP clients, worker API clients and
// proxies do, and finds what they leave behind.
package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Binaries are the programs under test in a folder of their own.
type Binaries struct {
	folder      string
	Gateway     string
	Winworker   string
	CountDriver string
	Demo        string
}

// Build builds the programs. Remove removes them.
func Build() (*Binaries, error) {
	root, err := Root()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "e2e-bin-")
	if err != nil {
		return nil, err
	}
	b := &Binaries{
		folder:      folder,
		Gateway:     filepath.Join(folder, "gateway"),
		Winworker:   filepath.Join(folder, "winworker"),
		CountDriver: filepath.Join(folder, "countdriver"),
		Demo:        filepath.Join(folder, "demo"),
	}
	build := exec.Command("go", "build", "-o", folder+string(filepath.Separator), "./cmd/gateway", "./cmd/winworker", "./test/countdriver", "./test/demo")
	build.Dir = root
	if output, err := build.CombinedOutput(); err != nil {
		b.Remove()
		return nil, fmt.Errorf("go build: %w\n%s", err, output)
	}
	return b, nil
}

// Remove removes the programs.
func (b *Binaries) Remove() { os.RemoveAll(b.folder) }

// Root is the folder of the module.
func Root() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	return filepath.Dir(strings.TrimSpace(string(out))), nil
}
