// Package page reads and prepares the document in which a browser session
// stands: scripts that run inside the page, and their callers in Go.
//
// Every call is one round trip (Filled: two when it has to set the text) in the
// document that the driver has in focus, frames included. Every call passes the
// guard: the script tells which address decides about the document, and what it
// read is decoded only when the [Guard] lets that address pass.
//
// The scripts are ES3, because documents in IE mode run in document modes 5 to
// 11. They change nothing but the scroll position, the focus, the selection, one
// property of the document that holds what later scripts need, and, in
// [Filled] and [Form], the field.
package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Executor runs a function body in the page and returns the value that it
// returned, as the driver encoded it.
type Executor interface {
	Execute(ctx context.Context, script string, args []any) (json.RawMessage, error)
}

// Ref is a reference to an element, as the driver gave it. It is valid in the
// document in which it was found.
type Ref = json.RawMessage

// Guard decides whether a document may be read. href is its own address; that
// of its parent or opener for a blank one; "about:blank" for a blank one that
// has none in reach, and of that nothing but its existence is ever read. An
// address that is the opener's (ofOpener) is what the page says, and a page can
// say what it likes there. The error of a Guard is returned as it is.
type Guard func(href string, ofOpener bool) (origin string, err error)

// openerMark stands before an address that a blank page took from its opener.
const openerMark = "opener "

// ErrNoAnswer means that the script ended without a result, as IE's do when a
// dialog opens meanwhile. What the script was to do may or may not be done.
var ErrNoAnswer = errors.New("page: the script gave no answer")

// Doc is the document in which a script ran.
type Doc struct {
	URL      string  `json:"url"`   // at most 8,192 characters
	Title    string  `json:"title"` // at most 1,000 characters
	TopURL   *string `json:"topUrl"`
	TopTitle *string `json:"topTitle"` // nil like TopURL: the top document is out of reach, or refused
	Complete bool    `json:"complete"` // readyState
	Fresh    bool    `json:"fresh"`    // no script of this package ran in this document before
	Leaving  bool    `json:"leaving"`  // since an element was found last, the document began to be left
	Token    string  `json:"token"`    // the same as long as the document is the same, also when history brings it back
	Mode     int     `json:"mode"`     // documentMode of IE, else 0
	Charset  string  `json:"charset"`
	Origin   string  `json:"-"` // as the Guard said
	Blank    bool    `json:"-"` // nobody's blank page: nothing of it is read
}

// Selects says whether scripts can search the document by CSS; in the oldest modes
// only the driver can.
func (d *Doc) Selects() bool { return d.Mode == 0 || d.Mode >= 8 }

// State tells where the page is.
func State(ctx context.Context, ex Executor, guard Guard) (Doc, error) {
	doc, _, err := run(ctx, ex, guard, stateScript, struct{}{}, nil, nil)
	return doc, err
}

// run carries out s and stores its result in out, unless the page is blank or
// the script passed no result.
func run(ctx context.Context, ex Executor, guard Guard, s script, input any, ref Ref, out any) (Doc, Ref, error) {
	body, err := s.with(input)
	if err != nil {
		return Doc{}, nil, err
	}
	args := []any{}
	if ref != nil {
		args = append(args, ref)
	}
	raw, err := ex.Execute(ctx, body, args)
	if err != nil {
		return Doc{}, nil, err
	}
	answer, found, err := unpack(raw)
	if err != nil {
		return Doc{}, nil, err
	}
	href, content, ok := strings.Cut(answer, "\n")
	if !ok {
		return Doc{}, nil, ErrNoAnswer
	}
	href, ofOpener := strings.CutPrefix(href, openerMark)
	origin, err := guard(href, ofOpener)
	if err != nil {
		return Doc{}, nil, err
	}
	var decoded struct {
		Doc
		Failed string          `json:"failed"`
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal([]byte(content), &decoded); err != nil {
		return Doc{}, nil, errors.New("page: the answer of a script is damaged") // the cause may quote the page
	}
	doc := decoded.Doc
	doc.Origin = origin
	if href == "about:blank" || href == "data:," {
		return Doc{URL: doc.URL, Complete: doc.Complete, Fresh: doc.Fresh, Token: doc.Token, Origin: origin, Blank: true}, nil, nil
	}
	doc.limitTop(guard)
	if decoded.Failed != "" {
		return doc, nil, fmt.Errorf("page: a script failed with %.40s", decoded.Failed)
	}
	if out != nil && len(decoded.Result) > 0 {
		if err := json.Unmarshal(decoded.Result, out); err != nil {
			return doc, nil, errors.New("page: the result of a script is damaged")
		}
	}
	return doc, found, nil
}

// limitTop withholds a top document that the guard refuses: document.domain
// brings other origins into reach.
func (d *Doc) limitTop(guard Guard) {
	if d.TopURL == nil || *d.TopURL == d.URL {
		return
	}
	if _, err := guard(*d.TopURL, false); err != nil {
		d.TopURL, d.TopTitle = nil, nil
	}
}

// unpack takes "text" or ["text", element].
func unpack(raw json.RawMessage) (answer string, found Ref, err error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '[' {
		var pair []json.RawMessage
		if json.Unmarshal(raw, &pair) != nil || len(pair) != 2 {
			return "", nil, ErrNoAnswer
		}
		raw, found = pair[0], pair[1]
	}
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &answer) != nil {
		return "", nil, ErrNoAnswer
	}
	return answer, found, nil
}
