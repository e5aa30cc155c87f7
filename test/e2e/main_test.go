// Package e2e drives the built programs over real sockets and pipes with a
// real Chromium, and shows what the first issue says must be shown.
//
// Tests share three worlds where they do not break them: [suite.open], a stdio
// gateway with its browser and a counting driver; [suite.listed], the same with
// a list of allowed origins; [suite.remote], a gateway over HTTP in front of a
// winworker, with a wire between them that can be cut. Tests with programs of
// their own, and without close limits of time, run side by side.
package e2e

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"iemesh/test/harness"
	"iemesh/worker/legacyapp"
)

// run is the suite of this run, set once by TestMain.
var run *suite

func TestMain(m *testing.M) {
	s, err := newSuite()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	run = s
	code := m.Run()
	for _, left := range s.close() {
		fmt.Fprintln(os.Stderr, "left behind:", left)
		code = 1
	}
	os.Exit(code)
}

type suite struct {
	*harness.Binaries
	app    *legacyapp.App
	site   string // where the legacy application is, http://127.0.0.1:port
	other  string // another origin that shows the same
	folder string

	open   func() (*stdioWorld, error)
	listed func() (*stdioWorld, error)
	remote func() (*remoteWorld, error)

	mu   sync.Mutex
	ends []func() []string
}

func newSuite() (*suite, error) {
	binaries, err := harness.Build()
	if err != nil {
		return nil, err
	}
	s := &suite{Binaries: binaries, app: legacyapp.New()}
	if s.folder, err = os.MkdirTemp("", "e2e-suite-"); err != nil {
		return nil, err
	}
	server := httptest.NewServer(s.app)
	s.site = server.URL
	s.other = strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	s.ends = append(s.ends, func() []string {
		s.app.Close()
		server.CloseClientConnections()
		server.Close()
		binaries.Remove()
		os.RemoveAll(s.folder)
		return nil
	})
	s.open = sync.OnceValues(func() (*stdioWorld, error) { return s.stdio("open", "*") })
	s.listed = sync.OnceValues(func() (*stdioWorld, error) { return s.stdio("listed", s.site) })
	s.remote = sync.OnceValues(s.startRemote)
	return s, nil
}

func (s *suite) close() (left []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.ends) - 1; i >= 0; i-- {
		left = append(left, s.ends[i]()...)
	}
	return left
}

func (s *suite) atEnd(end func() []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ends = append(s.ends, end)
}

// stdioWorld is a gateway over stdio with a browser in the same process.
type stdioWorld struct {
	*harness.Program
	client *mcp.ClientSession
	log    string // of its driver's commands
}

func (s *suite) stdio(name, origins string) (*stdioWorld, error) {
	folder := s.folder + "/" + name
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	chromedriver, err := exec.LookPath("chromedriver")
	if err != nil {
		return nil, err
	}
	driver, log, err := s.CountingDriver(folder, chromedriver)
	if err != nil {
		return nil, err
	}
	p, err := harness.Start(s.Gateway, []string{"--stdio", "--engine", "chromium", "--driver-path", driver, "--allowed-origins", origins})
	if err != nil {
		return nil, err
	}
	s.atEnd(func() []string { return p.Stop() })
	client, err := harness.Connect(p.Stdio(), harness.Modern)
	if err != nil {
		return nil, fmt.Errorf("%w; %q", err, p.Lines())
	}
	return &stdioWorld{p, client, log}, nil
}

// remoteWorld is a gateway over HTTP before a winworker.
type remoteWorld struct {
	gateway, winworker *harness.Server
	wire               *harness.Wire
	worker             harness.Operations // past the gateway
}

func (s *suite) startRemote() (*remoteWorld, error) {
	winworker, err := harness.Serve(s.Winworker, nil, "--engine", "chromium")
	if err != nil {
		return nil, fmt.Errorf("winworker: %w", err)
	}
	s.atEnd(func() []string { return winworker.Stop(winworker.Address) })
	wire, err := harness.NewWire(winworker.Address)
	if err != nil {
		return nil, err
	}
	s.atEnd(func() []string { wire.Close(); return nil })
	gateway, err := harness.Serve(s.Gateway, nil, "--worker", "http://"+wire.Address, "--rate", "0")
	if err != nil {
		return nil, fmt.Errorf("gateway: %w", err)
	}
	s.atEnd(func() []string { return gateway.Stop(gateway.Address) })
	return &remoteWorld{gateway, winworker, wire, harness.Operations{Server: winworker}}, nil
}

// open is the shared gateway that may visit everything, with a living browser.
func open(t *testing.T) *stdioWorld {
	t.Helper()
	return world(t, run.open)
}

// listed is the shared gateway that may visit run.site alone, with a living browser.
func listed(t *testing.T) *stdioWorld {
	t.Helper()
	return world(t, run.listed)
}

func world(t *testing.T, get func() (*stdioWorld, error)) *stdioWorld {
	t.Helper()
	w, err := get()
	if err != nil {
		t.Fatal(err)
	}
	harness.Do(t, w.client, "browser_start", nil)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(strings.Join(last(w.Lines(), 20), "\n"))
		}
	})
	return w
}

// remote is the shared gateway before a winworker. Nothing is started in it.
func remote(t *testing.T) *remoteWorld {
	t.Helper()
	w, err := run.remote()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(strings.Join(append(last(w.gateway.Lines(), 20), last(w.winworker.Lines(), 20)...), "\n"))
		}
	})
	return w
}

// another is a gateway of the test's own before the same winworker. Clients without
// MCP sessions share the browser of their gateway, and tests that run side by side may not.
func (w *remoteWorld) another(t *testing.T) *harness.Server {
	t.Helper()
	return harness.Serving(t, run.Gateway, nil, "--worker", w.winworker.Base, "--rate", "0")
}

func last(lines []string, n int) []string { return lines[max(0, len(lines)-n):] }

// restart gives the world a new browser, for when a test left the old one in
// a state that no tool ends.
func (w *stdioWorld) restart(t *testing.T) {
	t.Helper()
	harness.Do(t, w.client, "browser_close", nil)
	harness.Do(t, w.client, "browser_start", nil)
}

// visit opens a page of the legacy application.
func (s *suite) visit(t *testing.T, client *mcp.ClientSession, path string) map[string]any {
	t.Helper()
	return harness.Do(t, client, "navigate", harness.Args{"url": s.site + path})
}

// query encodes one parameter of a URL.
func query(name, value string) string { return url.Values{name: {value}}.Encode() }
