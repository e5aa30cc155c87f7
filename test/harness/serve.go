package harness

import (
	"crypto/tls"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Server is a program that serves HTTP.
type Server struct {
	*Program
	Address string // host:port
	Base    string // URL without a path
	Client  *http.Client

	mu         sync.Mutex
	transports []*http.Transport // of the MCP clients
}

// Stop is [Program.Stop] after the clients' idle connections are closed: the
// end in order waits for one that never carried a request.
func (s *Server) Stop(ports ...string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, transport := range s.transports {
		transport.CloseIdleConnections()
	}
	s.Client.CloseIdleConnections()
	return s.Program.Stop(ports...)
}

// Serve starts gateway or winworker on a free port and waits until it is ready.
// With roots it is asked over TLS, for which args must name its certificate.
func Serve(path string, roots *tls.Config, args ...string) (*Server, error) {
	address, err := FreeAddress()
	if err != nil {
		return nil, err
	}
	p, err := Start(path, append([]string{"--listen", address}, args...))
	if err != nil {
		return nil, err
	}
	s := &Server{Program: p, Address: address, Base: "http://" + address, Client: http.DefaultClient}
	if roots != nil {
		s.Base = "https://" + address
		s.Client = &http.Client{Transport: &http.Transport{TLSClientConfig: roots}}
	}
	if err := p.Ready(s.Client, s.Base); err != nil {
		p.Stop(address)
		return nil, err
	}
	return s, nil
}

// Serving is [Serve] for the length of a test, which fails when the program
// leaves anything behind.
func Serving(t testing.TB, path string, roots *tls.Config, args ...string) *Server {
	t.Helper()
	s, err := Serve(path, roots, args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		tellOnFailure(t, s.Program)
		for _, left := range s.Stop(s.Address) {
			t.Errorf("%s left behind: %s", filepath.Base(path), left)
		}
	})
	return s
}

// Running is [Start] for the length of a test, which fails when the program
// leaves anything behind.
func Running(t testing.TB, path string, args []string, env ...string) *Program {
	t.Helper()
	p, err := Start(path, args, env...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		tellOnFailure(t, p)
		for _, left := range p.Stop() {
			t.Errorf("%s left behind: %s", filepath.Base(path), left)
		}
	})
	return p
}

func tellOnFailure(t testing.TB, p *Program) {
	if t.Failed() {
		for _, line := range p.Lines() {
			t.Log(line)
		}
	}
}

// CountingDriver puts a counting driver into a folder, in front of the
// chromedriver of this machine, and returns its path and that of its log.
func (b *Binaries) CountingDriver(folder, chromedriver string) (driver, log string, err error) {
	driver = filepath.Join(folder, "countdriver")
	if err := os.Link(b.CountDriver, driver); err != nil {
		return "", "", err
	}
	err = os.WriteFile(filepath.Join(folder, "driver.path"), []byte(chromedriver), 0o600)
	return driver, filepath.Join(folder, "countdriver.log"), err
}
