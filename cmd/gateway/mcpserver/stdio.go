package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stdio is a connection over a pair of pipes. Unlike the SDK's it survives
// frames that it cannot read, and it gives each tools/call its place in the
// order of reading, before the SDK starts handlers concurrently.
type stdio struct {
	server *Server
	caller *caller
	in     io.ReadCloser
	frames chan frame

	writing sync.Mutex
	out     io.Writer

	mu   sync.Mutex
	open map[jsonrpc.ID]*opened // requests without a response
}

// frame is one line, or what is wrong with it.
type frame struct {
	message jsonrpc.Message
	fault   *jsonrpc.Error
}

// opened is a request to which no response was written; place is that of a
// tools/call.
type opened struct {
	place *place
	extra *mcp.RequestExtra
}

func (s *Server) newStdio(c *caller, in io.ReadCloser, out io.Writer) *stdio {
	t := &stdio{
		server: s, caller: c, in: in, out: out,
		frames: make(chan frame), open: map[jsonrpc.ID]*opened{},
	}
	go t.scan()
	return t
}

// Connect makes a stdio its own transport.
func (t *stdio) Connect(context.Context) (mcp.Connection, error) { return t, nil }

// SessionID is empty: a process is a session.
func (t *stdio) SessionID() string { return "" }

// scan reads lines until the input ends. It outlives the connection if the
// input cannot be closed while it is read.
func (t *stdio) scan() {
	defer t.caller.cut(io.EOF)
	r := bufio.NewReaderSize(t.in, 64<<10)
	for {
		line, tooLong, err := readLine(r, maxMessage)
		if f, ok := parse(bytes.TrimSpace(line), tooLong); ok {
			select {
			case t.frames <- f:
			case <-t.caller.over.Done():
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// readLine reads to the end of the line, and keeps at most limit bytes of it.
func readLine(r *bufio.Reader, limit int) (line []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if !tooLong {
			if line = append(line, part...); len(line) > limit {
				line, tooLong = nil, true
			}
		}
		if err != bufio.ErrBufferFull {
			return line, tooLong, err
		}
	}
}

// parse tells what a line is; an empty one is nothing.
func parse(line []byte, tooLong bool) (frame, bool) {
	fault := func(code int64, format string, args ...any) (frame, bool) {
		return frame{fault: &jsonrpc.Error{Code: code, Message: fmt.Sprintf(format, args...)}}, true
	}
	switch {
	case tooLong:
		return fault(jsonrpc.CodeInvalidRequest, "a message may have at most %d bytes", maxMessage)
	case len(line) == 0:
		return frame{}, false
	case !json.Valid(line):
		return fault(jsonrpc.CodeParseError, "not valid JSON")
	case line[0] == '[':
		return fault(jsonrpc.CodeInvalidRequest, "batches are not supported")
	}
	message, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return fault(jsonrpc.CodeInvalidRequest, "not a JSON-RPC 2.0 message")
	}
	return frame{message: message}, true
}

// Read returns the next message. The SDK calls it from one goroutine.
func (t *stdio) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		var f frame
		select {
		case f = <-t.frames:
		case <-t.caller.over.Done():
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if f.fault == nil {
			request, ok := f.message.(*jsonrpc.Request)
			if !ok || !request.IsCall() || t.admit(request) {
				return f.message, nil
			}
			f.fault = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "this id is in use"}
		}
		if err := t.refuse(f.fault); err != nil {
			return nil, err
		}
	}
}

// admit opens a request, unless its id is taken: the SDK would never answer it.
func (t *stdio) admit(request *jsonrpc.Request) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open[request.ID] != nil {
		return false
	}
	o := &opened{extra: &mcp.RequestExtra{}}
	request.Extra = o.extra
	if request.Method == "tools/call" {
		if tool, sessionID := t.server.peek(request.Params); tool != nil {
			o.place = t.caller.join(tool, sessionID)
			t.server.places.Store(o.extra, o.place)
		}
	}
	t.open[request.ID] = o
	return true
}

// Write sends a message. A response closes its request, whatever became of it,
// so that no place stays taken.
func (t *stdio) Write(_ context.Context, message jsonrpc.Message) error {
	if response, ok := message.(*jsonrpc.Response); ok {
		t.mu.Lock()
		t.settle(response.ID)
		t.mu.Unlock()
	}
	data, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	return t.write(data)
}

// settle closes a request. It is called with mu held.
func (t *stdio) settle(id jsonrpc.ID) {
	o := t.open[id]
	if o == nil {
		return
	}
	delete(t.open, id)
	t.server.places.Delete(o.extra)
	if o.place != nil {
		o.place.leave()
	}
}

// settleAll closes what the end of the connection left without a response.
func (t *stdio) settleAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id := range t.open {
		t.settle(id)
	}
}

func (t *stdio) write(line []byte) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	_, err := t.out.Write(append(line, '\n'))
	return err
}

// refuse answers what is no request, so without an id.
func (t *stdio) refuse(fault *jsonrpc.Error) error {
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": nil, "error": fault})
	if err != nil {
		return err
	}
	return t.write(data)
}

// Close ends the connection; the output stays the caller's.
func (t *stdio) Close() error {
	t.caller.cut(io.EOF)
	return t.in.Close()
}

// peek tells what a place in the order depends on: the tool and the session
// that a call names.
func (s *Server) peek(params json.RawMessage) (*tool, string) {
	var name, sessionID string
	var fields map[string]json.RawMessage
	if json.Unmarshal(params, &fields) != nil || json.Unmarshal(fields["name"], &name) != nil {
		return nil, ""
	}
	if arguments := fields["arguments"]; !isNothing(arguments) {
		fields = nil
		if json.Unmarshal(arguments, &fields) == nil && fields["sessionId"] != nil {
			_ = json.Unmarshal(fields["sessionId"], &sessionID) // another type is refused by the tool
		}
	}
	return s.tools[name], sessionID
}

// takePlace is the place that a call got when it was read, or nil.
func (s *Server) takePlace(extra *mcp.RequestExtra) *place {
	if p, ok := s.places.Load(extra); ok {
		return p.(*place)
	}
	return nil
}
