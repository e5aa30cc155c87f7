package e2e

import (
	"context"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"iemesh/test/harness"
)

// driverOf and browserOf are the processes of a program's only session.
func driverOf(t *testing.T, p *harness.Program) harness.Process {
	return only(t, p, "driver", func(c harness.Process) bool { return c.Is("chromedriver") })
}

func browserOf(t *testing.T, p *harness.Program) harness.Process {
	return only(t, p, "browser", func(c harness.Process) bool { return c.Has("--user-data-dir=") && !c.Has("--type=") && !c.Is("sh") })
}

func only(t *testing.T, p *harness.Program, what string, is func(harness.Process) bool) harness.Process {
	t.Helper()
	var found []harness.Process
	for _, c := range harness.Processes(p.Folder) {
		if is(c) {
			found = append(found, c)
		}
	}
	if len(found) != 1 {
		t.Fatalf("there is not one %s: %v", what, found)
	}
	return found[0]
}

// browsers is how many browsers of a program live.
func browsers(p *harness.Program) int {
	n := 0
	for _, c := range harness.Processes(p.Folder) {
		if c.Is("chromedriver") {
			n++
		}
	}
	return n
}

// A driver or browser that is killed costs its session, once and in time, and
// nothing else.
func TestKilledDriverAndBrowser(t *testing.T) {
	t.Parallel()
	gateway := harness.Running(t, run.Gateway, []string{"--stdio"})
	client := harness.Connected(t, gateway.Stdio(), harness.Modern)
	for _, c := range []struct {
		name   string
		victim func(*testing.T, *harness.Program) harness.Process
	}{{"driver", driverOf}, {"browser", browserOf}} {
		t.Run(c.name+" between calls", func(t *testing.T) {
			started := harness.Do(t, client, "browser_start", nil)
			if started["reused"] != false {
				t.Errorf("browser_start: %v", started)
			}
			run.visit(t, client, "/order")
			c.victim(t, gateway).Kill()
			lost(t, gateway, client)
		})
		t.Run(c.name+" within a call", func(t *testing.T) {
			harness.Do(t, client, "browser_start", nil)
			token := "killed " + c.name
			run.visit(t, client, "/register?confirm=no&delayMs=30000&"+query("token", token))
			victim := c.victim(t, gateway)
			answered := make(chan *mcp.CallToolResult, 1)
			go func() {
				result, err := client.CallTool(context.Background(), &mcp.CallToolParams{Name: "click",
					Arguments: harness.Args{"selector": harness.ID("registerButton"), "timeoutMs": 20_000}})
				if err != nil {
					t.Error(err)
				}
				answered <- result
			}()
			if !harness.Until(harness.Soon, func() bool { return run.app.Registrations(token) == 1 }) {
				t.Fatal("the click never arrived")
			}
			victim.Kill()
			select {
			case result := <-answered:
				if !result.IsError { // answered a moment before the death
					harness.Refused(t, client, "inspect_page", nil, "DRIVER_LOST")
				} else if failure := harness.Failure(t, "click", result); failure["error"] != "DRIVER_LOST" {
					t.Errorf("%v, want DRIVER_LOST", failure)
				}
			case <-time.After(harness.Soon):
				t.Fatal("the call hangs")
			}
			harness.Refused(t, client, "inspect_page", nil, "BROWSER_NOT_STARTED")
			if n := run.app.Registrations(token); n != 1 {
				t.Errorf("submitted %d times", n)
			}
		})
	}
	harness.Do(t, client, "browser_start", nil)
	run.visit(t, client, "/order")
	if n := browsers(gateway); n != 1 {
		t.Errorf("%d browsers live", n)
	}
}

// lost checks the answers after a death: DRIVER_LOST once, then BROWSER_NOT_STARTED.
func lost(t *testing.T, gateway *harness.Program, client *mcp.ClientSession) {
	t.Helper()
	spent := took(func() {
		harness.Refused(t, client, "click", harness.Args{"selector": harness.ID("press")}, "DRIVER_LOST")
	})
	if spent > 2*time.Second {
		t.Errorf("the loss was told after %v", spent)
	}
	harness.Refused(t, client, "inspect_page", nil, "BROWSER_NOT_STARTED")
	if !harness.Until(harness.GoneWithin, func() bool { return browsers(gateway) == 0 }) {
		t.Errorf("left of the lost session: %v", harness.Processes(gateway.Folder))
	}
}

