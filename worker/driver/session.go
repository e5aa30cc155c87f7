// Package driver drives one browser per session over WebDriver, with contexts,
// exact errors and nothing left behind.
//
// A session is one driver process and one browser in a process tree of their
// own. On Linux and macOS a supervisor, which is this binary executed again,
// holds a pipe to us and ends the tree and its files when the pipe closes; on
// Windows a job object does. Commands go through github.com/tebeka/selenium where
// it is right and raw where it is not, always over the session's own transport.
// The engine seam holds what differs between browsers.
package driver

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Config says which browser to open.
type Config struct {
	Engine       string           // "chromium", "edge", "ie"
	DriverPath   string           // "": looked up
	BrowserPath  string           // "": looked up
	Headless     string           // "true", "false", else when there is no display
	OldestDriver string           // version of IEDriverServer that is still taken; "" = OldestIEDriver
	Warn         func(msg string) // told once per process what is unsafe; may be nil
}

// Check says whether Open can work here, without starting anything. A NotInstalled
// error names the command that installs what is missing.
func Check(cfg Config) error {
	_, err := Locate(cfg)
	return err
}

// Session is one WebDriver session. Its methods may be called concurrently; the
// commands run one at a time. Each is one exchange with the driver, and one more
// when a limit of the driver changes.
type Session struct {
	*client
	opened
	port        int
	start       string
	program     string
	differences []Difference
	folder      string // of its files
	tree        *tree
	once        sync.Once
	window      string // the current one, "" = not known; guarded by slot

	closing, gone chan struct{}
}

const (
	quitLimit  = 3 * time.Second
	lastAnswer = 500 * time.Millisecond
)

var errClosed = errors.New("the session was closed")

// Open starts a driver, a browser and a session. When it fails, or ctx ends,
// nothing is left.
func Open(ctx context.Context, cfg Config) (*Session, error) {
	e, err := engineOf(cfg.Engine)
	if err != nil {
		return nil, err
	}
	p, err := e.locate(cfg)
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		s, ready, err := open(ctx, e, cfg, p)
		// A driver that exits at once may have found its port taken.
		if err == nil || ready || ctx.Err() != nil || attempt == 3 {
			return s, err
		}
	}
}

