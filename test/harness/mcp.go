package harness

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The two generations of MCP: with a handshake and sessions, and without.
const (
	Legacy = "2025-11-25"
	Modern = "2026-07-28"
)

// Args are the arguments of a tool.
type Args = map[string]any

// By makes a selector.
func By(by, value string) Args { return Args{"by": by, "value": value} }

// ID makes the selector of an id.
func ID(id string) Args { return By("id", id) }

// connectWithin bounds a handshake.
const connectWithin = 20 * time.Second

// Connect connects over a transport in a generation of MCP.
func Connect(transport mcp.Transport, version string) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "iemesh-test", Version: "1"}, nil)
	// The context ends the session's streams as well, so it outlives the handshake.
	ctx, cancel := context.WithCancel(context.Background())
	timer := time.AfterFunc(connectWithin, cancel)
	defer timer.Stop()
	return client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
}

// Stdio is the transport over the standard input and output of a program.
func (p *Program) Stdio() mcp.Transport {
	return &mcp.IOTransport{Reader: io.NopCloser(p), Writer: p.Stdin}
}

// MCP is the transport to a gateway that serves HTTP. The token may be empty.
func (s *Server) MCP(token string, roots *tls.Config) mcp.Transport {
	base := &http.Transport{TLSClientConfig: roots}
	s.mu.Lock()
	s.transports = append(s.transports, base)
	s.mu.Unlock()
	return &mcp.StreamableClientTransport{
		Endpoint:             s.Base + "/mcp",
		HTTPClient:           &http.Client{Transport: bearer{token, base}},
		MaxRetries:           -1,
		DisableStandaloneSSE: true,
	}
}

type bearer struct {
	token string
	next  http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	return b.next.RoundTrip(r)
}

// Connected is [Connect] for the length of a test.
func Connected(t testing.TB, transport mcp.Transport, version string) *mcp.ClientSession {
	t.Helper()
	c, err := Connect(transport, version)
	if err != nil {
		t.Fatalf("connecting in %s: %v", version, err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// callWithin bounds every call of a test, above all limits of its own.
const callWithin = 90 * time.Second

// Ask calls a tool and returns whatever it answers.
func Ask(t testing.TB, c *mcp.ClientSession, tool string, args Args) *mcp.CallToolResult {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), callWithin)
	defer cancel()
	if args == nil {
		args = Args{}
	}
	result, err := c.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return result
}

// Call calls a tool, which must succeed, and returns its result.
func Call[T any](t testing.TB, c *mcp.ClientSession, tool string, args Args) T {
	t.Helper()
	result := Ask(t, c, tool, args)
	if result.IsError {
		t.Fatalf("%s %v: %s", tool, args, Text(result))
	}
	var structured T
	encoded, err := json.Marshal(result.StructuredContent)
	if err == nil {
		err = json.Unmarshal(encoded, &structured)
	}
	if err != nil {
		t.Fatalf("%s: the result %s: %v", tool, encoded, err)
	}
	// Clients that know no structured content read the same as text.
	var text any
	if err := json.Unmarshal([]byte(Text(result)), &text); err != nil || !reflect.DeepEqual(text, result.StructuredContent) {
		t.Errorf("%s: the text %s is not the structured content %s", tool, Text(result), encoded)
	}
	return structured
}

// Do calls a tool that must succeed.
func Do(t testing.TB, c *mcp.ClientSession, tool string, args Args) map[string]any {
	t.Helper()
	return Call[map[string]any](t, c, tool, args)
}

// Refused calls a tool, which must fail with the code, and returns the error.
func Refused(t testing.TB, c *mcp.ClientSession, tool string, args Args, code string) map[string]any {
	t.Helper()
	result := Ask(t, c, tool, args)
	failure := Failure(t, tool, result)
	if failure["error"] != code {
		t.Errorf("%s %v: %v, want %s", tool, args, failure, code)
	}
	return failure
}

// Failure reads the error in a result, which must be one of the right shape.
func Failure(t testing.TB, tool string, result *mcp.CallToolResult) map[string]any {
	t.Helper()
	if !result.IsError {
		t.Fatalf("%s succeeded: %s", tool, Text(result))
	}
	if result.StructuredContent != nil {
		t.Errorf("%s: an error with structured content", tool)
	}
	var failure map[string]any
	if err := json.Unmarshal([]byte(Text(result)), &failure); err != nil {
		t.Fatalf("%s: the error %q is not JSON", tool, Text(result))
	}
	for _, field := range []string{"error", "message"} {
		if text, _ := failure[field].(string); text == "" {
			t.Errorf("%s: the error %v has no %s", tool, failure, field)
		}
	}
	return failure
}

// Text is the last text content of a result.
func Text(result *mcp.CallToolResult) string {
	text := ""
	for _, content := range result.Content {
		if c, ok := content.(*mcp.TextContent); ok {
			text = c.Text
		}
	}
	return text
}
