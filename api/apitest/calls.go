package apitest

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"iemesh/api"
)

// unknownNames: an operation or a session that does not exist.
func (s *suite) unknownNames(t *testing.T) {
	_, err := s.worker.Do(t.Context(), raw(s.free(owner), "no_such_operation", `{}`))
	if e := wantCode(t, "unknown operation", err, api.InvalidArgument); !strings.Contains(e.Message, "no_such_operation") {
		t.Errorf("the message does not name the operation: %s", e.Message)
	}
	for _, entry := range api.Catalogue() {
		if entry.Scope == api.None {
			continue
		}
		call := s.free(owner)
		_, err := s.worker.Do(t.Context(), raw(call, entry.Name, s.input(t, entry)))
		wantCode(t, entry.Name+" without a session", err, api.SessionNotFound, api.InvalidArgument)
		call.SessionID, call.PageID = api.NewID(), api.NewID()
		_, err = s.worker.Do(t.Context(), raw(call, entry.Name, s.input(t, entry)))
		wantCode(t, entry.Name+" in an unknown session", err, api.SessionNotFound)
	}
}

// badInput: every operation refuses what its schema does not allow, names the
// field, and repeats nothing of the value.
func (s *suite) badInput(t *testing.T) {
	const secret = "s3cret-value"
	for _, entry := range api.Catalogue() {
		var good map[string]json.RawMessage
		if err := json.Unmarshal([]byte(s.input(t, entry)), &good); err != nil {
			t.Fatal(err)
		}
		bad := map[string]string{} // by what is wrong
		with := func(field string) {
			input := maps.Clone(good)
			input[field] = json.RawMessage(`"` + secret + `"`)
			bad["wrong "+field] = encode(t, input)
		}
		with("nonsense")
		for field, sub := range entry.Input.Properties {
			if sub.Type != "string" && len(sub.Types) == 0 { // no string is right
				with(field)
			}
		}
		for _, field := range entry.Input.Required {
			input := maps.Clone(good)
			delete(input, field)
			bad["missing "+field] = encode(t, input)
		}
		call := s.call(usual)
		if entry.Scope == api.None {
			call = s.free(owner)
		}
		for what, input := range bad {
			_, field, _ := strings.Cut(what, " ")
			_, err := s.worker.Do(t.Context(), raw(call, entry.Name, input))
			e := wantCode(t, entry.Name+" with a "+what, err, api.InvalidArgument)
			if !strings.Contains(e.Message, field) || strings.Contains(e.Message, secret) {
				t.Errorf("%s with a %s: message %q", entry.Name, what, e.Message)
			}
		}
		for _, input := range []string{`[]`, `null`, `"x"`} {
			_, err := s.worker.Do(t.Context(), raw(call, entry.Name, input))
			wantCode(t, entry.Name+" with "+input, err, api.InvalidArgument)
		}
	}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (s *suite) unknownPage(t *testing.T) {
	for _, entry := range api.Catalogue() {
		if entry.Scope != api.Page {
			continue
		}
		call := s.call(usual)
		call.PageID = api.NewID()
		_, err := s.worker.Do(t.Context(), raw(call, entry.Name, s.input(t, entry)))
		wantCode(t, entry.Name+" on an unknown page", err, api.PageNotFound)
	}
}

// foreignSession: to everyone but its owner a session does not exist. The
// answer is, to the letter, that for an id that was never given.
func (s *suite) foreignSession(t *testing.T) {
	answer := func(entry *api.Entry, session, page string) api.Error {
		call := s.call(usual)
		call.Caller.Principal, call.SessionID, call.PageID = stranger, session, page
		_, err := s.worker.Do(t.Context(), raw(call, entry.Name, s.input(t, entry)))
		e := *wantCode(t, entry.Name+" in a session of somebody else", err, api.SessionNotFound)
		e.Message = strings.ReplaceAll(e.Message, session, "ID")
		e.OperationID, e.Cause = "", nil
		return e
	}
	for _, entry := range api.Catalogue() {
		if entry.Scope == api.None {
			continue
		}
		foreign, unknown := answer(entry, s.session, s.page), answer(entry, api.NewID(), api.NewID())
		if foreign != unknown {
			t.Errorf("%s: %+v tells it from an unknown session, %+v", entry.Name, foreign, unknown)
		}
	}
	if list, _ := must(t, s.worker, api.SessionsList, s.free(stranger), api.Empty{}); len(list.Sessions) != 0 {
		t.Errorf("a stranger sees %+v", list.Sessions)
	}
	s.listed(t) // and it lives
}

// input is a valid input of an operation.
func (s *suite) input(t *testing.T, entry *api.Entry) string {
	t.Helper()
	text, ok := map[string]string{ // where the schema does not tell all
		api.Navigate.Name:     `{"url":"` + s.app + `/customer"}`,
		api.PageFind.Name:     `{"newest":true}`,
		api.Wait.Name:         `{"type":"present","target":{"by":"id","value":"x"}}`,
		api.SelectOption.Name: `{"target":{"by":"id","value":"x"},"by":"text","value":"x"}`,
		api.Press.Name:        `{"key":"Enter"}`,
		api.Upload.Name:       `{"target":{"by":"id","value":"x"},"fileName":"x.txt","content":"eA=="}`,
	}[entry.Name]
	if !ok {
		text = encode(t, sample(entry.Input, entry.Input))
	}
	if err := entry.Check(json.RawMessage(text)); err != nil {
		t.Fatalf("%s needs a valid input in apitest: %v", entry.Name, err)
	}
	return text
}

// sample makes the smallest value that a schema allows.
func sample(root, s *jsonschema.Schema) any {
	switch {
	case s.Ref != "":
		return sample(root, root.Defs[strings.TrimPrefix(s.Ref, "#/$defs/")])
	case len(s.AnyOf) > 0:
		return sample(root, s.AnyOf[0])
	case len(s.Enum) > 0:
		return s.Enum[0]
	}
	kinds := append(slices.Clone(s.Types), s.Type)
	switch kinds[0] {
	case "string":
		return "x"
	case "integer", "number":
		if s.Minimum != nil {
			return *s.Minimum
		}
		return 0
	case "boolean":
		return false
	case "array":
		if s.Items == nil || s.MinItems == nil || *s.MinItems == 0 {
			return []any{}
		}
		return []any{sample(root, s.Items)}
	}
	object := map[string]any{}
	for _, name := range s.Required {
		object[name] = sample(root, s.Properties[name])
	}
	return object
}
