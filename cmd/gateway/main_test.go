package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"iemesh/cmd/config"
	"iemesh/worker/driver"
)

// asGateway makes the test binary the program.
const asGateway = "IEMESH_TEST_AS_GATEWAY"

func TestMain(m *testing.M) {
	driver.Supervise()
	if os.Getenv(asGateway) != "" {
		main()
	}
	os.Exit(m.Run())
}

// output collects lines; it may be read while it is written.
type output struct {
	mu    sync.Mutex
	text  bytes.Buffer
	wrote chan struct{} // capacity 1
}

func newOutput() *output { return &output{wrote: make(chan struct{}, 1)} }

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	select {
	case o.wrote <- struct{}{}:
	default:
	}
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// event waits for a log line.
func (o *output) event(t *testing.T, name string) map[string]any {
	t.Helper()
	limit := time.After(20 * time.Second)
	for {
		for line := range strings.Lines(o.String()) {
			var fields map[string]any
			if err := json.Unmarshal([]byte(line), &fields); err == nil && fields["event"] == name {
				return fields
			}
		}
		select {
		case <-o.wrote:
		case <-limit:
			t.Fatalf("no event %s in %s", name, o)
		}
	}
}

func TestBadSettingsStopTheStart(t *testing.T) {
	for _, c := range []struct{ args, env, name string }{
		{"--listen :7310", "", "--listen"},
		{"", "IE_MCP_TIMEOUT_MS=soon", "IE_MCP_TIMEOUT_MS"},
		{"--listen 127.0.0.1:0", "IE_MCP_ALLOWED_ORIGINS=http://Legacy01.local/", "IE_MCP_ALLOWED_ORIGINS"},
		{"--stdio", "IE_MCP_TOOLS=ie,nonsense", "IE_MCP_TOOLS"},
		{"--listen 127.0.0.1:0", "IE_MCP_TOKEN_FILE=/nonexistent", "IE_MCP_TOKEN_FILE"},
		{"--listen 127.0.0.1:0 --tls-cert /nonexistent --tls-key /nonexistent", "", "--tls-cert"},
		{"--stdio --worker http://127.0.0.1:1 --worker-token-file /nonexistent", "", "--worker-token-file"},
		{"--stdio --worker https://127.0.0.1:1 --worker-ca /nonexistent", "", "--worker-ca"},
		{"token new alice", "", "--token-file"},
	} {
		stdout, stderr := newOutput(), newOutput()
		status := run(t.Context(), strings.Fields(c.args), []string{c.env}, io.NopCloser(strings.NewReader("")), stdout, stderr)
		message, _ := stderr.event(t, "failed")["message"].(string)
		if status != 2 || !strings.HasPrefix(message, c.name+": ") || stdout.String() != "" {
			t.Errorf("%s %s: %d, %s, stdout %q", c.env, c.args, status, message, stdout)
		}
	}
}

func TestHelp(t *testing.T) {
	stdout, stderr := newOutput(), newOutput()
	status := run(t.Context(), []string{"--help"}, nil, nil, stdout, stderr)
	if status != 0 || !strings.Contains(stdout.String(), "--allowed-origins") || stderr.String() != "" {
		t.Errorf("%d, %s", status, stderr)
	}
}

