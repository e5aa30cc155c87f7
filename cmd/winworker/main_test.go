package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"iemesh/api"
	"iemesh/api/link"
	"iemesh/cmd/config"
	"iemesh/worker/driver"
)

func TestMain(m *testing.M) {
	driver.Supervise()
	os.Exit(m.Run())
}

// output may be read while it is written.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

func TestBadSettingsStopTheStart(t *testing.T) {
	for _, c := range []struct{ args, env, name string }{
		{"--listen :7311", "", "--listen"},
		{"", "IE_MCP_LISTEN=0.0.0.0:7311", "IE_MCP_LISTEN"},
		{"", "IE_MCP_MAX_SESSIONS=many", "IE_MCP_MAX_SESSIONS"},
		{"--listen 127.0.0.1:0 --token-file /nonexistent", "", "--token-file"},
		{"--listen 127.0.0.1:0", "IE_MCP_TLS_KEY=/nonexistent", "--tls-cert"},
	} {
		var stdout, stderr output
		status := run(t.Context(), strings.Fields(c.args), []string{c.env}, &stdout, &stderr)
		if status != 2 || !strings.Contains(stderr.String(), `"message":"`+c.name+": ") || stdout.String() != "" {
			t.Errorf("%s %s: %d, %s", c.env, c.args, status, &stderr)
		}
	}
}

// A winworker is up, ready, guarded, and ends with its context.
func TestServe(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	logged, stderr := io.Pipe()
	status := make(chan int, 1)
	go func() {
		status <- run(ctx, []string{"--listen", "127.0.0.1:0", "--engine", "chromium"}, nil, io.Discard, stderr)
		_ = stderr.Close()
	}()
	var started struct{ Event, Address string }
	lines := json.NewDecoder(logged)
	if err := lines.Decode(&started); err != nil || started.Event != "started" {
		t.Fatalf("%+v, %v", started, err)
	}
	go func() { _, _ = io.Copy(io.Discard, io.MultiReader(lines.Buffered(), logged)) }()

	client, err := link.NewClient(link.ClientOptions{URL: started.Address})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	limit, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	if err := client.Ready(limit); err != nil {
		t.Error(err)
	}
	list, _, err := api.Do(limit, client, api.SessionsList, api.Call{TimeoutMs: 5000, Caller: api.Caller{Principal: "alice"}}, api.Empty{})
	if err != nil || len(list.Sessions) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
	for path, want := range map[string]string{"/healthz": "ok", "/readyz": `"slots":{"free":4,"max":4}`, "/metrics": `iemesh_calls_total{code="OK",operation="session_list"} 1`} {
		res, err := http.Get(started.Address + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if res.StatusCode != 200 || !strings.Contains(string(body), want) {
			t.Errorf("%s: %d %s", path, res.StatusCode, body)
		}
	}
	r, err := http.NewRequest(http.MethodPut, started.Address+"/v1/operations/0123456789abcdef", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", "http://evil.test")
	if res, err := http.DefaultClient.Do(r); err != nil || res.StatusCode != 403 {
		t.Errorf("a web page: %v, %v", res, err)
	}

	cancel()
	if s := <-status; s != 0 {
		t.Errorf("status %d", s)
	}
}

func TestReportKeepsSecretsOut(t *testing.T) {
	var out output
	log := func(cause string, code api.Code) string {
		out.text.Reset()
		call := &api.Call{ID: "op", Operation: "fill", Input: json.RawMessage(`{"target":{"by":"id","value":"password"},"text":"secret"}`)}
		report(config.NewLogger(&out, "info"))(call, api.Errorf(code, "…").Because(errors.New(cause)))
		return out.String()
	}
	if line := log("typing secret failed", api.DriverLost); !strings.Contains(line, "typing … failed") {
		t.Errorf("wrote %s", line)
	}
	if line := log("<html>", api.ElementNotFound); line != "" {
		t.Errorf("wrote %s", line)
	}
}
