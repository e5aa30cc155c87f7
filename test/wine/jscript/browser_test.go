// Package jscript runs the page scripts in an engine that is not Chromium's: Wine's
// JScript 5.8, which is ES3 and no more, as it is in document modes 5 to 8.
//
// cscript has no document. The tests show a page in Chromium, take down what the document
// holds and what the layout made of it (testdata/dump.js), and build from it a document
// as mode 7 has it (testdata/document.js). What the scripts say in both must be the same.
package jscript

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"iemesh/test/wine"
	"iemesh/worker/page"
)

var (
	//go:embed testdata/dump.js
	dumpJS string
	//go:embed testdata/document.js
	documentJS string
	//go:embed testdata/host.js
	hostJS string
)

// engine is a cscript that runs what it is asked to.
type engine struct {
	server  *httptest.Server
	mu      sync.Mutex
	tasks   chan string
	answers chan []byte
	ended   chan struct{} // cscript's end, of which output tells why
	output  strings.Builder
	shown   int
}

// ServeHTTP takes the answer of the task before and gives the next one.
func (e *engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	e.answers <- body
	if task, ok := <-e.tasks; ok {
		io.WriteString(w, task)
	}
}

// startEngine starts cscript under Wine.
func startEngine(p *wine.Prefix) (*engine, error) {
	e := &engine{tasks: make(chan string), answers: make(chan []byte, 1), ended: make(chan struct{})}
	program := filepath.Join(p.Home, "host.js")
	if err := os.WriteFile(program, []byte(documentJS+hostJS), 0o600); err != nil {
		return nil, err
	}
	e.server = httptest.NewServer(e)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := p.Command(context.Background(), "cscript", "//nologo", p.Path(program), e.server.URL)
	cmd.Stdout, cmd.Stderr = &e.output, &e.output
	if err := cmd.Start(); err != nil {
		e.server.Close()
		return nil, err
	}
	go func() {
		cmd.Wait()
		close(e.ended)
	}()
	_, err := e.answer(ctx)
	if err != nil {
		cmd.Process.Kill()
		e.stop()
	}
	return e, err
}

// stop ends cscript.
func (e *engine) stop() {
	close(e.tasks)
	<-e.ended
	e.server.Close()
}

// run has a piece of JScript evaluated whose value is JSON.
func (e *engine) run(ctx context.Context, task string) (json.RawMessage, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	select {
	case e.tasks <- task:
	case <-e.ended:
		return nil, errors.New("cscript ended: " + e.output.String())
	}
	return e.answer(ctx)
}

func (e *engine) answer(ctx context.Context) (json.RawMessage, error) {
	select {
	case body := <-e.answers:
		var out struct {
			Result json.RawMessage
			Error  string
		}
		if err := json.Unmarshal(body, &out); err != nil {
			return nil, fmt.Errorf("cscript answered %.200q: %w", body, err)
		}
		if out.Error != "" {
			return nil, errors.New("JScript: " + out.Error)
		}
		return out.Result, nil
	case <-e.ended:
		return nil, errors.New("cscript ended: " + e.output.String())
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// document is a page that a JScript engine has. It implements page.Executor.
type document struct {
	*engine
	name string // the expression for its window
}

// show builds a document of what dump.js gave.
func (e *engine) show(ctx context.Context, dump string) (document, error) {
	e.shown++
	d := document{e, "pages.p" + strconv.Itoa(e.shown)}
	_, err := e.run(ctx, d.name+" = show("+ascii(dump)+"); 'null'")
	return d, err
}

// Execute implements page.Executor.
func (d document) Execute(ctx context.Context, script string, args []any) (json.RawMessage, error) {
	at := []string{}
	for _, arg := range args {
		var reference map[string]string
		if err := json.Unmarshal(arg.(page.Ref), &reference); err != nil {
			return nil, err
		}
		for _, index := range reference {
			at = append(at, index)
		}
	}
	quoted, err := json.Marshal(script)
	if err != nil {
		return nil, err
	}
	return d.run(ctx, "execute("+d.name+", "+ascii(string(quoted))+", ["+strings.Join(at, ",")+"])")
}

// do has the test's own code run, in which win is the window.
func (d document) do(t *testing.T, code string) string {
	t.Helper()
	out, err := d.run(t.Context(), "(function (win) { "+code+" })("+d.name+")")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// read takes a text from the window win.
func (d document) read(t *testing.T, expression string, text *string) {
	t.Helper()
	if err := json.Unmarshal([]byte(d.do(t, "return value("+expression+")")), text); err != nil {
		t.Fatal(err)
	}
}

// ascii makes JavaScript of JSON that no charset can damage.
func ascii(code string) string {
	var b strings.Builder
	for _, r := range code {
		switch {
		case r < 0x7f:
			b.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
	}
	return b.String()
}

// index is the place of an element among the nodes of its window.
func index(t *testing.T, ref page.Ref) string {
	t.Helper()
	var reference map[string]string
	if err := json.Unmarshal(ref, &reference); err != nil {
		t.Fatalf("%s: %v", ref, err)
	}
	for _, at := range reference {
		return at
	}
	return ""
}

// literal is a text as JavaScript and JSON have it.
func literal(s string) string {
	quoted, _ := json.Marshal(s)
	return ascii(string(quoted))
}
