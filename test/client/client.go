// Package client calls the tools of a running gateway, as an agent would.
package client

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Connect connects to the gateway at a URL without a path, once it says that it
// is ready. The caller closes the session.
func Connect(ctx context.Context, gateway string) (*mcp.ClientSession, error) {
	gateway = strings.TrimSuffix(gateway, "/")
	for _, path := range []string{"/healthz", "/readyz"} {
		if _, err := Get(ctx, gateway+path); err != nil {
			return nil, err
		}
	}
	c := mcp.NewClient(&mcp.Implementation{Name: "iemesh-client", Version: "1"}, nil)
	session, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: gateway + "/mcp", DisableStandaloneSSE: true}, nil)
	if err != nil {
		return nil, fmt.Errorf("connect to %s/mcp: %w", gateway, err)
	}
	return session, nil
}

// Get reads at most 4 KiB of what a URL answers with status 200. Every other
// status is an error.
func Get(ctx context.Context, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(io.LimitReader(response.Body, 4096))
	body := strings.TrimSpace(string(content))
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s: %s", url, response.Status, body)
	}
	return body, err
}

// Call calls a tool, reads the JSON of its result into result, and returns its
// image, if there is one. The error of a tool that fails is the server's own.
func Call(ctx context.Context, session *mcp.ClientSession, tool string, input map[string]any, result any) (image []byte, err error) {
	answer, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: input})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", tool, err)
	}
	text := ""
	for _, content := range answer.Content {
		switch c := content.(type) {
		case *mcp.TextContent:
			text += c.Text
		case *mcp.ImageContent:
			image = c.Data
		}
	}
	if answer.IsError {
		var failure struct{ Error, Message string }
		if json.Unmarshal([]byte(text), &failure) == nil && failure.Message != "" {
			text = failure.Error + ": " + failure.Message
		}
		return nil, fmt.Errorf("%s: %s", tool, text)
	}
	if err := json.Unmarshal([]byte(text), result); err != nil {
		return nil, fmt.Errorf("%s: its result is not JSON: %w", tool, err)
	}
	return image, nil
}

// Excerpt is the beginning of a text, at most limit characters long, on one line.
func Excerpt(text string, limit int) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return string(runes)
}