// open is one attempt; ready says whether the driver answered.
func open(ctx context.Context, e engine, cfg Config, p Programs) (_ *Session, ready bool, err error) {
	if ctx.Err() != nil {
		return nil, false, contextError("open", ctx, false)
	}
	port, err := freePort()
	if err != nil {
		return nil, false, &Error{Kind: NotStarted, Command: "open", Message: "no free port", Cause: err}
	}
	folder := newFolder()
	l := e.launch(cfg, p, folder, port)
	t, err := start(program{Folder: folder, Path: p.Driver, Args: l.args, Env: append(environment(folder), l.env...)})
	if err != nil {
		return nil, false, &Error{Kind: NotStarted, Command: "open", Message: "the driver could not be started", Cause: err}
	}
	driver := newClient("http://127.0.0.1:"+strconv.Itoa(port)+l.base, l)
	defer driver.lose(errClosed)
	defer func() {
		if err != nil {
			t.end()
		}
	}()
	status, err := awaitDriver(ctx, driver, t)
	if err != nil {
		return nil, false, err
	}
	if l.judge != nil {
		if err := l.judge(status); err != nil {
			return nil, true, err
		}
	}
	id, capabilities, err := newSession(ctx, driver, t, l.capabilities)
	if err != nil {
		return nil, true, err
	}
	s := &Session{port: port, start: l.start, program: l.program, differences: e.differences(), folder: folder, tree: t, closing: make(chan struct{}), gone: make(chan struct{}),
		client: newClient(driver.url+"/session/"+url.PathEscape(id), l)}
	if s.opened, err = e.opened(capabilities); err == nil {
		err = s.adopt()
	}
	if err != nil {
		s.lose(err)
		return nil, true, &Error{Kind: NotStarted, Command: "open", Message: "the driver's answer is not understood", Cause: err}
	}
	if l.away {
		if err := s.raw(ctx, "open", null, http.MethodPost, "/url", map[string]any{"url": l.start}, nil); err != nil {
			s.lose(err)
			return nil, true, err
		}
	}
	go s.watch()
	return s, true, nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// awaitDriver polls until the driver answers, and returns what.
func awaitDriver(ctx context.Context, driver *client, t *tree) (status []byte, err error) {
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for {
		if r := driver.exchange(ctx, http.MethodGet, "/status", nil); r.err == nil && r.status == http.StatusOK {
			return r.body, nil
		}
		select {
		case <-poll.C:
		case <-t.gone:
			return nil, exited(t)
		case <-ctx.Done():
			return nil, contextError("open", ctx, false)
		}
	}
}

func exited(t *tree) *Error {
	return &Error{Kind: NotStarted, Command: "open", Message: "the driver exited", Cause: errors.New(t.output.String())}
}

// newSession posts New Session. When ctx ends first the caller ends the tree: the
// driver would start the browser all the same.
func newSession(ctx context.Context, driver *client, t *tree, always map[string]any) (id string, capabilities json.RawMessage, err error) {
	body, err := json.Marshal(map[string]any{"capabilities": map[string]any{"alwaysMatch": always}})
	if err != nil {
		return "", nil, &Error{Kind: InvalidArgument, Command: "open", Message: "capabilities", Cause: err}
	}
	answered := make(chan reply, 1)
	go func() { answered <- driver.exchange(driver.life, http.MethodPost, "/session", body) }()
	var r reply
	select {
	case r = <-answered:
	case <-t.gone:
		return "", nil, exited(t)
	case <-ctx.Done():
		return "", nil, contextError("open", ctx, false)
	}
	if r.err != nil {
		return "", nil, &Error{Kind: NotStarted, Command: "open", Message: "the driver does not answer", Cause: r.err}
	}
	value, err := decode("open", object, r.status, r.body)
	var e *Error
	if errors.As(err, &e) {
		e.Kind, e.Cause = NotStarted, errors.New(t.output.String())
		return "", nil, e
	}
	var session struct {
		SessionID    string
		Capabilities json.RawMessage
	}
	if err := json.Unmarshal(value, &session); err != nil || session.SessionID == "" {
		return "", nil, &Error{Kind: NotStarted, Command: "open", Message: "the driver's answer is not understood", Cause: err}
	}
	return session.SessionID, session.Capabilities, nil
}

// watch ends the tree once the session is lost, for whatever reason.
func (s *Session) watch() {
	defer close(s.gone)
	browser := make(chan struct{})
	switch {
	case s.debugger != "":
		go watchBrowser(s.life, s.debugger, browser)
	case s.program != "" && s.tree.runs != nil && s.tree.runs(s.program):
		go s.watchProgram(browser)
	}
	select {
	case <-s.life.Done():
	case <-browser:
		// The driver may be about to answer the command that ended it: closing the last window.
		ctx, cancel := context.WithTimeout(context.Background(), lastAnswer)
		s.Settled(ctx)
		cancel()
		s.lose(errors.New("the browser died"))
	case <-s.tree.gone:
		s.lose(errors.New("the driver died"))
	case <-s.closing:
		s.quit()
	}
	s.tree.end()
}

// quit ends the session politely, if no command is in its way.
func (s *Session) quit() {
	ctx, cancel := context.WithTimeout(context.Background(), quitLimit)
	defer cancel()
	select {
	case s.slot <- struct{}{}:
		s.exchange(ctx, http.MethodDelete, "", nil)
		<-s.slot
	default:
		if s.quitsWhileBusy {
			s.exchange(ctx, http.MethodDelete, "", nil)
		}
	}
	s.lose(errClosed)
}

// watchBrowser closes dead when nothing listens at the debugger's address any
// more. A browser may die while its driver lives on, and the driver tells only when
// asked; a connection that is held open tells at once.
func watchBrowser(life context.Context, address string, dead chan<- struct{}) {
	pause := time.NewTicker(50 * time.Millisecond) // between connections that are closed at once
	defer pause.Stop()
	for life.Err() == nil {
		conn, err := (&net.Dialer{Timeout: 3 * time.Second}).DialContext(life, "tcp", address)
		if err != nil {
			close(dead)
			return
		}
		stop := context.AfterFunc(life, func() { conn.Close() })
		conn.Read(make([]byte, 1))
		stop()
		conn.Close()
		select {
		case <-pause.C:
		case <-life.Done():
		}
	}
}

// watchProgram closes dead when the browser's program does not run in the tree any
// more. IEDriver does not notice that by itself: a click then succeeds.
func (s *Session) watchProgram(dead chan<- struct{}) {
	pause := time.NewTicker(250 * time.Millisecond)
	defer pause.Stop()
	for s.tree.runs(s.program) {
		select {
		case <-pause.C:
		case <-s.life.Done():
			return
		}
	}
	close(dead)
}

// Lost is closed when driver or browser died, a command never settled, or Close
// was called.
func (s *Session) Lost() <-chan struct{} { return s.life.Done() }

// Why says why the session is lost; nil while it is not.
func (s *Session) Why() error { return context.Cause(s.life) }

// Close quits politely if no command runs, for 3 s at most, then ends the tree. When it
// returns no process and no file is left.
func (s *Session) Close() {
	s.once.Do(func() { close(s.closing) })
	<-s.gone
}

// Ports returns the session's own listening ports, which no page may reach: the
// driver's and the browser's debugger's.
func (s *Session) Ports() []int {
	ports := []int{s.port}
	if _, port, err := net.SplitHostPort(s.debugger); err == nil {
		if n, err := strconv.Atoi(port); err == nil {
			ports = append(ports, n)
		}
	}
	return ports
}

// StartPage is the URL of the page with which the browser begins.
func (s *Session) StartPage() string { return s.start }

// LateWindows is how long after an action the driver may still find a window
// that it opened; 0 when it finds all at once.
func (s *Session) LateWindows() time.Duration { return s.lateWindows }

// BrowserVersion returns the browser's version, "156.0.8078.114".
func (s *Session) BrowserVersion() string { return s.version }

// Location is a window and where it is.
type Location struct{ Handle, URL string }

// Locations returns the windows, those opened last at the end, without a WebDriver
// command: also while a dialog is open or a command runs. The URL is the one that a
// pending navigation asks for, if there is one. ok is false when the engine cannot tell.
func (s *Session) Locations(ctx context.Context) (list []Location, ok bool) {
	targets, ok := s.targets(ctx)
	for _, t := range slices.Backward(targets) { // the newest comes first
		if t.Type == "page" { // its id is the window's handle
			list = append(list, Location{t.ID, t.URL})
		}
	}
	return list, ok
}
