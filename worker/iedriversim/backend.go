package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// backend is the chromedriver, and a session of it.
type backend struct {
	url     string // "http://127.0.0.1:port"
	session string // "/session/…" or ""
	targets string // "http://host:port" of the browser's debugger
	browser int    // process id; when the chromedriver is remote that of its browser's substitute, or 0
	process *os.Process
	gone    <-chan struct{}
}

// refusal is an error that chromedriver answered.
type refusal struct {
	Code    string `json:"error"`
	Message string `json:"message"`
	Data    struct{ Text string }
}

func (r *refusal) Error() string { return r.Code + ": " + r.Message }

// refused returns chromedriver's code, or "" when it did not answer with one.
func refused(err error) string {
	var r *refusal
	if errors.As(err, &r) {
		return r.Code
	}
	return ""
}

var startedOn = regexp.MustCompile(`started successfully on port (\d+)`)

// startBackend starts a chromedriver, or takes the one at the URL of the settings.
func startBackend(s settings) (*backend, error) {
	if s.ChromedriverURL != "" {
		return &backend{url: strings.TrimSuffix(s.ChromedriverURL, "/")}, nil
	}
	path := cmp.Or(s.Chromedriver, "chromedriver")
	for attempt := 1; ; attempt++ {
		b, err := startChromedriver(path)
		// It takes a free port of IPv4 and ends where that of IPv6 is not free.
		if !errors.Is(err, errEnded) || attempt == 4 {
			return b, err
		}
	}
}

var errEnded = errors.New("chromedriver ended at once")

func startChromedriver(path string) (*backend, error) {
	cmd := exec.Command(path, "--port=0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	gone := make(chan struct{})
	lines := bufio.NewScanner(out)
	port, said := "", ""
	for port == "" && lines.Scan() {
		said = lines.Text()
		if m := startedOn.FindStringSubmatch(said); m != nil {
			port = m[1]
		}
	}
	go io.Copy(io.Discard, out) // which a browser that is left behind holds open
	go func() { cmd.Wait(); close(gone) }()
	if port == "" {
		<-gone
		return nil, fmt.Errorf("%w: %s", errEnded, said)
	}
	return &backend{url: "http://127.0.0.1:" + port, process: cmd.Process, gone: gone}, nil
}

// send does one command. path is below the session, if there is one.
func (b *backend) send(method, path string, in any) (json.RawMessage, error) {
	return b.sendWithin(context.Background(), method, path, in)
}

func (b *backend) sendWithin(ctx context.Context, method, path string, in any) (json.RawMessage, error) {
	var body io.Reader
	if method == http.MethodPost {
		if in == nil {
			in = struct{}{}
		}
		content, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(content)
	}
	q, err := http.NewRequestWithContext(ctx, method, b.url+b.session+path, body)
	if err != nil {
		return nil, err
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	var reply struct{ Value json.RawMessage }
	if err := json.NewDecoder(r.Body).Decode(&reply); err != nil {
		return nil, err
	}
	if r.StatusCode == http.StatusOK {
		return reply.Value, nil
	}
	refusal := new(refusal)
	if err := json.Unmarshal(reply.Value, refusal); err != nil {
		return nil, err
	}
	refusal.Message, _, _ = strings.Cut(refusal.Message, "\n  (Session info")
	refusal.Message = strings.TrimPrefix(refusal.Message, refusal.Code+": ")
	return nil, refusal
}

// cdp does one command of the DevTools protocol in the current window.
func (b *backend) cdp(command string, params map[string]any) (json.RawMessage, error) {
	return b.send(http.MethodPost, "/goog/cdp/execute", map[string]any{"cmd": command, "params": params})
}

const userAgent = "Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko"

// remote says whether the chromedriver is not ours, and perhaps elsewhere.
func (b *backend) remote() bool { return b.process == nil }

// open opens the browser, with its profile in the folder.
func (b *backend) open(s settings, profile, pageLoadStrategy string) error {
	remote := b.remote()
	args := []string{
		"--user-agent=" + userAgent,
		"--window-size=1280,863",
		"--disable-popup-blocking",
		"--no-default-browser-check",
		"--disable-component-update",
		"--disable-dev-shm-usage",
		// A window of its own process goes on while an HTML dialog blocks its opener.
		"--disable-features=ProcessPerSiteUpToMainFrameThreshold",
	}
	if !remote { // else the path might mean nothing there
		args = append(args, "--user-data-dir="+profile)
	}
	if remote || os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" && os.PathSeparator == '/' {
		args = append(args, "--headless=new")
	}
	if remote || os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	options := map[string]any{"args": args, "prefs": map[string]any{
		"credentials_enable_service":              false,
		"profile.password_manager_enabled":        false,
		"profile.password_manager_leak_detection": false,
	}}
	if s.Chromium != "" {
		options["binary"] = s.Chromium
	}
	value, err := b.send(http.MethodPost, "/session", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"pageLoadStrategy":        pageLoadStrategy,
		"unhandledPromptBehavior": "ignore",
		"goog:chromeOptions":      options,
	}}})
	if err != nil {
		return err
	}
	var session struct {
		SessionID    string
		Capabilities struct {
			Process int `json:"goog:processID"`
			Options struct {
				DebuggerAddress string
			} `json:"goog:chromeOptions"`
		}
	}
	if err := json.Unmarshal(value, &session); err != nil {
		return err
	}
	b.session = "/session/" + session.SessionID
	if !remote {
		b.browser = session.Capabilities.Process
	}
	b.targets = "http://" + session.Capabilities.Options.DebuggerAddress
	return nil
}

// substitute starts the program of Edge: a browser elsewhere leaves nothing behind here,
// and its process does not die with a job.
func (b *backend) substitute(commandLine string) error {
	words := strings.Fields(commandLine)
	cmd := exec.Command(words[0], words[1:]...)
	if err := cmd.Start(); err != nil {
		return err
	}
	b.browser = cmd.Process.Pid
	go cmd.Wait()
	return nil
}

// target is a window of the browser; its ID is chromedriver's handle.
type target struct{ ID, Type, URL string }

// windows asks the browser itself, because chromedriver does not answer when a page has
// opened a window and then a dialog.
func (b *backend) windows() ([]target, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	value, err := b.debugger(ctx, http.MethodGet, "/json/list")
	if err != nil {
		return nil, err
	}
	var all, pages []target
	if err := json.Unmarshal(value, &all); err != nil {
		return nil, err
	}
	for _, t := range all {
		if t.Type == "page" {
			pages = append(pages, t)
		}
	}
	return pages, nil
}

func (b *backend) debugger(ctx context.Context, method, path string) ([]byte, error) {
	q, err := http.NewRequestWithContext(ctx, method, b.targets+path, nil)
	if err != nil {
		return nil, err
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the browser's debugger answers %s", r.Status)
	}
	return io.ReadAll(r.Body)
}

// close ends the session and its browser within about the limit.
func (b *backend) close(limit time.Duration) {
	if b.session == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	_, _ = b.sendWithin(ctx, http.MethodDelete, "", nil)
	b.killBrowser() // which may outlive the answer, or the limit
	b.session = ""
}

func (b *backend) killBrowser() {
	if p, err := os.FindProcess(b.browser); err == nil && b.browser > 0 {
		p.Kill()
	}
}

// end ends the chromedriver, if we started it; a browser that was left to itself stays.
func (b *backend) end() {
	if b.process != nil {
		b.process.Kill()
		<-b.gone
	}
}
