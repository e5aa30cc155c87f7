// Package link carries operations between a gateway and a worker over HTTP. It
// holds both ends: [NewHandler] serves a [api.Worker], [NewClient] is one.
//
// An operation is a PUT under its id, which makes it safe to ask again: a
// repeat joins the running operation or gets its outcome. So the loss of a
// connection never cancels; DELETE does.
//
// What a repeat must not do is run an acting operation in a worker that was
// started anew and remembers nothing. Every worker process therefore has a
// random instance id, told in the header of each of its answers. A client sends
// an acting operation on condition that the worker still is the instance it
// knows ([InstanceHeader] in the request); any other process refuses with 412
// before it looks at the operation. A client that knows no instance yet sends a
// condition that nobody meets, and learns from the refusal. No clocks are
// compared, and neither end keeps anything per operation for it.
package link

import (
	"regexp"
	"time"

	"iemesh/api"
)

// InstanceHeader tells in an answer which process gave it, and in a request
// which process alone may carry the operation out.
const InstanceHeader = "Iemesh-Instance"

const (
	operationsPath = "/v1/operations/"
	jsonType       = "application/json"

	maxBody  = 16 << 20 // of a call
	maxReply = 64 << 20 // of an answer, as JSON

	// grace is how long either end goes on past the deadline of a call: the
	// worker itself answers at most 400 ms late.
	grace = time.Second
)

// answer is the body of every answer: a reply or an error.
type answer struct {
	OperationID string `json:"operationId,omitempty"`
	*api.Reply
	Error *api.Error `json:"error,omitempty"`
}

var idPattern = regexp.MustCompile(`^[A-Za-z0-9_-]{16,64}$`)

func checkID(id string) error {
	if !idPattern.MatchString(id) {
		return api.Errorf(api.InvalidArgument, "The operation id must have 16 to 64 characters of A-Z, a-z, 0-9, _ and -.")
	}
	return nil
}
