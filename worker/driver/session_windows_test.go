package driver

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/windows"
)

const driverName, browserName = "IEDriverServer.exe", "msedge.exe"

// pretendDriver is a driver that starts a browser, and fails as a file beside it says.
func pretendDriver() {
	var port, folder string
	for _, arg := range os.Args {
		if value, ok := strings.CutPrefix(arg, "/port="); ok {
			port = value
		}
		if value, ok := strings.CutPrefix(arg, "/extract-path="); ok {
			folder = value
		}
	}
	beside := filepath.Dir(os.Args[0])
	fault, _ := os.ReadFile(filepath.Join(beside, "fault"))
	mux := http.NewServeMux()
	answer := func(pattern string, status int, body string, before func()) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
			before()
			w.WriteHeader(status)
			w.Write([]byte(body))
		})
	}
	browser := func() {
		os.WriteFile(filepath.Join(folder, "IED1.tmp"), nil, 0o600)
		profile := filepath.Join(os.TempDir(), "IEDriver-1")
		os.Mkdir(profile, 0o700)
		os.WriteFile(filepath.Join(profile, "state"), nil, 0o600)
		startBrowser(filepath.Join(beside, browserName), "--user-data-dir="+profile)
	}
	version := "4.14.0.0 (32-bit)"
	if string(fault) == "old" {
		version = "4.0.0.0 (32-bit)"
	}
	answer("GET /status", 200, `{"value":{"build":{"version":"`+version+`"},"ready":true}}`, func() {})
	if string(fault) == "start" {
		answer("POST /session", 500, `{"value":{"error":"session not created","message":"no window"}}`, browser)
	} else {
		answer("POST /session", 200, `{"value":{"sessionId":"s","capabilities":{"browserVersion":"11"}}}`, browser)
	}
	answer("DELETE /session/s", 200, `{"value":null}`, func() {
		if string(fault) == "quit" {
			<-time.After(time.Hour)
		}
	})
	answer("GET /session/s/window", 200, `{"value":"w"}`, func() {})
	http.ListenAndServe("127.0.0.1:"+port, mux)
}

// openPretended opens a session with the pretended driver.
func openPretended(t *testing.T, fault string) (s *Session, err error) {
	t.Helper()
	temp := tempFolder(t)
	beside, err := os.MkdirTemp(temp, "programs")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{driverName, browserName} {
		if err := os.WriteFile(filepath.Join(beside, name), self, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(beside, "fault"), []byte(fault), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	s, _, err = open(ctx, ie{}, Config{}, Programs{Driver: filepath.Join(beside, driverName)})
	t.Cleanup(func() {
		if left, _ := filepath.Glob(filepath.Join(temp, folderPrefix+"*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
		if left := strays(temp); len(left) > 0 {
			t.Errorf("still running: %v", left)
		}
	})
	return s, err
}

func TestDeadBrowserLosesTheSession(t *testing.T) {
	s, err := openPretended(t, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Window(t.Context()); err != nil {
		t.Fatal(err)
	}
	browser := browserIn(t, s.folder)
	if path := image(browser); !strings.EqualFold(filepath.Base(path), browserName) {
		t.Fatalf("the browser is %q", path)
	}
	kill(t, browser)
	killed := time.Now()
	<-s.Lost()
	t.Logf("noticed after %v: %v", time.Since(killed), s.Why())
	if time.Since(killed) > 5*time.Second || !strings.Contains(s.Why().Error(), "browser") {
		t.Errorf("after %v: %v", time.Since(killed), s.Why())
	}
	s.Close()
}

func TestHangingQuitIsCut(t *testing.T) {
	s, err := openPretended(t, "quit")
	if err != nil {
		t.Fatal(err)
	}
	browser := browserIn(t, s.folder)
	closing := time.Now()
	s.Close()
	if took := time.Since(closing); took > quitLimit+3*time.Second {
		t.Errorf("closed after %v", took)
	}
	if alive(browser) {
		t.Error("the browser lives")
	}
}

func TestFailedStartLeavesNothing(t *testing.T) {
	for fault, want := range map[string]Kind{"start": NotStarted, "old": NotInstalled} {
		if _, err := openPretended(t, fault); KindOf(err) != want {
			t.Errorf("%s: %v", fault, err)
		}
	}
}

// A sweep ends what belongs to a folder of ours that nobody holds any more, and
// nothing else that has such a name.
func TestSweepTakesOnlyOurs(t *testing.T) {
	temp := tempFolder(t)
	put := func(names ...string) (path string) {
		path = filepath.Join(append([]string{temp}, names...)...)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	abandoned := filepath.Dir(put("iemesh-abandone", lockName))
	put("iemesh-abandone", "IEDriver-1", "state")
	foreign := []string{
		put("IEDriver-2", "state"), put("IED2.tmp"), put("iemesh-12345678"),
		put("iemesh-nolock00", "letter.txt"), put("iemesh-a-longer-name", lockName),
	}
	edge := filepath.Join(temp, browserName)
	self, err := os.ReadFile(os.Args[0])
	if err == nil {
		err = os.WriteFile(edge, self, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) uint32 {
		cmd := exec.Command(edge, args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go cmd.Wait()
		return uint32(cmd.Process.Pid)
	}
	orphan := run("--user-data-dir=" + filepath.Join(abandoned, "IEDriver-1"))
	others := []uint32{
		run("--user-data-dir=" + filepath.Join(temp, "IEDriver-2")),
		run(filepath.Join(abandoned, "letter.txt")),
	}
	defer func() {
		for _, pid := range others {
			kill(t, pid)
			eventually(t, "the end of the others", func() bool { return !alive(pid) })
		}
	}()
	eventually(t, "the strays are seen", func() bool { return len(strays(abandoned)) > 0 })
	sweep()
	if _, err := os.Stat(abandoned); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("our folder: %v", err)
	}
	if alive(orphan) {
		t.Error("our browser lives")
	}
	for _, path := range foreign {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("what only looks like ours: %v", err)
		}
	}
	for i, pid := range others {
		if !alive(pid) {
			t.Errorf("browser %d was not ours", i)
		}
	}
}

func kill(t *testing.T, pid uint32) {
	t.Helper()
	h, err := windows.OpenProcess(windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		t.Fatal(err)
	}
	defer windows.CloseHandle(h)
	if err := windows.TerminateProcess(h, 1); err != nil {
		t.Fatal(err)
	}
}

func TestStayAwake(t *testing.T) {
	allow := stayAwake()
	allow()
}
