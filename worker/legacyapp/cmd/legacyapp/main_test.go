package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

func TestServesUntilInterrupted(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	out, stdout := io.Pipe()
	code := make(chan int, 1)
	go func() { code <- run(ctx, []string{"--listen", "127.0.0.1:0"}, stdout, io.Discard) }()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	base := strings.TrimSpace(line)

	answer, err := http.Get(base + "never/half")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("status %d", answer.StatusCode)
	}
	interrupt()
	if got := <-code; got != 0 {
		t.Errorf("exit code %d", got)
	}
	address := strings.TrimSuffix(strings.TrimPrefix(base, "http://"), "/")
	if conn, err := net.Dial("tcp", address); err == nil {
		conn.Close()
		t.Error("still listening")
	}
}

func TestCommandLine(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"--help", 0, "-listen"},
		{"--nonsense", 2, "nonsense"},
		{"more", 2, "no arguments"},
		{"--listen " + taken.Addr().String(), 1, "legacyapp: listen"},
		{"--listen nowhere", 1, "legacyapp: listen"},
	} {
		var stdout, stderr bytes.Buffer
		if got := run(t.Context(), strings.Fields(c.args), &stdout, &stderr); got != c.code {
			t.Errorf("%s: exit code %d, want %d", c.args, got, c.code)
		}
		if stdout.Len() > 0 || !strings.Contains(stderr.String(), c.says) {
			t.Errorf("%s: says %q", c.args, stderr.String())
		}
	}
}
