// Command prove shows by real MCP calls that a gateway has a working browser. It
// prints what each call saw, and exits with 1 and the server's own message at the
// first that fails.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("prove", flag.ContinueOnError)
	flags.SetOutput(stderr)
	gateway := flags.String("gateway", "http://127.0.0.1:7310", "URL of the gateway, without /mcp")
	page := flags.String("page", "http://127.0.0.1:7312/customer", "URL of a page with elements")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	// Twice the 60 s that a browser may take to start.
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	if err := prove(ctx, strings.TrimSuffix(*gateway, "/"), *page, stdout); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

func prove(ctx context.Context, gateway, page string, out io.Writer) error {
	for _, path := range []string{"/healthz", "/readyz"} {
		if err := ready(ctx, gateway+path); err != nil {
			return err
		}
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "iemesh-prove", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: gateway + "/mcp", DisableStandaloneSSE: true}, nil)
	if err != nil {
		return fmt.Errorf("connect to %s/mcp: %w", gateway, err)
	}
	defer session.Close()
	return browse(ctx, session, page, out)
}

func ready(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 4096))
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s: %s", url, response.Status, strings.TrimSpace(string(body)))
	}
	return err
}

func browse(ctx context.Context, session *mcp.ClientSession, page string, out io.Writer) (err error) {
	var start struct{ Status, Engine string }
	if err := call(ctx, session, "browser_start", nil, &start); err != nil {
		return err
	}
	fmt.Fprintf(out, "browser_start  %s: %s\n", start.Engine, start.Status)

	var opened struct{ URL, Title string }
	var seen struct {
		Text          string
		TotalElements int
	}
	err = call(ctx, session, "navigate", map[string]any{"url": page}, &opened)
	if err == nil {
		fmt.Fprintf(out, "navigate       %s: %s\n", opened.URL, opened.Title)
		err = call(ctx, session, "inspect_page", nil, &seen)
	}
	if err == nil {
		fmt.Fprintf(out, "inspect_page   %d elements: %s\n", seen.TotalElements, excerpt(seen.Text))
		if seen.TotalElements == 0 {
			err = errors.New("inspect_page: the page has no elements")
		}
	}
	var closed struct{ Status string }
	if closing := call(ctx, session, "browser_close", nil, &closed); err != nil || closing != nil {
		return errors.Join(err, closing)
	}
	fmt.Fprintf(out, "browser_close  %s\n", closed.Status)
	return nil
}

// call reads a tool's result into result. Its error is the server's own.
func call(ctx context.Context, session *mcp.ClientSession, tool string, input map[string]any, result any) error {
	answer, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: input})
	if err != nil {
		return fmt.Errorf("%s: %w", tool, err)
	}
	text := ""
	for _, content := range answer.Content {
		if t, ok := content.(*mcp.TextContent); ok {
			text += t.Text
		}
	}
	if answer.IsError {
		var failure struct{ Error, Message string }
		if json.Unmarshal([]byte(text), &failure) == nil && failure.Message != "" {
			text = failure.Error + ": " + failure.Message
		}
		return fmt.Errorf("%s: %s", tool, text)
	}
	if err := json.Unmarshal([]byte(text), result); err != nil {
		return fmt.Errorf("%s: its result is not JSON: %w", tool, err)
	}
	return nil
}

// excerpt is the beginning of a page's text, on one line.
func excerpt(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return string(runes)
}
