package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	binary string
	site   *httptest.Server
	pages  sync.Map // path → HTML
	shared *sim     // with a session, for tests that leave it as it was
)

func TestMain(m *testing.M) {
	os.Exit(func() int {
		folder, err := os.MkdirTemp("", "sim")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(folder)
		binary = filepath.Join(folder, "IEDriverServer.exe")
		if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "%s", out)
			return 1
		}
		site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			html, ok := pages.Load(r.URL.Path)
			if !ok {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, html)
		}))
		defer site.Close()
		code := m.Run()
		if shared != nil {
			if err := shared.finish(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				return 1
			}
		}
		return code
	}())
}

// sim is a running program and perhaps its session.
type sim struct {
	folder  string
	port    int
	cmd     *exec.Cmd
	exited  chan struct{}
	output  bytes.Buffer
	session string // its path, or ""
}

const poll = 10 * time.Millisecond

// quick are settings for tests that are not about time.
const quick = `{"faults":{"popupDelayMs":0,"findMissMs":10,"unknownHandleMs":10}}`

// launch starts the program in a folder of its own and waits until it answers or exits.
func launch(settings string, args ...string) (*sim, error) {
	folder, err := os.MkdirTemp("", "s")
	if err != nil {
		return nil, err
	}
	s := &sim{folder: folder, exited: make(chan struct{})}
	if err := s.set(settings); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s.port = l.Addr().(*net.TCPAddr).Port
	l.Close()
	s.cmd = exec.Command(binary, append([]string{fmt.Sprintf("/port=%d", s.port), "/extract-path=" + folder}, args...)...)
	s.cmd.Env = append(os.Environ(), "TMPDIR="+folder, "TMP="+folder, "HOME="+folder)
	s.cmd.Stdout, s.cmd.Stderr = &s.output, os.Stderr
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { s.cmd.Wait(); close(s.exited) }()
	for {
		if r := s.do("GET", "/status", nil); r.status == 200 {
			return s, nil
		}
		select {
		case <-s.exited:
			return s, nil
		case <-time.After(poll):
		}
	}
}

func (s *sim) set(settings string) error {
	return os.WriteFile(filepath.Join(s.folder, "iedriversim.json"), []byte(settings), 0o600)
}

// start is launch for a test, which ends by checking that nothing is left.
func start(t *testing.T, settings string, args ...string) *sim {
	t.Helper()
	s, err := launch(settings, args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.finish(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// startSession is start with a session.
func startSession(t *testing.T, settings string) *sim {
	t.Helper()
	s := start(t, settings)
	if err := s.open(); err != nil {
		t.Fatal(err)
	}
	return s
}

var wish = map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
	"browserName":             "internet explorer",
	"unhandledPromptBehavior": "ignore",
	"se:ieOptions":            map[string]any{"ie.edgechromium": true, "browserAttachTimeout": 30000},
}}}

func (s *sim) open() error {
	r := s.do("POST", "/session", wish)
	var made struct{ SessionID string }
	if json.Unmarshal(r.value, &made); made.SessionID == "" {
		return fmt.Errorf("no session: %d %s %v", r.status, r.value, r.err)
	}
	s.session = "/session/" + made.SessionID
	return nil
}

// finish ends the program in order, and tells what it left.
func (s *sim) finish() error {
	defer os.RemoveAll(s.folder)
	s.do("GET", "/shutdown", nil)
	var left []string
	select {
	case <-s.exited:
	case <-time.After(10 * time.Second):
		left = append(left, "the program itself")
		s.cmd.Process.Kill()
		<-s.exited
	}
	if s.cmd.ProcessState.ExitCode() == 66 { // the race detector's
		left = append(left, "a data race")
	}
	deadline := time.Now().Add(5 * time.Second)
	processes := s.processes()
	for len(processes) > 0 && time.Now().Before(deadline) {
		<-time.After(poll)
		processes = s.processes()
	}
	for pid, line := range processes {
		left = append(left, line)
		kill(pid)
	}
	profiles, _ := filepath.Glob(filepath.Join(s.folder, "IEDriver-*"))
	if left = append(left, profiles...); len(left) > 0 {
		return fmt.Errorf("left behind: %.200q", left)
	}
	return nil
}

// processes are those that name the folder in their arguments or environment.
func (s *sim) processes() map[int]string {
	found := map[int]string{}
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		args, _ := os.ReadFile("/proc/" + entry.Name() + "/cmdline")
		env, _ := os.ReadFile("/proc/" + entry.Name() + "/environ")
		stat, _ := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if bytes.Contains(stat, []byte(") Z ")) {
			continue
		}
		if bytes.Contains(args, []byte(s.folder)) || bytes.Contains(env, []byte(s.folder)) {
			found[pid] = strings.ReplaceAll(string(args), "\x00", " ")
		}
	}
	return found
}

func kill(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		p.Kill()
	}
}

