// Package api is the contract between those who ask for browser work and those
// who do it: the catalogue of operations, their inputs and results, the error
// codes, and [Worker], the one interface everything else is built around.
//
// Policy decorates a Worker from above (who may call, how fast, to which
// sites); browsers implement one below. This package knows neither MCP nor
// browsers.
package api

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"time"
)

// Worker carries out operations.
//
// Do returns the reply of the operation that call names, or an [*Error]. The
// end of ctx is an explicit cancel: an operation that has not touched the
// browser by then never does. A Worker that is asked twice for the same
// operation id answers twice with the outcome of one execution, as long as it
// remembers it (acting operations: 10 minutes).
type Worker interface {
	Do(ctx context.Context, call *Call) (*Reply, error)
}

// WorkerFunc is a Worker made of one function; decorators are written as one.
type WorkerFunc func(ctx context.Context, call *Call) (*Reply, error)

// Do calls f.
func (f WorkerFunc) Do(ctx context.Context, call *Call) (*Reply, error) { return f(ctx, call) }

// Call asks for one operation.
type Call struct {
	ID        string          `json:"-"` // names this one execution; [NewID]. On the wire it is in the path
	Tool      string          `json:"-"` // the name under which the caller asked, for the audit line; "" = not audited
	Operation string          `json:"operation"`
	SessionID string          `json:"sessionId,omitempty"`
	PageID    string          `json:"pageId,omitempty"`
	TimeoutMs int64           `json:"timeoutMs"` // one limit from acceptance to the end, queueing included
	Caller    Caller          `json:"caller"`
	Policy    Policy          `json:"policy"`
	Input     json.RawMessage `json:"input,omitempty"` // as the operation's input type
}

// Limits of [Call.TimeoutMs].
const (
	MinTimeout = 100 * time.Millisecond
	MaxTimeout = 300 * time.Second
)

// Timeout is TimeoutMs as a duration.
func (c *Call) Timeout() time.Duration { return time.Duration(c.TimeoutMs) * time.Millisecond }

// Caller is who asks. The pair is the owner of the sessions that it starts.
type Caller struct {
	Gateway   string `json:"-"` // the gateway's own identity; a server fills it in from the connection, never from the body
	Principal string `json:"principal"`
}

// Policy is what the caller may see. It travels with each call so that the
// guard, next to the browser, decides by the same rules as the gateway.
type Policy struct {
	Origins []string `json:"origins"` // as origin.Parse takes them; empty allows nothing
}

// Reply is what an operation gave.
type Reply struct {
	Result json.RawMessage `json:"result"`           // as the operation's result type
	Blobs  []Blob          `json:"blobs,omitempty"`  // screenshots and the like, beside the result
	Origin string          `json:"origin,omitempty"` // where the result came from; "" when no page was read
}

// Blob is binary content of a reply.
type Blob struct {
	MediaType string `json:"mediaType"`
	Data      []byte `json:"data"`
}

// NewID returns an unguessable id for an operation, a session or a page.
func NewID() string { return rand.Text() }

// Do is the typed way to ask w for an operation. It fills in call's operation
// and input, and its id when it has none. The reply is nil on error.
func Do[In, Out any](ctx context.Context, w Worker, op *Operation[In, Out], call Call, in In) (Out, *Reply, error) {
	var out Out
	input, err := json.Marshal(in)
	if err != nil {
		return out, nil, Errorf(InvalidArgument, "The input of %s cannot be encoded.", op.Name).Because(err)
	}
	call.Operation, call.Input = op.Name, input
	if call.ID == "" {
		call.ID = NewID()
	}
	reply, err := w.Do(ctx, &call)
	if err != nil {
		return out, nil, err
	}
	if err := json.Unmarshal(reply.Result, &out); err != nil {
		return out, nil, Errorf(InternalError, "The result of %s could not be read.", op.Name).Because(err)
	}
	return out, reply, nil
}
