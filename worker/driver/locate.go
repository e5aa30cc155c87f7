package driver

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Programs are what Open would start. Of IE mode the driver finds the browser
// itself, unless it is named.
type Programs struct{ Driver, Browser string }

// Locate finds the programs. With the NotInstalled error come those that were found.
func Locate(cfg Config) (Programs, error) {
	e, err := engineOf(cfg.Engine)
	if err != nil {
		return Programs{}, err
	}
	p, err := e.locate(cfg)
	return Programs{p.driver, p.browser}, err
}

// Folder is where the folders of sessions are.
func Folder() string { return temporary() }

// Version asks a driver, or outside Windows a browser, for its version: the
// first line that it prints when it is run with --version. It takes 15 s at most.
func Version(ctx context.Context, path string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	folder := newFolder()
	if err := os.Mkdir(folder, 0o700); err != nil {
		return "", err
	}
	defer removeFolder(folder) // IEDriverServer puts its library there first
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Dir, cmd.Env = folder, environment(folder)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	line = strings.TrimSpace(line)
	switch {
	case ctx.Err() != nil:
		return "", fmt.Errorf("--version did not end: %w", ctx.Err())
	case err != nil:
		return "", errors.Join(fmt.Errorf("--version ended with %w", err), said(line))
	}
	return line, nil
}

func said(line string) error {
	if line == "" {
		return nil
	}
	return errors.New(line)
}
