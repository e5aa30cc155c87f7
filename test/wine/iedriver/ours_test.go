package iedriver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"iemesh/test/harness"
	"iemesh/test/wine"
	"iemesh/worker/driver"
)

// TestNewSessionAsWeSendIt sends the real driver the very bytes with which our client
// opens a session. It understands them, and no phantom session is left.
func TestNewSessionAsWeSendIt(t *testing.T) {
	sent := recorded(t)
	host := startReal(t).host
	for range 2 {
		status, answer := deliver(t, host, sent)
		const want = "Unexpected error launching Internet Explorer. CreateProcess() failed for edge with the following command: "
		if status != http.StatusInternalServerError || !strings.Contains(answer, "session not created") || !strings.Contains(answer, want) {
			t.Errorf("%d %s", status, answer)
		}
		for _, capability := range []string{"--ie-mode-force", "http://127.0.0.1:"} { // ie.edgechromium, initialBrowserUrl
			if !strings.Contains(answer, capability) {
				t.Errorf("no %s in %s", capability, answer)
			}
		}
		if _, answer := deliver(t, host, []byte("GET /status HTTP/1.1\r\nConnection: close\r\nHost: "+host+"\r\n\r\n")); !strings.Contains(answer, `"ready" : true`) {
			t.Errorf("%s", answer)
		}
	}
	// A type that is not the driver's own would go unnoticed: it takes plain IE then.
	if !bytes.Contains(sent, []byte(`"ie.edgechromium":true`)) || !bytes.Contains(sent, []byte("Content-Length: ")) || bytes.Contains(sent, []byte("chunked")) {
		t.Errorf("%s", sent)
	}
}

// recorded is the New Session of our client, as it goes over the wire.
func recorded(t *testing.T) []byte {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	recorder := filepath.Join(t.TempDir(), "IEDriverServer")
	if err := os.Symlink(self, recorder); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), readyWithin)
	defer cancel()
	if _, err := driver.Open(ctx, driver.Config{Engine: "ie", DriverPath: recorder}); driver.KindOf(err) != driver.NotStarted {
		t.Fatal(err)
	}
	sent, err := os.ReadFile(recorder + ".sent")
	if err != nil {
		t.Fatal(err)
	}
	return sent
}

// record is a driver that is ready, writes down its New Session and ends.
func record(program, port string) error {
	l, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		return err
	}
	for {
		conn, err := l.Accept()
		if err != nil {
			return err
		}
		var raw bytes.Buffer
		q, err := http.ReadRequest(bufio.NewReader(io.TeeReader(conn, &raw)))
		if err == nil {
			_, err = io.Copy(io.Discard, q.Body)
		}
		if err != nil {
			return err
		}
		if q.Method == http.MethodPost {
			return os.WriteFile(program+".sent", raw.Bytes(), 0o600)
		}
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 28\r\n\r\n"+`{"value" : {"ready" : true}}`)
		conn.Close()
	}
}