// Whichever way a gateway ends, idle or in the middle of a call, it takes its
// browser with it.
func TestEndOfAStdioGateway(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		end  func(*harness.Program)
	}{
		{"SIGKILL", func(p *harness.Program) { p.Signal(syscall.SIGKILL) }},
		{"SIGTERM", func(p *harness.Program) { p.Signal(syscall.SIGTERM) }},
		{"end of input", func(p *harness.Program) { p.Stdin.Close() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			gateway, client := started(t)
			go client.CallTool(context.Background(), &mcp.CallToolParams{Name: "wait_for",
				Arguments: harness.Args{"type": "title", "text": "never", "timeoutMs": 60_000}})
			c.end(gateway)
			if code, ended := gateway.Ended(harness.GoneWithin); !ended {
				t.Error("it lives on")
			} else if c.name != "SIGKILL" && code != 0 {
				t.Errorf("exit code %d", code)
			}
			for _, left := range gateway.Clear() {
				t.Errorf("left behind: %s", left)
			}
		})
	}
}

// So it does when its browser is only just starting.
func TestEndWhileTheBrowserStarts(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{"SIGKILL": syscall.SIGKILL, "SIGTERM": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			gateway, err := harness.Start(run.Gateway, []string{"--stdio"})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { gateway.Stop() })
			client := harness.Connected(t, gateway.Stdio(), harness.Modern)
			go client.CallTool(context.Background(), &mcp.CallToolParams{Name: "browser_start"})
			if !harness.Until(harness.Soon, func() bool { return browsers(gateway) > 0 }) {
				t.Fatal("no driver was started")
			}
			gateway.Signal(signal)
			if _, ended := gateway.Ended(harness.GoneWithin); !ended {
				t.Error("it lives on")
			}
			for _, left := range gateway.Clear() {
				t.Errorf("left behind: %s", left)
			}
		})
	}
}

// started is a stdio gateway with a browser, for tests that end it themselves.
func started(t *testing.T) (*harness.Program, *mcp.ClientSession) {
	t.Helper()
	gateway, err := harness.Start(run.Gateway, []string{"--stdio"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { gateway.Stop() }) // for a test that stopped half way
	client := harness.Connected(t, gateway.Stdio(), harness.Modern)
	harness.Do(t, client, "browser_start", nil)
	run.visit(t, client, "/customer")
	return gateway, client
}

func TestEndOfAnHTTPGateway(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{"SIGKILL": syscall.SIGKILL, "SIGTERM": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			gateway, err := harness.Serve(run.Gateway, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { gateway.Stop() })
			client := harness.Connected(t, gateway.MCP("", nil), harness.Legacy)
			harness.Do(t, client, "browser_start", nil)
			gateway.Signal(signal)
			if code, ended := gateway.Ended(harness.GoneWithin); !ended || signal == syscall.SIGTERM && code != 0 {
				t.Errorf("ended: %t, exit code %d", ended, code)
			}
			for _, left := range gateway.Clear(gateway.Address) {
				t.Errorf("left behind: %s", left)
			}
		})
	}
}

// The only slot of a worker comes free when its gateway dies, and not before.
func TestDeadGatewayFreesTheSlot(t *testing.T) {
	t.Parallel()
	const idle = 6 * time.Second // renewed at every third of it, however busy the machine is
	winworker := harness.Serving(t, run.Winworker, nil, "--max-sessions", "1", "--idle-timeout", idle.String())
	serve := func() *harness.Server {
		gateway, err := harness.Serve(run.Gateway, nil, "--worker", winworker.Base, "--idle-timeout", idle.String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { gateway.Stop() })
		return gateway
	}
	first := serve()
	client := harness.Connected(t, first.MCP("", nil), harness.Legacy)
	harness.Do(t, client, "browser_start", nil)
	if harness.Until(2*idle, func() bool { return browsers(winworker.Program) == 0 }) {
		t.Fatal("the session of a living MCP session was closed as idle")
	}
	first.Signal(syscall.SIGKILL)
	for _, left := range func() []string { first.Ended(harness.GoneWithin); return first.Clear(first.Address) }() {
		t.Errorf("left behind: %s", left)
	}
	if !harness.Until(idle+harness.GoneWithin, func() bool { return browsers(winworker.Program) == 0 }) {
		t.Fatal("the session of the dead gateway lives on")
	}
	second := serve()
	other := harness.Connected(t, second.MCP("", nil), harness.Legacy)
	last := ""
	if !harness.Until(harness.Soon, func() bool { // the processes go a moment before the slot
		result := harness.Ask(t, other, "browser_start", nil)
		last = harness.Text(result)
		return !result.IsError
	}) || !strings.Contains(last, `"reused":false`) {
		t.Errorf("browser_start: %s", last)
	}
	harness.Do(t, other, "browser_close", nil)
	for _, left := range second.Stop(second.Address) {
		t.Errorf("left behind: %s", left)
	}
}
