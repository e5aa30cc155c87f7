// Package iedriver tests against the real IEDriverServer 4.0.0.0, which runs under Wine
// as far as it does without Internet Explorer: it serves, it negotiates capabilities, it
// looks for a browser. Our code opens sessions with it, and our emulator is held against it.
package iedriver

import (
	"bytes"
	"context"
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

// startReal starts the real driver, and returns its host and port. extra are further flags.
func startReal(t *testing.T, p *wine.Prefix, extra ...string) string {
	t.Helper()
	path, err := wine.IEDriverServer()
	if err != nil {
		t.Fatal(err)
	}
	folder, err := os.MkdirTemp(p.Folder, "extract-")
	if err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	flags := append([]string{"/port=" + port, "/silent", "/extract-path=" + p.Path(folder)}, extra...)
	return serve(t, p.Command(context.Background(), path, flags...), port)
}

// startEmulator builds and starts the emulator for this machine.
func startEmulator(t *testing.T, faults string) string {
	t.Helper()
	folder := t.TempDir()
	settings := `{"faults":` + faults + `}`
	if err := os.WriteFile(filepath.Join(folder, "iedriversim.json"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	return serve(t, exec.Command(emulator, "/port="+port, "/silent", "/extract-path="+folder), port)
}

// serve starts a driver, and at the end of the test shuts it down.
func serve(t *testing.T, cmd *exec.Cmd, port string) string {
	t.Helper()
	host := "127.0.0.1:" + port
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	go func() { defer close(exited); cmd.Wait() }()
	t.Cleanup(func() {
		if _, err := get("http://" + host + "/shutdown"); err != nil {
			t.Errorf("shutdown: %v", err)
			cmd.Process.Kill()
		}
		select {
		case <-exited:
		case <-time.After(readyWithin):
			t.Error("the driver did not end")
			cmd.Process.Kill()
			<-exited
		}
		if code := cmd.ProcessState.ExitCode(); code != 0 || output.Len() > 0 {
			t.Errorf("the driver ended with %d %s", code, output.Bytes())
		}
	})
	if !harness.Until(readyWithin, func() bool { _, err := get("http://" + host + "/status"); return err == nil }) {
		t.Fatal("the driver does not answer")
	}
	return host
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

// emulator is the program, built once.
var emulator string

func TestMain(m *testing.M) {
	driver.Supervise()
	if len(os.Args) > 1 {
		if port, ok := strings.CutPrefix(os.Args[1], "/port="); ok { // started as a driver
			if err := record(os.Args[0], port); err != nil {
				os.Stderr.WriteString(err.Error())
				os.Exit(1)
			}
			return
		}
	}
	os.Exit(func() int {
		folder, err := os.MkdirTemp("", "iedriver-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(folder)
		emulator = filepath.Join(folder, "iedriversim")
		build := exec.Command("go", "build", "-o", emulator, "iemesh/worker/iedriversim")
		if output, err := build.CombinedOutput(); err != nil {
			os.Stderr.Write(output)
			return 1
		}
		return m.Run()
	}())
}