// sweep removes what a fault left behind on purpose, and says how much it was.
func (s *sim) sweep() (processes, profiles int) {
	for {
		list := s.processes()
		delete(list, s.cmd.Process.Pid)
		if len(list) == 0 {
			break
		}
		processes = max(processes, len(list))
		for pid := range list {
			kill(pid)
		}
		<-time.After(poll)
	}
	folders, _ := filepath.Glob(filepath.Join(s.folder, "IEDriver-*"))
	for _, folder := range folders {
		os.RemoveAll(folder)
	}
	return processes, len(folders)
}

type reply struct {
	status int
	header http.Header
	value  json.RawMessage
	err    error
	took   time.Duration
}

func (r reply) failure() (code, message, text string) {
	var f struct {
		Error, Message string
		Data           struct{ Text string }
	}
	json.Unmarshal(r.value, &f)
	return f.Error, f.Message, f.Data.Text
}

func (s *sim) do(method, path string, body any) reply {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	return s.doWithin(ctx, method, path, body)
}

func (s *sim) doWithin(ctx context.Context, method, path string, body any) (r reply) {
	var content io.Reader
	if method == "POST" {
		if body == nil {
			body = struct{}{}
		}
		b, _ := json.Marshal(body)
		content = bytes.NewReader(b)
	}
	q, err := http.NewRequestWithContext(ctx, method, fmt.Sprintf("http://127.0.0.1:%d%s", s.port, path), content)
	if err != nil {
		return reply{err: err}
	}
	return exchange(q)
}

var transport = &http.Transport{DisableKeepAlives: true}

func exchange(q *http.Request) (r reply) {
	began := time.Now()
	answer, err := transport.RoundTrip(q)
	if err != nil {
		return reply{err: err, took: time.Since(began)}
	}
	defer answer.Body.Close()
	r.status, r.header = answer.StatusCode, answer.Header
	decoder := json.NewDecoder(answer.Body)
	decoder.UseNumber()
	var out struct{ Value any }
	r.err = decoder.Decode(&out)
	r.took = time.Since(began)
	if r.err != nil {
		return r
	}
	var value bytes.Buffer // without the driver's style
	encoder := json.NewEncoder(&value)
	encoder.SetEscapeHTML(false)
	encoder.Encode(out.Value)
	r.value = bytes.TrimSpace(value.Bytes())
	return r
}

// client is a session inside a test.
type client struct {
	*testing.T
	*sim
}

// on gives a test the shared session under settings, at its first window and top.
func on(t *testing.T, settings string) client {
	t.Helper()
	if shared == nil {
		s, err := launch(quick)
		if err != nil {
			t.Fatal(err)
		}
		shared = s
		if err := s.open(); err != nil {
			t.Fatal(err)
		}
	}
	c := client{t, shared}
	c.settings(settings)
	t.Cleanup(func() { shared.set(quick) })
	return c
}

func (c client) settings(settings string) {
	c.Helper()
	if err := c.set(settings); err != nil {
		c.Fatal(err)
	}
}

func (c client) try(method, path string, body any) reply {
	return c.do(method, c.session+path, body)
}

// must is a command that succeeds; it gives the value.
func (c client) must(method, path string, body any) string {
	c.Helper()
	r := c.try(method, path, body)
	if r.status != 200 || r.err != nil {
		c.Fatalf("%s %s: %d %s %v", method, path, r.status, r.value, r.err)
	}
	return string(r.value)
}

// fails is a command that fails with this status, code and message.
func (c client) fails(r reply, status int, code, message string) {
	c.Helper()
	gotCode, gotMessage, _ := r.failure()
	if r.status != status || gotCode != code || gotMessage != message {
		c.Errorf("got %d %s, want %d %q %q (%v)", r.status, r.value, status, code, message, r.err)
	}
}

var sequence int

// page shows a page under an address of its own.
func (c client) page(html string) (url string) {
	c.Helper()
	url = site.URL + put(html)
	c.must("POST", "/url", map[string]string{"url": url})
	return url
}

func put(html string) string {
	sequence++
	path := fmt.Sprintf("/p%d", sequence)
	pages.Store(path, html)
	return path
}

func (c client) find(css string) string {
	c.Helper()
	var element map[string]string
	json.Unmarshal([]byte(c.must("POST", "/element", map[string]string{"using": "css selector", "value": css})), &element)
	return element[elementKey]
}

func ref(id string) map[string]string { return map[string]string{elementKey: id} }

func (c client) click(css string) {
	c.Helper()
	c.must("POST", "/element/"+c.find(css)+"/click", nil)
}

func script(text string, args ...any) map[string]any {
	if args == nil {
		args = []any{}
	}
	return map[string]any{"script": text, "args": args}
}

func (c client) js(text string, args ...any) string {
	c.Helper()
	return c.must("POST", "/execute/sync", script(text, args...))
}

func (c client) handles() (list []string) {
	c.Helper()
	json.Unmarshal([]byte(c.must("GET", "/window/handles", nil)), &list)
	return list
}

// eventually waits for a condition.
func (c client) eventually(what string, holds func() bool) {
	c.Helper()
	for deadline := time.Now().Add(8 * time.Second); !holds(); {
		if time.Now().After(deadline) {
			c.Fatalf("never: %s", what)
		}
		<-time.After(poll)
	}
}
