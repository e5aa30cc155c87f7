// Command prove shows by real MCP calls that a gateway has a working browser. It
// prints what each call saw, and exits with 1 and the server's own message at the
// first that fails.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"iemesh/test/client"
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
	if err := prove(ctx, *gateway, *page, stdout); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

func prove(ctx context.Context, gateway, page string, out io.Writer) error {
	session, err := client.Connect(ctx, gateway)
	if err != nil {
		return err
	}
	defer session.Close()
	return browse(ctx, session, page, out)
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
		fmt.Fprintf(out, "inspect_page   %d elements: %s\n", seen.TotalElements, client.Excerpt(seen.Text, 60))
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

func call(ctx context.Context, session *mcp.ClientSession, tool string, input map[string]any, result any) error {
	_, err := client.Call(ctx, session, tool, input, result)
	return err
}
