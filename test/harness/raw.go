package harness

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"
)

// Raw speaks JSON-RPC over the standard input and output of a program, for
// what no client library would send.
type Raw struct {
	t     testing.TB
	p     *Program
	lines chan string
	early map[string]Message // answers that came before they were asked for, by id
}

// NewRaw begins to read the program's standard output.
func NewRaw(t testing.TB, p *Program) *Raw {
	r := &Raw{t: t, p: p, lines: make(chan string, 1024), early: map[string]Message{}}
	go func() {
		defer close(r.lines)
		lines := bufio.NewScanner(p)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			r.lines <- lines.Text()
		}
	}()
	return r
}

// Write sends bytes as they are.
func (r *Raw) Write(text string) {
	r.t.Helper()
	if _, err := io.WriteString(r.p.Stdin, text); err != nil {
		r.t.Fatal(err)
	}
}

// Request sends requests or notifications, a line each, in one write.
func (r *Raw) Request(messages ...Args) {
	r.t.Helper()
	text := ""
	for _, message := range messages {
		message["jsonrpc"] = "2.0"
		line, err := json.Marshal(message)
		if err != nil {
			r.t.Fatal(err)
		}
		text += string(line) + "\n"
	}
	r.Write(text)
}

// Message is a line that the program wrote.
type Message struct {
	Version string          `json:"jsonrpc"`
	ID      any             `json:"id"`
	Method  string          `json:"method"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// Next is the next message, which must come in time.
func (r *Raw) Next() Message {
	r.t.Helper()
	select {
	case line, open := <-r.lines:
		if !open {
			r.t.Fatalf("the program closed its output: %q", r.p.Lines())
		}
		var message Message
		if err := json.Unmarshal([]byte(line), &message); err != nil || message.Version != "2.0" {
			r.t.Fatalf("on standard output: %q", line)
		}
		return message
	case <-time.After(callWithin):
		r.t.Fatal("no answer")
	}
	return Message{}
}

// Answer is the answer to the request with this id. Answers may come in any order.
func (r *Raw) Answer(id any) Message {
	r.t.Helper()
	wanted := fmt.Sprint(id)
	for {
		if message, came := r.early[wanted]; came {
			delete(r.early, wanted)
			return message
		}
		if message := r.Next(); message.Method == "" {
			r.early[fmt.Sprint(message.ID)] = message
		}
	}
}

// Initialize shakes hands in the older generation.
func (r *Raw) Initialize() Message {
	r.t.Helper()
	r.Request(Hello("init"))
	answer := r.Answer("init")
	r.Request(Args{"method": "notifications/initialized"})
	return answer
}

// Hello is the request that begins the handshake of the older generation.
func Hello(id any) Args {
	return Args{"id": id, "method": "initialize", "params": Args{
		"protocolVersion": Legacy,
		"capabilities":    Args{},
		"clientInfo":      Args{"name": "iemesh-test", "version": "1"},
	}}
}

// ToolCall is the request of a tool call.
func ToolCall(id any, tool string, args Args) Args {
	return Args{"id": id, "method": "tools/call", "params": Args{"name": tool, "arguments": args}}
}
