// Package task keeps winworker running on the desktop of a logged-on user of
// Windows: as a scheduled task, never as a service, whose session 0 has no
// desktop.
package task

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"iemesh/cmd/config"
)

// Files in the folder of an account.
const (
	definitionFile = "winworker.xml" // what schtasks was given
	recordFile     = "winworker.json"
	logFile        = "winworker.log"
)

// rule is the name of the firewall's rule.
const rule = "iemesh-winworker"

// Record is what Install keeps about an installation.
type Record struct {
	User           string   `json:"user"`
	Program        string   `json:"program"`
	Arguments      []string `json:"arguments"`
	GatewayAddress string   `json:"gatewayAddress,omitempty"`
	Version        string   `json:"version"`
}

// Install registers the task that runs program, a winworker of this version,
// with the settings of cfg, lets the gateway through the firewall and starts the
// task. What it did and what is left to do goes to out. It can be repeated.
func Install(ctx context.Context, m Machine, cfg *config.Common, what config.Task, program string, out io.Writer) error {
	account, err := m.Account(what.User)
	if err != nil {
		return fmt.Errorf("user %q: %w", what.User, err)
	}
	args := cfg.Args()
	if err := present(cfg, args); err != nil {
		return err
	}
	if !cfg.Given("log-file") {
		args = append(args, "--log-file="+filepath.Join(account.Folder, logFile))
	}
	record := Record{User: account.Name, Program: program, Arguments: args, Version: config.Version}
	if what.GatewayAddress.IsValid() {
		record.GatewayAddress = what.GatewayAddress.String()
	}
	file, err := record.write(account.Folder)
	if err != nil {
		return err
	}

	if err := openFirewall(ctx, m, cfg.Listen, record, out); err != nil {
		return err
	}
	register := []string{"/Create", "/TN", Name, "/XML", file, "/F"}
	end(ctx, m, program) // of an earlier installation
	if _, err := m.Run(ctx, "schtasks", register...); err != nil {
		return fmt.Errorf("%w; if that needs an administrator, run as one: schtasks %s", err, commandLine(register))
	}
	fmt.Fprintf(out, "Registered the task %s: it runs %s at the logon of %s, and again whenever it ended.\n", Name, program, account.Name)
	if _, err := m.Run(ctx, "schtasks", "/Run", "/TN", Name); err != nil {
		fmt.Fprintf(out, "It will start at the next logon; now it did not: %v\n", err)
	}
	fmt.Fprintln(out, "See how it is with: winworker status")
	return nil
}

// endTime is how long an ended winworker may take to be gone.
const endTime = 10 * time.Second

// end ends the task, if it runs, and waits until its program can be replaced and
// its port taken.
func end(ctx context.Context, m Machine, program string) {
	if _, err := m.Run(ctx, "schtasks", "/End", "/TN", Name); err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	self := os.Getpid()
	for {
		list, err := m.Processes(program)
		if err != nil || !slices.ContainsFunc(list, func(pid int) bool { return pid != self }) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// present looks for the files that the settings name, before a task without a
// window looks for them in vain every minute.
func present(cfg *config.Common, args []string) error {
	for _, flag := range []string{"driver-path", "edge-path", "token-file", "tls-cert", "tls-key"} {
		for _, arg := range args {
			path, ok := strings.CutPrefix(arg, "--"+flag+"=")
			if !ok || filepath.Base(path) == path {
				continue
			}
			if _, err := os.Stat(path); err != nil {
				return cfg.Bad(flag, "%w", err)
			}
		}
	}
	return nil
}

// write puts the record and the task's definition into folder and returns the
// path of the latter.
func (r Record) write(folder string) (string, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	definition, err := define(r.User, r.Program, r.Arguments, folder)
	if err != nil {
		return "", err
	}
	record, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(folder, recordFile), append(record, '\n'), 0o600); err != nil {
		return "", err
	}
	file := filepath.Join(folder, definitionFile)
	return file, os.WriteFile(file, definition, 0o600)
}

// ReadRecord reads what Install kept in folder.
func ReadRecord(folder string) (Record, error) {
	var r Record
	text, err := os.ReadFile(filepath.Join(folder, recordFile))
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	return r, err
}

// openFirewall lets the gateway in, and nobody else. A listener on loopback
// needs no rule, and an older one goes.
func openFirewall(ctx context.Context, m Machine, listen string, r Record, out io.Writer) error {
	if r.GatewayAddress == "" {
		if m.Elevated() {
			_, _ = m.Run(ctx, "netsh", closing...)
		}
		return nil
	}
	_, port, err := net.SplitHostPort(listen)
	if err != nil {
		return err
	}
	opening := []string{"advfirewall", "firewall", "add", "rule", "name=" + rule, "dir=in", "action=allow", "enable=yes", "profile=any",
		"protocol=TCP", "localport=" + port, "remoteip=" + r.GatewayAddress, "program=" + r.Program}
	if !m.Elevated() {
		fmt.Fprintf(out, "The firewall is not open yet, which needs an administrator. As one, run:\n  netsh %s\n  netsh %s\n", commandLine(closing), commandLine(opening))
		return nil
	}
	_, _ = m.Run(ctx, "netsh", closing...) // a second rule of that name would add to the first
	if _, err := m.Run(ctx, "netsh", opening...); err != nil {
		return err
	}
	fmt.Fprintf(out, "Opened the firewall for %s, TCP port %s.\n", r.GatewayAddress, port)
	return nil
}

var closing = []string{"advfirewall", "firewall", "delete", "rule", "name=" + rule}

// Uninstall ends and removes the task and the firewall's rule; with Purge also
// the folder of ours in the profile. It can be repeated.
func Uninstall(ctx context.Context, m Machine, what config.Task, out io.Writer) error {
	account, err := m.Account(what.User)
	if err != nil {
		return fmt.Errorf("user %q: %w", what.User, err)
	}
	record, recordErr := ReadRecord(account.Folder)
	if _, err := m.Run(ctx, "schtasks", "/Query", "/TN", Name); err != nil {
		fmt.Fprintf(out, "There is no task %s.\n", Name)
	} else {
		end(ctx, m, record.Program)
		remove := []string{"/Delete", "/TN", Name, "/F"}
		if _, err := m.Run(ctx, "schtasks", remove...); err != nil {
			return fmt.Errorf("%w; if that needs an administrator, run as one: schtasks %s", err, commandLine(remove))
		}
		fmt.Fprintf(out, "Ended and removed the task %s.\n", Name)
	}
	switch {
	case m.Elevated():
		if _, err := m.Run(ctx, "netsh", closing...); err == nil {
			fmt.Fprintln(out, "Closed the firewall.")
		}
	case recordErr == nil && record.GatewayAddress != "":
		fmt.Fprintf(out, "The firewall may still be open for %s. As an administrator, run:\n  netsh %s\n", record.GatewayAddress, commandLine(closing))
	}
	if what.Purge {
		if err := removeAll(account.Folder); err != nil {
			return err
		}
		fmt.Fprintf(out, "Removed %s.\n", account.Folder)
		return nil
	}
	for _, name := range []string{definitionFile, recordFile} {
		if err := os.Remove(filepath.Join(account.Folder, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// removeAll is os.RemoveAll in calls that Wine 8 has too.
func removeAll(folder string) error {
	var paths []string
	_ = filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err == nil {
			paths = append(paths, path)
		}
		return nil
	})
	for _, path := range slices.Backward(paths) {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}
