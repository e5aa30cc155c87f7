package main

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

const startPage = "<html><head><title>WebDriver</title></head><body><p id='main'>This is the initial start page for the WebDriver server.</p></body></html>\r\n"

// slashes are one to the driver.
var slashes = regexp.MustCompile(`/+`)

// driver is the process as its client sees it.
type driver struct {
	look     lookout
	port     int
	shutdown chan struct{}
	stop     func() // closes shutdown
	modal    string // the secret path under which pages report their HTML dialogs

	mu      sync.Mutex
	backend *backend
	session *session
	phantom bool // the session with the id "" that a broken New Session leaves, until DELETE /session/
	counts  map[string]int
}

func newDriver(look lookout, port int) *driver {
	d := &driver{look: look, port: port, shutdown: make(chan struct{}), modal: "/" + rand.Text(), counts: map[string]int{}}
	d.stop = sync.OnceFunc(func() { close(d.shutdown) })
	return d
}

// call is one command.
type call struct {
	settings
	route  *route
	path   map[string]string // the variables of the route
	params map[string]json.RawMessage
	nth    int

	// detached, when a command sets it, says when the session is free again.
	detached <-chan struct{}
}

// ServeHTTP implements http.Handler.
func (d *driver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header()["Date"] = nil
	body, _ := io.ReadAll(r.Body)
	if r.ContentLength < 0 { // chunked: the driver does not see it
		body = nil
	}
	path := slashes.ReplaceAllString(r.URL.Path, "/")
	if rest, ok := strings.CutPrefix(path, d.modal); ok {
		d.modalReport(w, rest, body)
		return
	}
	if path == "/" || path == "/shutdown" {
		send(w, http.StatusOK, "text/html; charset=utf-8", []byte(startPage))
		if path == "/shutdown" {
			d.stop()
		}
		return
	}
	rt, vars, verbs := match(r.Method, path)
	switch {
	case rt != nil:
	case len(verbs) > 0:
		list := strings.Join(verbs, ",")
		w.Header().Set("Allow", list)
		f := fail("unknown method", fmt.Sprintf("Invalid method requested: %s is not a valid HTTP verb for %s; acceptable verbs are: %s", r.Method, path, list))
		f.data = map[string]string{"verbs": list}
		answer(w, nil, f)
		return
	default:
		answer(w, nil, fail("unknown command", fmt.Sprintf("Command not found: %s %s", r.Method, path)))
		return
	}
	c := &call{settings: d.look.settings(), route: rt, path: vars}
	d.mu.Lock()
	d.counts[rt.name]++
	c.nth = d.counts[rt.name]
	d.mu.Unlock()
	value, err := d.carryOut(c, r.Method, body)
	if c.Faults.DieInCommand.is(rt.name, c.nth) {
		os.Exit(1)
	}
	answer(w, value, err)
	if c.Faults.DieBetween.is(rt.name, c.nth) {
		http.NewResponseController(w).Flush()
		os.Exit(1)
	}
}

func (d *driver) carryOut(c *call, method string, body []byte) (any, error) {
	id := c.path["id"]
	d.mu.Lock()
	s, phantom := d.session, d.phantom
	d.mu.Unlock()
	switch {
	case c.route.name == "newSession" && (s != nil || phantom):
		return nil, fail(notCreated, "Only one session may be created at a time, and a session already exists.")
	case c.route.name == "getSession" && id == "" && phantom:
		return phantomCapabilities(), nil
	case c.route.name == "quit" && id == "" && phantom:
		d.mu.Lock()
		d.phantom = false
		d.mu.Unlock()
		return nil, nil
	case c.route.process == nil && (s == nil || s.id != id):
		if c.route.name == "quit" {
			return verbatim("{ \"value\" : null }"), nil
		}
		return nil, fail("invalid session id", "session "+id+" does not exist")
	}
	if method == http.MethodPost {
		if json.Unmarshal(body, &c.params) != nil && c.route.name == "newSession" && bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
			return nil, fail(badArgument, "'capabilities' in new session request body is not a JSON object.")
		}
		if c.params == nil {
			if c.route.name == "newSession" {
				d.mu.Lock()
				d.phantom = true
				d.mu.Unlock()
			}
			return nil, fail(badArgument, "parameters property of command is not a valid JSON object")
		}
	}
	if c.route.process != nil {
		return c.route.process(d, c)
	}
	if c.route.run == nil {
		return nil, fail("unknown command", "Command not implemented")
	}
	if c.route.name == "quit" {
		return nil, d.quit(s, c)
	}
	value, err := s.do(c)
	if s.isOver() {
		d.forget(s)
	}
	return value, err
}

// verbatim is a whole body that the driver does not make of a value.
type verbatim string

func answer(w http.ResponseWriter, value any, err error) {
	status, kind := http.StatusOK, "application/json; charset=utf-8"
	if err != nil {
		var f *failure
		if !errors.As(err, &f) {
			f = fail("unknown error", err.Error())
		}
		value, status = f, f.status()
	}
	if status == http.StatusMethodNotAllowed {
		kind = "text/html"
	}
	text, ok := value.(verbatim)
	if !ok {
		content, err := styled(map[string]any{"value": value})
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		text = verbatim(content)
	}
	send(w, status, kind, []byte(text+"\r\n"))
}

// send sends an answer with the driver's headers.
func send(w http.ResponseWriter, status int, kind string, content []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.Itoa(len(content)))
	if status != http.StatusMethodNotAllowed {
		h.Set("Cache-Control", "no-cache")
		h.Set("Vary", "Accept-Charset, Accept-Encoding, Accept-Language, Accept")
		h.Set("Accept-Ranges", "bytes")
	}
	w.WriteHeader(status)
	w.Write(content)
}

// status answers GET /status.
func (d *driver) status(*call) (any, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	ready, message := true, "Ready to create session"
	if d.session != nil || d.phantom {
		ready, message = false, "Maximum number of sessions already created"
	}
	return map[string]any{
		"build":   map[string]any{"version": version + " (32-bit)"},
		"message": message,
		"os":      map[string]any{"arch": "x64", "name": "windows", "version": "10.0.19045.3803"},
		"ready":   ready,
	}, nil
}

// sessions answers GET /sessions.
func (d *driver) sessions(*call) (any, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	list := []any{}
	if d.phantom {
		list = append(list, map[string]any{"id": "", "capabilities": phantomCapabilities()})
	}
	if d.session != nil {
		list = append(list, map[string]any{"id": d.session.id, "capabilities": d.session.want.legacy()})
	}
	return list, nil
}
