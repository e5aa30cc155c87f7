// Package iedriver tests against the real IEDriverServer 4.0.0.0, which runs under Wine
// as far as it does without Internet Explorer: it serves, it negotiates capabilities, it
// looks for a browser. Our code opens sessions with it, and our emulator is held against it.
package iedriver

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"iemesh/test/harness"
	"iemesh/test/wine"
	"iemesh/worker/driver"
)

// readyWithin is how long a driver may take to answer, on a machine that is busy.
const readyWithin = 60 * time.Second

// server is a driver that runs.
type server struct {
	host   string // and port
	cmd    *exec.Cmd
	exited chan struct{}
	killed bool
}

// kill ends a driver that does not answer any more.
func (s *server) kill() {
	s.killed = true
	s.cmd.Process.Kill()
	<-s.exited
}

// startReal starts the real driver.
func startReal(t *testing.T) *server {
	t.Helper()
	path, err := wine.IEDriverServer()
	if err != nil {
		t.Fatal(err)
	}
	folder, port := t.TempDir(), freePort(t)
	return serve(t, windows.Command(context.Background(), path, "/port="+port, "/silent", "/extract-path="+windows.Path(folder)), port)
}

// startEmulator starts the emulator on this machine; set changes its faults.
func startEmulator(t *testing.T) (s *server, set func(t *testing.T, faults string)) {
	t.Helper()
	folder, port := t.TempDir(), freePort(t)
	set = func(t *testing.T, faults string) {
		t.Helper()
		settings := `{"faults":` + cmp.Or(faults, "{}") + `}`
		if err := os.WriteFile(filepath.Join(folder, "iedriversim.json"), []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { // a driver that does not find its browser leaves it
		harness.Until(readyWithin, func() bool {
			left := harness.Processes(folder)
			for _, process := range left {
				process.Kill()
			}
			return len(left) == 0
		})
	})
	cmd := exec.Command(emulator, "/port="+port, "/silent", "/extract-path="+folder)
	cmd.Env = append(os.Environ(), "TMPDIR="+folder) // where profiles stay behind
	return serve(t, cmd, port), set
}

// serve starts a driver, and at the end of the test shuts it down.
func serve(t *testing.T, cmd *exec.Cmd, port string) *server {
	t.Helper()
	s := &server{host: "127.0.0.1:" + port, cmd: cmd, exited: make(chan struct{})}
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { defer close(s.exited); cmd.Wait() }()
	t.Cleanup(func() {
		if s.killed {
			return
		}
		began := time.Now()
		if _, err := get("http://" + s.host + "/shutdown"); err != nil {
			t.Errorf("shutdown: %v", err)
			s.kill()
		}
		select {
		case <-s.exited:
		case <-time.After(readyWithin):
			t.Error("the driver did not end")
			s.kill()
		}
		t.Logf("shut down within %s", time.Since(began))
		if code := cmd.ProcessState.ExitCode(); code != 0 || output.Len() > 0 {
			t.Errorf("the driver ended with %d %s", code, output.Bytes())
		}
	})
	if !harness.Until(readyWithin, func() bool { _, err := get("http://" + s.host + "/status"); return err == nil }) {
		t.Fatal("the driver does not answer")
	}
	t.Logf("%s is ready after %s", filepath.Base(cmd.Path), time.Since(began))
	return s
}

func get(url string) (*http.Response, error) {
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get(url)
	if err == nil {
		resp.Body.Close()
	}
	return resp, err
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
}

// What the tests share, because each takes seconds to make.
var (
	emulator string       // the program
	windows  *wine.Prefix // where real drivers run
)

func TestMain(m *testing.M) {
	driver.Supervise()
	if len(os.Args) > 1 {
		if port, ok := strings.CutPrefix(os.Args[1], "/port="); ok { // started as a driver
			if err := record(os.Args[0], port); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			return
		}
	}
	os.Exit(func() int {
		code, err := within(m.Run)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return code
	}())
}

// within runs the tests where all is there that they share.
func within(run func() int) (code int, err error) {
	if windows, err = wine.New(wine.Bits32); err != nil {
		return 0, err
	}
	defer func() {
		for _, left := range windows.Close() {
			err = fmt.Errorf("left behind: %s", left)
		}
	}()
	emulator = filepath.Join(windows.Folder, "iedriversim")
	build := exec.Command("go", "build", "-o", emulator, "iemesh/worker/iedriversim")
	if output, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("%w\n%s", err, output)
	}
	return run(), nil
}
