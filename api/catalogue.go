package api

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// Scope says what a call of an operation must name.
type Scope int

// The scopes.
const (
	None    Scope = iota // nothing
	Session              // a session
	Page                 // a session and one of its pages
)

// Effect says whether an operation may be run again.
type Effect int

// The effects.
const (
	Read Effect = iota // running it again changes nothing
	Act                // it may change something: at most once, and its outcome is kept
)

// Lane says how a call passes its session's queue.
type Lane int

// The lanes.
const (
	Queued   Lane = iota // one at a time, in order
	Overtake             // in front of whatever waits
	NoQueue              // it does not touch the browser
)

// Profile groups the operations that are shown as tools together.
type Profile string

// The profiles. An operation without one has no tool of its own.
const (
	Internal Profile = ""
	Core     Profile = "core"
)

// Meta is all that policy may know of an operation.
type Meta struct {
	Name        string
	Title       string
	Description string // what it does and when to use it
	Scope       Scope
	Effect      Effect
	Lane        Lane
	Profile     Profile
	Visits      bool          // the input's "url" is a place to visit: it is checked, and replaced by its canonical form
	Timeout     time.Duration // the limit when the caller names none; 0 = the configured one
}

// Entry is an operation without its types, as the catalogue lists it.
type Entry struct {
	Meta
	Input  *jsonschema.Schema
	Output *jsonschema.Schema
	check  func(json.RawMessage) error
	audit  func(json.RawMessage) map[string]any
}

// Operation is a declared operation with the types of its input and result.
type Operation[In, Out any] struct{ *Entry }

// Check validates an input against the schema and the rules of its type. The
// error is an InvalidArgument that names the field.
func (e *Entry) Check(input json.RawMessage) error { return e.check(input) }

// Audit returns what of a valid input may be logged.
func (e *Entry) Audit(input json.RawMessage) map[string]any { return e.audit(input) }

// Decode reads an input that Check has let pass.
func (o *Operation[In, Out]) Decode(input json.RawMessage) (in In, err error) {
	if len(input) > 0 {
		err = json.Unmarshal(input, &in)
	}
	return in, err
}

// An input type may have rules that a schema cannot express, and may say what
// of it belongs in the log.
type (
	validator interface{ Validate() error }
	auditor   interface{ Audit() map[string]any }
)

// catalogue is written while the package's variables are initialised, and only then.
var catalogue []*Entry

// declare makes an operation and enters it in the catalogue.
func declare[In, Out any](meta Meta) *Operation[In, Out] {
	op := &Operation[In, Out]{&Entry{Meta: meta, Input: inputSchema[In](), Output: outputSchema[Out]()}}
	op.check = func(input json.RawMessage) error {
		if len(input) == 0 {
			input = json.RawMessage(`{}`)
		}
		if err := Check(op.Input, input); err != nil {
			return err
		}
		var in In
		if err := json.Unmarshal(input, &in); err != nil {
			return Errorf(InvalidArgument, "The input cannot be read: %v.", err)
		}
		if v, ok := any(in).(validator); ok {
			return v.Validate()
		}
		return nil
	}
	op.audit = func(input json.RawMessage) map[string]any {
		var in In
		if json.Unmarshal(input, &in) == nil {
			if a, ok := any(in).(auditor); ok {
				return a.Audit()
			}
		}
		return nil
	}
	catalogue = append(catalogue, op.Entry)
	return op
}

// Catalogue returns every operation in the order of declaration.
func Catalogue() []*Entry {
	return slices.Clone(catalogue)
}

// Lookup returns the operation of that name, or an InvalidArgument.
func Lookup(name string) (*Entry, error) {
	for _, e := range catalogue {
		if e.Name == name {
			return e, nil
		}
	}
	return nil, Errorf(InvalidArgument, "There is no operation %.60q.", name)
}
