package iedriver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestEmulatorAnswersAsTheRealDriver sends the same requests to both.
func TestEmulatorAnswersAsTheRealDriver(t *testing.T) {
	edge, err := windows.Build("test/wine/iedriver/edge", "msedge.exe")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		for _, process := range windows.Running("msedge.exe") { // the driver leaves it
			process.Kill()
		}
	}()
	p := startPair(t)
	compared := 0
	for _, group := range []struct {
		name     string
		requests []request
		faults   string // of the emulator: the real one's circumstances
		prepare  func(*testing.T)
		wedges   bool // has a New Session without a body, which the real driver never answers once in some twenty times on a busy machine
	}{
		{name: "stateless", requests: stateless, faults: `{"noBrowser":true}`},
		{name: "no browser", requests: launches, faults: `{"noBrowser":true}`},
		{name: "no window", requests: windowless(windows.Path(edge)), faults: `{"attachFailure":true}`},
		{name: "zones differ", requests: launches, faults: `{"protectedMode":true}`, prepare: zones(0, 3, 3, 3)},
		{name: "chunked", requests: chunked, wedges: true},
		{name: "phantom", requests: phantom, wedges: true},
	} {
		compared += len(group.requests)
		passed := t.Run(group.name, func(t *testing.T) {
			if group.prepare != nil {
				group.prepare(t)
			}
			for again := 0; ; again++ {
				p.set(t, group.faults)
				err := p.compare(t, group.requests)
				if err == nil {
					break
				}
				if !group.wedges || again == 3 || !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Fatal(err)
				}
				t.Logf("once more, with new drivers: %v", err)
				p.real.kill()
				p = startPair(p.t)
			}
		})
		if !passed {
			break // what follows would meet a driver in whatever state
		}
	}
	t.Logf("%d requests compared", compared)
}

// pair is the real driver and the emulator.
type pair struct {
	t              *testing.T // ends them
	real, emulator *server
	set            func(t *testing.T, faults string)
}

func startPair(t *testing.T) pair {
	t.Helper()
	p := pair{t: t, real: startReal(t)}
	p.emulator, p.set = startEmulator(t)
	return p
}

// compare sends requests to both. An error is that of the real driver, which did not answer.
func (p pair) compare(t *testing.T, requests []request) error {
	t.Helper()
	for i, r := range requests {
		want, err := exchange(p.real.host, r)
		if err != nil {
			return fmt.Errorf("request %d to the real driver: %w", i, err)
		}
		got, err := exchange(p.emulator.host, r)
		if err != nil {
			t.Fatalf("request %d to the emulator: %v", i, err)
		}
		if want != got {
			t.Errorf("request %d: %s %s\n%s", i, r.line, r.body, difference(want, got))
		}
	}
	return nil
}

// zones sets Protected Mode (0 is on, 3 is off) in the zones 1 to 4 for the length of a test.
func zones(values ...int) func(*testing.T) {
	return func(t *testing.T) {
		t.Helper()
		setZones(t, values)
		t.Cleanup(func() { setZones(t, []int{3, 3, 3, 3}) })
	}
}

func setZones(t *testing.T, values []int) {
	t.Helper()
	text := "REGEDIT4\n"
	for i, value := range values {
		text += fmt.Sprintf("\n[HKEY_CURRENT_USER\\Software\\Microsoft\\Windows\\CurrentVersion\\Internet Settings\\Zones\\%d]\n\"2500\"=dword:%d\n", i+1, value)
	}
	file := filepath.Join(t.TempDir(), "zones.reg")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if output, err := windows.Command(context.Background(), "regedit", "/S", windows.Path(file)).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, output)
	}
}

// exchange sends a request on a connection of its own, and gives the answer: status
// line, headers in the order of the alphabet, body, without what is exempt.
func exchange(host string, r request) (string, error) {
	conn, err := net.DialTimeout("tcp", host, 3*time.Second)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(conn, r.raw(host)); err != nil {
		return "", err
	}
	method, _, _ := strings.Cut(r.line, " ")
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		return "", fmt.Errorf("%s: %w", r.line, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", fmt.Errorf("%s: %w", r.line, err)
	}
	var headers []string
	for name, values := range resp.Header {
		headers = append(headers, name+": "+strings.Join(values, ", "))
	}
	slices.Sort(headers)
	answer := fmt.Sprintf("%s %s\n%s\n\n%s", resp.Proto, resp.Status, strings.Join(headers, "\n"), body)
	for _, f := range r.exempt {
		if pattern := regexp.MustCompile(f.match); pattern.MatchString(answer) {
			answer = contentLength.ReplaceAllString(pattern.ReplaceAllString(answer, "(exempt)"), "")
		}
	}
	return answer, nil
}

// contentLength follows from what is exempt.
var contentLength = regexp.MustCompile(`Content-Length: \d+\n`)

// difference is the lines of the real answer (-) and of the emulator's (+) that the other lacks.
func difference(real, emulator string) string {
	visible := strings.NewReplacer("\t", "→", "\r", "␍")
	a, b := strings.Split(visible.Replace(real), "\n"), strings.Split(visible.Replace(emulator), "\n")
	var out strings.Builder
	for _, line := range a {
		if !slices.Contains(b, line) {
			out.WriteString("  - " + line + "\n")
		}
	}
	for _, line := range b {
		if !slices.Contains(a, line) {
			out.WriteString("  + " + line + "\n")
		}
	}
	return out.String()
}