// deliver sends bytes and gives the answer.
func deliver(t *testing.T, host string, request []byte) (status int, body string) {
	t.Helper()
	conn, err := net.DialTimeout("tcp", host, 3*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(readyWithin))
	if _, err := conn.Write(request); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// opener opens sessions under Wine with the real driver.
type opener struct {
	*wine.Prefix
	program, driver, edge string
	before                []string // files of drivers that other tests started
}

func newOpener(t *testing.T, p *wine.Prefix) *opener {
	t.Helper()
	o := &opener{Prefix: p}
	var err error
	if o.driver, err = wine.IEDriverServer(); err != nil {
		t.Fatal(err)
	}
	if o.program, err = o.Build("test/wine/iedriver/open", "open.exe"); err != nil {
		t.Fatal(err)
	}
	if o.edge, err = o.Build("test/wine/iedriver/edge", "msedge.exe"); err != nil {
		t.Fatal(err)
	}
	o.before = o.leftovers(t)
	return o
}

func (o *opener) command(args ...string) *exec.Cmd {
	return o.Command(context.Background(), o.program, append([]string{"-driver", o.Path(o.driver), "-oldest", "4.0.0.0"}, args...)...)
}

// open is what Open says; when it returns, nothing may be left.
func (o *opener) open(t *testing.T, args ...string) (kind driver.Kind, message string) {
	t.Helper()
	cmd := o.command(args...)
	output, err := cmd.Output()
	var out struct {
		Kind    driver.Kind
		Message string
	}
	if err != nil || json.Unmarshal(output, &out) != nil {
		t.Fatalf("%v %s", err, output)
	}
	for _, name := range []string{"msedge.exe", "IEDriverServer.exe"} {
		for _, process := range o.Running(name) {
			t.Errorf("left behind: %s", process)
		}
	}
	if left := o.leftovers(t); len(left) > 0 {
		t.Errorf("left behind: %s", left)
	}
	return out.Kind, out.Message
}

// leftovers are the files of sessions.
func (o *opener) leftovers(t *testing.T) (left []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(o.Folder, "drive_c"), func(path string, _ fs.DirEntry, err error) error {
		name := filepath.Base(path)
		if strings.HasPrefix(name, "iemesh-") || strings.HasPrefix(name, "IEDriver-") || strings.HasPrefix(name, "IED") && strings.HasSuffix(name, ".tmp") {
			if !slices.Contains(o.before, path) {
				left = append(left, path)
			}
		}
		if errors.Is(err, fs.ErrNotExist) { // meanwhile
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return left
}

// TestOpenFindsNoWindow takes the driver's half minute, so it has a Windows of its own and
// runs beside the others.
func TestOpenFindsNoWindow(t *testing.T) {
	t.Parallel()
	o := newOpener(t, wine.Start(t, wine.Bits32))
	kind, message := o.open(t, "-browser", o.Path(o.edge))
	if kind != driver.NotStarted || !strings.Contains(message, "Could not find an Internet Explorer window belonging to the process with ID ") ||
		!strings.Contains(message, " within 30000 milliseconds.") {
		t.Errorf("%s: %s", kind, message)
	}
}

func TestOpenFails(t *testing.T) {
	t.Parallel()
	o := newOpener(t, windows)
	t.Run("too old", func(t *testing.T) {
		if kind, message := o.open(t, "-oldest="); kind != driver.NotInstalled || !strings.Contains(message, "4.0.0.0") {
			t.Errorf("%s: %s", kind, message)
		}
	})
	t.Run("no browser", func(t *testing.T) {
		kind, message := o.open(t)
		if kind != driver.NotStarted || !strings.Contains(message, "CreateProcess() failed for edge with the following command: ") {
			t.Errorf("%s: %s", kind, message)
		}
	})
	t.Run("no time", func(t *testing.T) {
		if kind, message := o.open(t, "-browser", o.Path(o.edge), "-limit", "5s"); kind != driver.Context {
			t.Errorf("%s: %s", kind, message)
		}
	})
	t.Run("zones differ", func(t *testing.T) {
		zones(0, 3, 3, 3)(t)
		kind, message := o.open(t, "-browser", o.Path(o.edge))
		if kind != driver.NotStarted || !strings.Contains(message, "Protected Mode settings are not the same for all zones.") {
			t.Errorf("%s: %s", kind, message)
		}
	})
	t.Run("killed", o.killed)
}

// killed kills the program while the driver waits for the browser's window. Both go with
// it; the files go when the next one starts.
func (o *opener) killed(t *testing.T) {
	cmd := o.command("-browser", o.Path(o.edge))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !harness.Until(readyWithin, func() bool { return len(o.Running("msedge.exe")) > 0 }) {
		t.Error("the browser was not started")
	}
	cmd.Process.Kill()
	cmd.Wait()
	began := time.Now()
	if !harness.Until(5*time.Second, func() bool { return len(o.Running("msedge.exe"))+len(o.Running("IEDriverServer.exe")) == 0 }) {
		t.Errorf("left behind after 5 s: %v %v", o.Running("msedge.exe"), o.Running("IEDriverServer.exe"))
	}
	t.Logf("gone after %s", time.Since(began))
	if len(o.leftovers(t)) == 0 {
		t.Error("there is nothing to sweep")
	}
	o.open(t)
}
