package api

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

var inputs = []struct {
	op      *Entry
	input   string
	problem string // a part of the message; "" = valid
}{
	{Click.Entry, `{"target":{"by":"id","value":"a"}}`, ""},
	{Click.Entry, `{"target":{"by":"id","value":"a"},"frame":{"by":"name","value":"f"}}`, ""},
	{Click.Entry, `{"target":{"by":"id","value":"a"},"frame":[{"by":"name","value":"f"},{"by":"css","value":"iframe"}]}`, ""},
	{Click.Entry, `{}`, "target is required"},
	{Click.Entry, ``, "target is required"},
	{Click.Entry, `[]`, "The input must be an object"},
	{Click.Entry, `{"target":`, "not valid JSON"},
	{Click.Entry, `{"target":{"by":"id","value":"a"}} {}`, "more than one JSON value"},
	{Click.Entry, `{"target":{"by":"magic","value":"a"}}`, "target.by must be one of id name css xpath linkText"},
	{Click.Entry, `{"target":{"by":"id"}}`, "target.value is required"},
	{Click.Entry, `{"target":{"By":"id","value":"a"}}`, "target.by is required"},
	{Click.Entry, `{"target":{"by":"id","value":""}}`, "target.value must not be empty"},
	{Click.Entry, `{"target":{"by":"id","value":"` + strings.Repeat("x", MaxLocator+1) + `"}}`, "target.value may have at most 4096"},
	{Click.Entry, `{"target":{"by":"id","value":"a"},"frame":"f"}`, "frame must be a selector"},
	{Click.Entry, `{"target":{"by":"id","value":"a"},"frame":[]}`, "frame must have 1 to 5 items"},
	{Click.Entry, `{"target":{"by":"id","value":"a"},"frame":[{"by":"id"}]}`, "frame[0].value is required"},
	{Click.Entry, `{"target":{"by":"id","value":"a"},"frame":{"by":"x","value":"f"}}`, "frame.by must be one of"},
	{Click.Entry, `{"target":{"by":"id","value":"a"},"button":1}`, `no argument "button" here; known are: frame, target`},
	{Click.Entry, `{"target":null}`, "target must be an object"},
	{Fill.Entry, `{"target":{"by":"id","value":"a"},"text":12345}`, "text must be a string"},
	{Fill.Entry, `{"target":{"by":"id","value":"a"},"text":"","clear":false}`, ""},
	{SelectOption.Entry, `{"target":{"by":"id","value":"a"},"by":"index","value":2}`, ""},
	{SelectOption.Entry, `{"target":{"by":"id","value":"a"},"by":"index","value":"2"}`, ""},
	{SelectOption.Entry, `{"target":{"by":"id","value":"a"},"by":"index","value":-1}`, "value must be an index"},
	{SelectOption.Entry, `{"target":{"by":"id","value":"a"},"by":"index","value":1.5}`, "value must be a string or integer"},
	{SelectOption.Entry, `{"target":{"by":"id","value":"a"},"by":"text","value":true}`, "value must be a string or integer"},
	{Inspect.Entry, `{"offset":0,"limit":300,"textOffset":4000}`, ""},
	{Inspect.Entry, `{"limit":301}`, "limit must be from 1 to 300"},
	{Inspect.Entry, `{"offset":-1}`, "offset must be at least 0"},
	{Inspect.Entry, `{"offset":1e400}`, "offset must be an integer"},
	{Wait.Entry, `{"type":"visible"}`, "visible needs a selector"},
	{Wait.Entry, `{"type":"title"}`, "title needs a text"},
	{Wait.Entry, `{"type":"ready"}`, ""},
	{PageFind.Entry, `{}`, "either"},
	{PageFind.Entry, `{"newest":true,"index":0}`, "either"},
	{Navigate.Entry, `{"url":""}`, "url must have 1 to 8192 bytes"},
	{Press.Entry, `{"key":"Control+A","target":{"by":"id","value":"a"}}`, ""},
	{Press.Entry, `{}`, "key is required"},
	{FillForm.Entry, `{"fields":[{"target":{"by":"id","value":"a"},"value":"x"},{"target":{"by":"id","value":"b"},"value":false}]}`, ""},
	{FillForm.Entry, `{"fields":[]}`, "fields must have 1 to 50 items"},
	{FillForm.Entry, `{"fields":[{"target":{"by":"id","value":"a"}}]}`, "fields[0].value is required"},
	{FillForm.Entry, `{"fields":[{"target":{"by":"id","value":"a"},"value":7}]}`, "fields[0].value must be a string or boolean"},
	{FillForm.Entry, `{"fields":[{"target":{"by":"tag","value":"a"},"value":"x"}]}`, "fields[0].target.by must be one of"},
	{FillForm.Entry, `{"fields":[{"target":{"by":"id","value":"a"},"value":"x","clear":true}]}`, `no argument "fields[0].clear"`},
	{ReadTable.Entry, `{"target":{"by":"id","value":"a"},"offset":10,"limit":2000}`, ""},
	{ReadTable.Entry, `{"target":{"by":"id","value":"a"},"limit":0}`, "limit must be from 1 to 2000"},
	{Upload.Entry, `{"target":{"by":"id","value":"a"},"fileName":"a.txt","content":"QQ=="}`, ""},
	{Upload.Entry, `{"target":{"by":"id","value":"a"},"fileName":"a.txt"}`, "content is required"},
}

