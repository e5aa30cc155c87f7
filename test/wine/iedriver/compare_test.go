package iedriver

import (
	"bufio"
	"context"
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
	real := startReal(t)
	emulator, set := startEmulator(t)
	edge, err := windows.Build("test/wine/iedriver/edge", "msedge.exe")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		for _, process := range windows.Running("msedge.exe") { // the driver leaves it
			process.Kill()
		}
	}()
	compared := 0
	for _, group := range []struct {
		name     string
		requests []request
		faults   string // of the emulator: the real one's circumstances
		prepare  func(*testing.T)
	}{
		{name: "stateless", requests: stateless, faults: `{"noBrowser":true}`},
		{name: "no browser", requests: launches, faults: `{"noBrowser":true}`},
		{name: "no window", requests: windowless(windows.Path(edge)), faults: `{"attachFailure":true}`},
		{name: "zones differ", requests: launches, faults: `{"protectedMode":true}`, prepare: zones(0, 3, 3, 3)},
		{name: "chunked", requests: chunked},
		{name: "phantom", requests: phantom},
	} {
		t.Run(group.name, func(t *testing.T) {
			set(t, group.faults)
			if group.prepare != nil {
				group.prepare(t)
			}
			for i, r := range group.requests {
				want, got := exchange(t, real, r), exchange(t, emulator, r)
				if want != got {
					t.Errorf("request %d: %s %s\n%s", i, r.line, r.body, difference(want, got))
				}
			}
		})
		compared += len(group.requests)
	}
	t.Logf("%d requests compared", compared)
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
func exchange(t *testing.T, host string, r request) string {
	t.Helper()
	conn, err := net.DialTimeout("tcp", host, 3*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(conn, r.raw(host)); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(r.line, " ")
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		t.Fatalf("%s: %v", r.line, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatalf("%s: %v", r.line, err)
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
	return answer
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
