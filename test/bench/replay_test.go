//go:build bench

package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"iemesh/test/harness"
)

// exchange is one command with its answer.
type exchange struct{ Method, Path, Body, Answer string }

var elementID = regexp.MustCompile(`"element-6066-11e4-a52e-4f735466cecf"\s*:\s*"([^"]+)"`)

// record tells which commands the driver gets for each call, in a gateway of
// its own. Limits are left out: a second call does not send them.
func record(t *testing.T, b *harness.Binaries, site string, calls []call) map[string][]exchange {
	t.Helper()
	folder := t.TempDir()
	driver, _, err := b.CountingDriver(folder, "/usr/bin/chromedriver")
	if err != nil {
		t.Fatal(err)
	}
	tape := filepath.Join(folder, "record.jsonl")
	if err := os.WriteFile(tape, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	gateway := harness.Running(t, b.Gateway, []string{"--stdio", "--driver-path", driver})
	client := harness.Connected(t, gateway.Stdio(), harness.Modern)
	harness.Do(t, client, "browser_start", nil)
	harness.Do(t, client, "navigate", harness.Args{"url": site + "/customer"})
	recorded := map[string][]exchange{}
	for _, c := range calls {
		harness.Ask(t, client, c.tool, c.args) // the first time may differ
		before := len(exchanges(t, tape))
		harness.Ask(t, client, c.tool, c.args)
		for _, e := range exchanges(t, tape)[before:] {
			if strings.Contains(e.Path, "/session/") && !strings.HasSuffix(e.Path, "/timeouts") {
				recorded[c.tool] = append(recorded[c.tool], e)
			}
		}
	}
	return recorded
}

func exchanges(t *testing.T, tape string) []exchange {
	t.Helper()
	content, err := os.ReadFile(tape)
	if err != nil {
		t.Fatal(err)
	}
	var found []exchange
	for line := range bytes.Lines(content) {
		var e exchange
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		found = append(found, e)
	}
	return found
}

// bare is a minimal WebDriver client of a session that a program of ours has open.
type bare struct {
	client  http.Client
	session string // URL
}

// bareClient finds the driver of the program's only session.
func bareClient(t *testing.T, p *harness.Program) *bare {
	t.Helper()
	for _, process := range harness.Processes(p.Folder) {
		if !process.Is("chromedriver") {
			continue
		}
		base, port := "", ""
		for _, argument := range process.Command {
			if value, ok := strings.CutPrefix(argument, "--port="); ok {
				port = value
			}
			if value, ok := strings.CutPrefix(argument, "--url-base="); ok {
				base = value
			}
		}
		b := &bare{session: "http://127.0.0.1:" + port + base + "/session/"}
		var list struct{ Value []struct{ ID string } }
		answer, err := b.send(http.MethodGet, strings.TrimSuffix(b.session, "/")+"s", "")
		if err == nil {
			err = json.Unmarshal([]byte(answer), &list)
		}
		if err != nil || len(list.Value) != 1 {
			t.Fatalf("the driver's sessions: %s %v", answer, err)
		}
		b.session += list.Value[0].ID
		return b
	}
	t.Fatal("there is no driver")
	return nil
}

func (b *bare) send(method, url, body string) (string, error) {
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	response, err := b.client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s", method, url, answer)
	}
	return string(answer), err
}

// replay sends recorded commands; elements found on the way take the place of
// those that were found when recording.
func (b *bare) replay(t *testing.T, commands []exchange) {
	t.Helper()
	var names []string
	for _, e := range commands {
		_, rest, _ := strings.Cut(e.Path, "/session/")
		_, rest, _ = strings.Cut(rest, "/")
		fresh := strings.NewReplacer(names...)
		answer, err := b.send(e.Method, b.session+"/"+fresh.Replace(rest), fresh.Replace(e.Body))
		if err != nil {
			t.Fatal(err)
		}
		was, is := elementID.FindStringSubmatch(e.Answer), elementID.FindStringSubmatch(answer)
		if was == nil {
			// A script may hand its element on inside another value.
			continue
		}
		if is == nil {
			t.Fatalf("no element in %s", answer)
		}
		names = append(names, was[1], is[1])
	}
}

// visits runs a script that touches every node of the page and does nothing else.
func (b *bare) visits(t *testing.T) {
	t.Helper()
	const script = `var n = 0; function walk(node) { n++; for (var c = node.firstChild; c; c = c.nextSibling) { walk(c); } } walk(document); return n;`
	body, err := json.Marshal(map[string]any{"script": script, "args": []any{}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.send(http.MethodPost, b.session+"/execute/sync", string(body)); err != nil {
		t.Fatal(err)
	}
}

// call is one call to be timed.
type call struct {
	tool string
	args harness.Args
}
