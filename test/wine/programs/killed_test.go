package programs

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"iemesh/api"
	"iemesh/test/harness"
)

// goneWithin is how long driver and browser may outlive a winworker that is killed.
const goneWithin = 5 * time.Second

// A winworker.exe that is killed takes its driver and its browser with it; what
// they leave on the disk the next one removes. What is not ours stays, whatever
// it is called.
func TestKilledWinworker(t *testing.T) {
	m := windows32
	args := m.emulator(t, chromedriver(t))
	arrived, done := make(chan struct{}, 1), make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			arrived <- struct{}{}
			<-done
		}
	}))
	t.Cleanup(func() { close(done); site.Close() }) // before chromedriver ends, which waits for the page
	held, strangers := m.strangers(t)

	for _, c := range []struct {
		name string
		busy func(page func(path string))
	}{
		{"between calls", func(page func(string)) { page("/") }},
		{"in a call", func(page func(string)) {
			go page("/slow")
			<-arrived
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			worker := m.serving(t, args...)
			open := opened(t, worker)
			c.busy(func(path string) {
				open["operation"], open["input"] = "navigate", harness.Args{"url": site.URL + path}
				open["timeoutMs"] = 60_000
				// The worker dies meanwhile, perhaps: there may be no answer.
				harness.Operations{Server: worker}.Try(api.NewID(), open)
			})
			ours := func() []harness.Process {
				both := append(m.Running("IEDriverServer.exe"), m.Running("msedge.exe")...)
				return slices.DeleteFunc(both, func(p harness.Process) bool { return slices.Contains(strangers, p.Pid) })
			}
			if len(ours()) != 2 {
				t.Errorf("running: %v", ours())
			}
			worker.Signal(os.Kill)
			if !harness.Until(goneWithin, func() bool { return len(m.Running("winworker.exe")) == 0 }) {
				t.Fatal("the killed winworker lives")
			}
			begin := time.Now()
			if !harness.Until(goneWithin, func() bool { return len(ours()) == 0 }) {
				t.Errorf("left after %s: %v", goneWithin, ours())
			}
			t.Logf("driver and browser were gone after %s", time.Since(begin).Round(time.Millisecond))
			left := slices.DeleteFunc(m.temporary(t), func(name string) bool { return slices.Contains(held, name) })
			if len(left) != 1 || !strings.HasPrefix(left[0], "iemesh-") {
				t.Errorf("on the disk: %q", left)
			}

			next := m.serving(t, args...)
			opened(t, next)
			if _, err := os.Stat(filepath.Join(m.Temporary(), left[0])); err == nil {
				t.Errorf("%s was not swept", left[0])
			}
			m.close(t, next.Program, "winworker.exe")
			if !harness.Until(goneWithin, func() bool { return len(ours()) == 0 }) {
				t.Errorf("left after an end in order: %v", ours())
			}
			if now := m.temporary(t); !slices.Equal(now, held) {
				t.Errorf("the temporary folder holds %q, not %q", now, held)
			}
			if now := append(m.Running("IEDriverServer.exe"), m.Running("msedge.exe")...); len(now) != len(strangers) {
				t.Errorf("running: %v, not %v", now, strangers)
			}
		})
	}
}

// opened opens a session and returns the call that names it.
func opened(t *testing.T, worker *harness.Server) harness.Args {
	t.Helper()
	created := harness.Operations{Server: worker}.Must(t, api.NewID(), harness.Args{"operation": "session_create", "timeoutMs": 60_000})
	return harness.Args{"sessionId": created.Result["sessionId"], "pageId": created.Result["pageId"]}
}

// strangers makes files and processes that look like ours and are not, for the
// length of a test.
func (m *machine) strangers(t *testing.T) (files []string, pids []int) {
	t.Helper()
	profile := filepath.Join(m.Temporary(), "IEDriver-0b2c3f5e-6d1a-4a53-9a6e-2f3b1c9d8e7f")
	for _, file := range []string{
		filepath.Join(profile, "Preferences"),
		filepath.Join(m.Temporary(), "IED1A2B.tmp"),
		filepath.Join(m.Temporary(), "iemesh-photos", "1.png"),
		filepath.Join(m.Temporary(), "iemesh-abcdefgh", "important.txt"), // of our form, but nobody's lock is in it
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		long := time.Now().Add(-48 * time.Hour)
		os.Chtimes(file, long, long)
		os.Chtimes(filepath.Dir(file), long, long)
	}
	files = m.temporary(t)
	t.Cleanup(func() {
		for _, name := range files {
			os.RemoveAll(filepath.Join(m.Temporary(), name))
		}
	})
	address, err := harness.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(address, ":")
	for program, args := range map[string][]string{
		m.edge:   {"--ie-mode-force", "--user-data-dir=" + m.Path(profile), "http://127.0.0.1:" + port},
		m.driver: {"/port=" + port, "/silent", "/extract-path=" + m.Path(profile)},
	} {
		p := m.launched(t, program, args)
		t.Cleanup(func() {
			p.Signal(os.Kill)
			p.Ended(goneWithin)
		})
		if !harness.Until(startWithin, func() bool { return len(m.Running(filepath.Base(program))) == 1 }) {
			t.Fatalf("%s does not run", program)
		}
		pids = append(pids, p.Pid)
	}
	return files, pids
}