func TestVersion(t *testing.T) {
	stdout, stderr := newOutput(), newOutput()
	status := run(t.Context(), []string{"--version"}, []string{"IE_MCP_VERSION=7"}, nil, stdout, stderr)
	if status != 0 || stdout.String() != config.Version+"\n" || stderr.String() != "" {
		t.Errorf("%d, %s%s", status, stdout, stderr)
	}
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n"

// The end of stdin ends the program; stdout has carried MCP alone.
func TestStdio(t *testing.T) {
	in, client := io.Pipe()
	out, stdout := io.Pipe()
	stderr := newOutput()
	status := make(chan int, 1)
	go func() {
		status <- run(t.Context(), []string{"--stdio", "--engine", "chromium"}, nil, in, stdout, stderr)
		_ = stdout.Close()
	}()
	if _, err := io.WriteString(client, initialize); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || !strings.Contains(lines.Text(), `"protocolVersion":"2025-11-25"`) {
		t.Errorf("answer %s", lines.Text())
	}
	if started := stderr.event(t, "started"); started["transport"] != "stdio" || started["level"] != "info" {
		t.Errorf("started: %v", started)
	}
	_ = client.Close()
	if lines.Scan() {
		t.Errorf("more on stdout: %s", lines.Text())
	}
	if s := <-status; s != 0 {
		t.Errorf("status %d, %s", s, stderr)
	}
}

// serve runs the program over HTTP until the test ends, and checks that it ends well.
func serve(t *testing.T, args ...string) (address string) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	stderr := newOutput()
	status := make(chan int, 1)
	go func() {
		status <- run(ctx, append([]string{"--engine", "chromium", "--listen", "127.0.0.1:0"}, args...), nil, nil, newOutput(), stderr)
	}()
	t.Cleanup(func() {
		cancel()
		if s := <-status; s != 0 {
			t.Errorf("status %d, %s", s, stderr)
		}
	})
	endpoint, _ := stderr.event(t, "started")["address"].(string)
	address, ok := strings.CutSuffix(endpoint, "/mcp")
	if !ok {
		t.Fatalf("address %q", endpoint)
	}
	return address
}

func request(t *testing.T, method, url, body, token, session string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
		r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestHTTPWithTokens(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	stdout := newOutput()
	if s := run(t.Context(), []string{"token", "new", "alice", "--token-file", file}, nil, nil, stdout, newOutput()); s != 0 {
		t.Fatalf("token new: %d", s)
	}
	token := strings.TrimSuffix(stdout.String(), "\n")
	if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), "alice:") || strings.Contains(string(text), token) {
		t.Fatalf("token file %q, %v", text, err)
	}
	stderr := newOutput()
	if s := run(t.Context(), []string{"token", "new", "alice", "--token-file", file}, nil, nil, newOutput(), stderr); s != 1 {
		t.Errorf("the same name again: %d, %s", s, stderr)
	}

	address := serve(t, "--token-file", file)
	for sent, want := range map[string]int{token: 200, "wrong": 401, "": 401} {
		res := request(t, http.MethodPost, address+"/mcp", initialize, sent, "")
		_ = res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("token %.8q: %d", sent, res.StatusCode)
		}
	}
	// What is wrong in two ways is refused for the host, before the token is looked at.
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/mcp", strings.NewReader(initialize))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = "evil.test"
	r.Header.Set("Authorization", "Bearer wrong")
	if res, err := http.DefaultClient.Do(r); err != nil || res.StatusCode != 403 {
		t.Errorf("foreign host, wrong token: %v, %v", res, err)
	}
	for _, path := range []string{"/healthz", "/readyz", "/metrics"} {
		res, err := http.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != 200 {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
}

// The gateway is as ready as its worker.
func TestReadinessOfARemoteWorker(t *testing.T) {
	worker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = io.WriteString(w, `{"ready":false,"reasons":["the desktop is locked"]}`)
	}))
	defer worker.Close()
	res, err := http.Get(serve(t, "--worker", worker.URL) + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, _ := io.ReadAll(res.Body)
	if res.StatusCode != 503 || !strings.Contains(string(body), "the desktop is locked") {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

// SIGTERM ends a gateway with an open event stream, in time and with status 0.
func TestSIGTERM(t *testing.T) {
	stderr := newOutput()
	program := exec.CommandContext(t.Context(), os.Args[0], "--listen", "127.0.0.1:0", "--engine", "chromium")
	program.Env = append(os.Environ(), asGateway+"=1")
	program.Stderr = stderr
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	endpoint := fmt.Sprint(stderr.event(t, "started")["address"])
	res := request(t, http.MethodPost, endpoint, initialize, "", "")
	_ = res.Body.Close()
	open := request(t, http.MethodGet, endpoint, "", "", res.Header.Get("Mcp-Session-Id"))
	defer open.Body.Close()
	if open.StatusCode != 200 {
		t.Fatalf("stream: %d", open.StatusCode)
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
	stderr.event(t, "stopped")
	_, _ = io.Copy(io.Discard, open.Body) // it has ended, however
}
