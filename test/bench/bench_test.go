//go:build bench

package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"iemesh/test/harness"
	"iemesh/worker/legacyapp"
)

const (
	rounds      = 60
	mostStdio   = 1.25 // times the bare commands
	mostHTTP    = 1.5
	mostInspect = 5.0 // times a script that visits each node
	mostStart   = 50 * time.Millisecond
	mostIdle    = 30 << 10 // KiB
)

func build(t *testing.T) *harness.Binaries {
	t.Helper()
	b, err := harness.Build()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Remove)
	return b
}

func calls() []call {
	field := harness.ID("customerName")
	return []call{
		{"inspect_page", nil},
		{"click", harness.Args{"selector": field}},
		{"type", harness.Args{"selector": field, "text": "yamada"}},
		{"screenshot", nil},
	}
}

func TestToolsBesideBareCommands(t *testing.T) {
	b := build(t)
	app := legacyapp.New()
	server := httptest.NewServer(app)
	t.Cleanup(func() { app.Close(); server.CloseClientConnections(); server.Close() })
	recorded := record(t, b, server.URL, calls())

	t.Run("stdio, in-process", func(t *testing.T) {
		gateway := harness.Running(t, b.Gateway, []string{"--stdio"})
		client := stdio(t, gateway) // as minimal as what it is held against
		compare(t, client, gateway, server.URL, recorded, mostStdio)
		largePage(t, client, gateway, server.URL, recorded["inspect_page"])
	})
	t.Run("HTTP, through a winworker", func(t *testing.T) {
		winworker := harness.Serving(t, b.Winworker, nil)
		gateway := harness.Serving(t, b.Gateway, nil, "--worker", winworker.Base, "--rate", "0")
		client := streamable(t, gateway)
		compare(t, client, winworker.Program, server.URL, recorded, mostHTTP)
		client("browser_close", nil)
	})
}

// client calls a tool, which must succeed.
type client func(tool string, args harness.Args)

// stdio is a client that only writes lines and reads lines.
func stdio(t *testing.T, p *harness.Program) client {
	raw := harness.NewRaw(t, p)
	raw.Initialize()
	id := 0
	return func(tool string, args harness.Args) {
		t.Helper()
		id++
		raw.Request(toolCall(id, tool, args))
		succeeded(t, tool, raw.Answer(id))
	}
}

// streamable is a client that only posts messages, and reads the one event of each answer.
func streamable(t *testing.T, s *harness.Server) client {
	post := func(message harness.Args, headers http.Header) (*http.Response, harness.Message) {
		t.Helper()
		message["jsonrpc"] = "2.0"
		body, err := json.Marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		request, err := http.NewRequest(http.MethodPost, s.Base+"/mcp", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header = headers
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		content, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		var answer harness.Message
		if _, event, ok := bytes.Cut(content, []byte("data: ")); ok {
			line, _, _ := bytes.Cut(event, []byte("\n"))
			err = json.Unmarshal(line, &answer)
		}
		if err != nil || response.StatusCode > http.StatusAccepted {
			t.Fatalf("%d: %s", response.StatusCode, content)
		}
		return response, answer
	}
	hello, _ := post(harness.Hello("init"), http.Header{})
	session := http.Header{"Mcp-Session-Id": hello.Header["Mcp-Session-Id"], "Mcp-Protocol-Version": {harness.Legacy}}
	post(harness.Args{"method": "notifications/initialized"}, session.Clone())
	id := 0
	return func(tool string, args harness.Args) {
		t.Helper()
		id++
		_, answer := post(toolCall(id, tool, args), session.Clone())
		succeeded(t, tool, answer)
	}
}

func toolCall(id int, tool string, args harness.Args) harness.Args {
	if args == nil {
		args = harness.Args{}
	}
	return harness.ToolCall(id, tool, args)
}

func succeeded(t *testing.T, tool string, answer harness.Message) {
	t.Helper()
	var result struct{ IsError bool }
	if answer.Error != nil || json.Unmarshal(answer.Result, &result) != nil || result.IsError {
		t.Fatalf("%s: %s %+v", tool, answer.Result, answer.Error)
	}
}

// compare holds each tool's median against that of its bare commands, in turns,
// in one browser on one page.
func compare(t *testing.T, client client, p *harness.Program, site string, recorded map[string][]exchange, most float64) {
	t.Helper()
	client("browser_start", nil)
	client("navigate", harness.Args{"url": site + "/customer"})
	driver := bareClient(t, p)
	for _, c := range calls() {
		commands := recorded[c.tool]
		if len(commands) == 0 {
			t.Fatalf("%s: nothing was recorded", c.tool)
		}
		tool, bare := inTurns(func() { client(c.tool, c.args) }, func() { driver.replay(t, commands) })
		report(t, c.tool, fmt.Sprint(len(commands), " bare commands"), tool, bare, most)
	}
}

// largePage holds inspect_page of 2,000 rows against a script that visits every
// node. What its own script takes without us is told beside it.
func largePage(t *testing.T, client client, p *harness.Program, site string, script []exchange) {
	t.Helper()
	client("navigate", harness.Args{"url": site + "/table/2000"})
	driver := bareClient(t, p)
	tool, visits := inTurns(func() { client("inspect_page", nil) }, func() { driver.visits(t) })
	report(t, "inspect_page of 2000 rows", "a visit to each node", tool, visits, mostInspect)
	alone, visits := inTurns(func() { driver.replay(t, script) }, func() { driver.visits(t) })
	t.Logf("its script alone: %.2f ms, %.2f times", ms(alone), float64(alone)/float64(visits))
}

// inTurns times two things alternately and returns their medians.
func inTurns(one, other func()) (time.Duration, time.Duration) {
	var ones, others []time.Duration
	for range 5 {
		one()
		other()
	}
	for range rounds {
		ones, others = append(ones, spent(one)), append(others, spent(other))
	}
	return median(ones), median(others)
}

func spent(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

func report(t *testing.T, tool, beside string, took, bare time.Duration, most float64) {
	t.Helper()
	ratio := float64(took) / float64(bare)
	t.Logf("%-26s %8.2f ms, %s %8.2f ms: %.2f times (at most %.2f)",
		tool, ms(took), beside, ms(bare), ratio, most)
	if ratio > most {
		t.Errorf("%s takes %.2f times as long as %s, at most %.2f is allowed", tool, ratio, beside, most)
	}
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func TestStart(t *testing.T) {
	b := build(t)
	var times []time.Duration
	for range 11 {
		began := time.Now()
		gateway := harness.Running(t, b.Gateway, []string{"--stdio"})
		harness.NewRaw(t, gateway).Initialize()
		times = append(times, time.Since(began))
	}
	took := median(times)
	t.Logf("start to initialize: %.1f ms (under %.0f)", ms(took), ms(mostStart))
	if took >= mostStart {
		t.Errorf("start to initialize took %v", took)
	}
}

func TestIdleMemory(t *testing.T) {
	b := build(t)
	gateway := harness.Serving(t, b.Gateway, nil)
	client := harness.Connected(t, gateway.MCP("", nil), harness.Legacy)
	if _, err := client.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	status, err := os.ReadFile(fmt.Sprint("/proc/", gateway.Pid, "/status"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	var resident int
	if _, err := fmt.Sscan(rest, &resident); err != nil {
		t.Fatal(err)
	}
	t.Logf("idle: %.1f MiB resident (under %d)", float64(resident)/1024, mostIdle>>10)
	if resident >= mostIdle {
		t.Errorf("%d KiB resident", resident)
	}
}