func TestCheckNamesTheField(t *testing.T) {
	for _, c := range inputs {
		err := c.op.Check(json.RawMessage(c.input))
		switch {
		case c.problem == "" && err != nil:
			t.Errorf("%s %.80s: %v", c.op.Name, c.input, err)
		case c.problem != "" && (err == nil || AsError(err).Code != InvalidArgument || !strings.Contains(err.Error(), c.problem)):
			t.Errorf("%s %.80s: %v, want %q", c.op.Name, c.input, err, c.problem)
		}
	}
}

// The schemas that clients see must say what Check does.
func TestCheckAgreesWithASchemaValidator(t *testing.T) {
	for _, c := range inputs {
		resolved, err := c.op.Input.Resolve(nil)
		if err != nil {
			t.Fatalf("%s: %v", c.op.Name, err)
		}
		var v any
		if json.Unmarshal([]byte(c.input), &v) != nil {
			continue
		}
		if ours, theirs := Check(c.op.Input, json.RawMessage(c.input)), resolved.Validate(v); (ours == nil) != (theirs == nil) {
			t.Errorf("%s %.80s: we say %v, the validator %v", c.op.Name, c.input, ours, theirs)
		}
	}
}

func TestErrorsTellNothingOfTypedText(t *testing.T) {
	err := Fill.Check(json.RawMessage(`{"target":{"by":"id","value":"password"},"text":["hunter2"]}`))
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Error(err)
	}
	attrs, _ := json.Marshal(Fill.Audit(json.RawMessage(`{"target":{"by":"id","value":"password"},"text":"hunter2"}`)))
	if string(attrs) != `{"selector":{"by":"id","value":"password"},"textLength":7}` {
		t.Errorf("audit: %s", attrs)
	}
}

func TestCatalogueIsConsistent(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range Catalogue() {
		if seen[e.Name] {
			t.Errorf("%s is declared twice", e.Name)
		}
		seen[e.Name] = true
		if e.Title == "" || e.Description == "" {
			t.Errorf("%s has no title or description", e.Name)
		}
		if _, hasURL := e.Input.Properties["url"]; e.Visits != hasURL {
			t.Errorf("%s: Visits is %v, but url in the input is %v", e.Name, e.Visits, hasURL)
		}
		for _, s := range []*jsonschema.Schema{e.Input, e.Output} {
			if b, err := json.Marshal(s); err != nil || strings.Contains(string(b), "null") || s.Type != "object" {
				t.Errorf("%s: schema %s %v", e.Name, b, err)
			}
		}
		if _, err := Lookup(e.Name); err != nil {
			t.Error(err)
		}
	}
	if _, err := Lookup("fly"); AsError(err).Code != InvalidArgument {
		t.Error(err)
	}
}

func TestEveryCodeHasAStatus(t *testing.T) {
	for _, info := range Codes() {
		if info.Code.HTTPStatus() != info.Status || info.Status < 400 || info.When == "" || info.Again == "" {
			t.Errorf("%+v", info)
		}
	}
	if n := len(Codes()); n != 26 {
		t.Errorf("%d codes", n)
	}
}

func TestLoggedURLHidesQueryAndUser(t *testing.T) {
	for raw, want := range map[string]string{
		"http://u:p@legacy01.local/customer?name=x#y": "http://legacy01.local/customer",
		"javascript:alert(1)":                         "javascript:…",
		"http://[::1":                                 "unreadable",
	} {
		if got := LoggedURL(raw); got != want {
			t.Errorf("%s: %s", raw, got)
		}
	}
}
