package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

var (
	//go:embed js/run.js
	runJS string
	//go:embed js/mode.js
	modeJS string
)

// wrap makes chromedriver's script of the client's: it runs in the document mode, and its
// result comes back marshalled as the driver would.
func wrap(script string, mode int, async bool) string {
	later := "null"
	if async {
		later = "arguments[arguments.length - 1]"
	}
	return fmt.Sprintf("return %s(function(){\n%s\n}, arguments, %d, %s);", strings.Replace(runJS, "//MODE", modeJS, 1), script, mode, later)
}

// forScript returns what fires after the script limit, when chromedriver, which has it
// too, should have answered: it does not when a script runs without end.
func (t *timeouts) forScript() (limit <-chan time.Time, stop func()) {
	if t.Script == nil {
		return nil, func() {}
	}
	timer := time.NewTimer(time.Duration(*t.Script/1000)*time.Second + 500*time.Millisecond)
	return timer.C, func() { timer.Stop() }
}

func (s *session) execute(c *call) (any, error) {
	script, args, err := scriptOf(c.params)
	if err != nil {
		return nil, err
	}
	given, err := s.elements.arguments(args, true)
	if err != nil {
		return nil, err
	}
	async := c.route.name == "executeAsyncScript"
	if refusedByMode(script, c.DocumentMode) {
		return nil, fail(scriptError, "Error executing JavaScript")
	}
	path := strings.TrimPrefix(s.expand(c), "/session/"+s.id)
	type outcome struct {
		value json.RawMessage
		err   error
	}
	done, free := make(chan outcome, 1), make(chan struct{})
	go func() {
		defer close(free)
		value, err := s.backend.sendWithin(context.Background(), http.MethodPost, path, map[string]any{
			"script": wrap(script, c.DocumentMode, async), "args": given,
		})
		done <- outcome{value, err}
	}()
	began := time.Now()
	limit, stop := s.timeouts.forScript()
	defer stop()
	select {
	case o := <-done:
		early := s.timeouts.Script == nil || time.Since(began) < time.Duration(wholeSeconds(*s.timeouts.Script))*time.Millisecond
		if async && early && refused(o.err) == scriptTimeout { // so chromedriver calls it
			return nil, fail(scriptError, "Page reload detected during async script")
		}
		return s.result(c, o.value, o.err)
	case <-limit:
		// The script goes on, and chromedriver with it.
		c.detached = free
		return nil, fail(scriptTimeout, "Timed out waiting for script to complete.")
	}
}

func scriptOf(params object) (script string, args any, err error) {
	raw, ok := params["script"]
	if !ok {
		return "", nil, fail(badArgument, "Missing parameter: script")
	}
	if json.Unmarshal(raw, &script) != nil {
		return "", nil, fail(badArgument, "script parameter must be a string")
	}
	if raw, ok = params["args"]; !ok {
		return "", nil, fail(badArgument, "Missing parameter: args")
	}
	var list []any
	if json.Unmarshal(raw, &list) != nil || list == nil {
		return "", nil, fail(badArgument, "args parameter must be an array")
	}
	return script, list, nil
}

// result reads what the wrapper returned: a text with the value, and the elements in it.
func (s *session) result(c *call, value json.RawMessage, err error) (any, error) {
	if c.Faults.CloseInScript && s.closedItself(c) {
		<-s.never
	}
	switch {
	case refused(err) == scriptError:
		return nil, fail(scriptError, "Error executing JavaScript") // its syntax
	case err != nil:
		return nil, err
	}
	opener := s.at
	s.openModals()
	if m := s.blocked(opener); m != nil { // the script called showModalDialog
		if !s.awaitModal(c, m) {
			return nil, fail(scriptTimeout, "Timed out waiting for script to complete.")
		}
		return nil, nil
	}
	var parts []json.RawMessage
	if json.Unmarshal(value, &parts) != nil || len(parts) != 2 {
		return nil, nil // a dialog opened
	}
	var text string
	var found []json.RawMessage
	var out struct {
		V json.RawMessage
		J *string
		F *string
	}
	if err := json.Unmarshal(parts[0], &text); err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(parts[1], &found); err != nil {
		return nil, err
	}
	switch {
	case out.F != nil && *out.F == "":
		return nil, fail(scriptError, "Error executing JavaScript")
	case out.F != nil:
		return nil, fail(scriptError, "Error from JavaScript: "+*out.F)
	case out.J != nil:
		return json.RawMessage(*out.J), nil
	}
	if strings.Contains(text, errorPage) {
		out.V = json.RawMessage(strings.ReplaceAll(string(out.V), errorPage, s.resource()))
	}
	return s.decode(out.V, found)
}

// decode makes the client's value: objects are {"o": …}, elements {"e": index}.
func (s *session) decode(raw json.RawMessage, found []json.RawMessage) (any, error) {
	switch raw[0] {
	case '[':
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, err
		}
		out := make([]any, len(list))
		for i := range list {
			var err error
			if out[i], err = s.decode(list[i], found); err != nil {
				return nil, err
			}
		}
		return out, nil
	case '{':
		var coded struct {
			O map[string]json.RawMessage
			E *int
		}
		if err := json.Unmarshal(raw, &coded); err != nil {
			return nil, err
		}
		if coded.E != nil {
			if *coded.E < len(found) {
				if reference, ok := s.elements.reference(found[*coded.E]); ok {
					return reference, nil
				}
			}
			return nil, nil
		}
		out := map[string]any{}
		for name, member := range coded.O {
			var err error
			if out[name], err = s.decode(member, found); err != nil {
				return nil, err
			}
		}
		return out, nil
	case '"':
		var text string
		err := json.Unmarshal(raw, &text)
		text, _, _ = strings.Cut(text, "\x00")
		return text, err
	}
	return raw, nil
}

// closedItself says whether the script closed the window that it ran in.
func (s *session) closedItself(c *call) bool {
	s.refresh(c.settings)
	return s.focus() == nil
}
