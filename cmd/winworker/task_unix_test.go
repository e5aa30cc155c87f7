//go:build !windows

package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The task is for Windows; elsewhere the commands say what to use instead.
func TestTaskCommandsElsewhere(t *testing.T) {
	for _, command := range []string{"install", "uninstall --purge", "status --json"} {
		var stdout, stderr output
		status := run(t.Context(), strings.Fields(command), nil, &stdout, &stderr)
		if status != 1 || !strings.Contains(stderr.String(), "deploy/systemd") || stdout.String() != "" {
			t.Errorf("%s: %d, %s", command, status, &stderr)
		}
	}
}

// A winworker with a log file writes there and nowhere else.
func TestLogFile(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	path := filepath.Join(t.TempDir(), "logs", "winworker.log")
	var stderr output
	status := make(chan int, 1)
	go func() {
		status <- run(ctx, []string{"--listen", "127.0.0.1:0", "--engine", "chromium", "--log-file", path}, nil, io.Discard, &stderr)
	}()
	logged := func() string {
		text, _ := os.ReadFile(path)
		return string(text)
	}
	for limit := time.After(10 * time.Second); !strings.Contains(logged(), `"event":"started"`); {
		select {
		case <-limit:
			t.Fatalf("%q, %s", logged(), &stderr)
		case <-time.Tick(20 * time.Millisecond):
		}
	}
	cancel()
	if s := <-status; s != 0 || stderr.String() != "" || !strings.Contains(logged(), `"event":"stopped"`) {
		t.Errorf("status %d, stderr %q, log %s", s, &stderr, logged())
	}
}

// Nobody sees the standard error of a task: a wrong setting is in the log too.
func TestWrongSettingsAreInTheLogFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "log")
	var stderr output
	if status := run(t.Context(), []string{"--listen", ":1", "--log-file", path}, nil, io.Discard, &stderr); status != 2 {
		t.Errorf("status %d", status)
	}
	if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), "--listen: names no host") {
		t.Errorf("%q, %v; %s", text, err, &stderr)
	}
	if status := run(t.Context(), []string{"--log-file", folder}, nil, io.Discard, &stderr); status != 2 || !strings.Contains(stderr.String(), "--log-file: ") {
		t.Errorf("a folder: status %d, %s", status, &stderr)
	}
}
