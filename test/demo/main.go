// Command demo works in the legacy application through a gateway, as an agent
// does: it searches a customer, looks into a frame, uses a popup, and registers
// a customer with a confirm box. It prints every call with its result, and exits
// with 1 at the first that is not as it must be, saying which.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"iemesh/test/client"
)

// longest bounds the whole, the start of the slowest browser included.
const longest = 5 * time.Minute

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("demo", flag.ContinueOnError)
	flags.SetOutput(stderr)
	gateway := flags.String("gateway", "http://127.0.0.1:7310", "URL of the gateway, without /mcp")
	app := flags.String("app", "http://127.0.0.1:7312", "URL of the legacy application")
	picture := flags.String("screenshot", "screenshot.png", "file for the screenshot")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	if err := demonstrate(ctx, *gateway, strings.TrimSuffix(*app, "/"), *picture, stdout); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

func demonstrate(ctx context.Context, gateway, app, picture string, out io.Writer) error {
	session, err := client.Connect(ctx, gateway)
	if err != nil {
		return err
	}
	defer session.Close()
	d := demo{session: session, out: out, picture: picture}
	err = d.play(ctx, scenes(app))
	if err != nil && d.number > 0 {
		// Whatever the failure was (an interrupt has ended ctx, and may be ending the gateway as well), the browser is not
		// left to the gateway.
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		session.CallTool(end, &mcp.CallToolParams{Name: "browser_close"})
	}
	return err
}

// demo plays scenes and counts their steps.
type demo struct {
	session *mcp.ClientSession
	out     io.Writer
	picture string
	number  int // of the last step begun
}

func (d *demo) play(ctx context.Context, scenes []scene) error {
	begin := time.Now()
	for _, s := range scenes {
		fmt.Fprintf(d.out, "\n%s\n", s.title)
		for _, step := range s.steps {
			d.number++
			if err := d.take(ctx, step); err != nil {
				return fmt.Errorf("step %d (%s), %w", d.number, s.title, err)
			}
		}
	}
	fmt.Fprintf(d.out, "\n%d steps in %.1f s, all as expected. The screenshot is %s\n", d.number, time.Since(begin).Seconds(), d.picture)
	return nil
}

func (d *demo) take(ctx context.Context, s step) error {
	input, err := compact(s.input)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, "%3d  %s %s\n", d.number, s.tool, input)
	var result json.RawMessage // as the server ordered it, for people
	image, err := client.Call(ctx, d.session, s.tool, s.input, &result)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, "     %s\n", client.Excerpt(string(result), 200))
	var got object
	if err := json.Unmarshal(result, &got); err != nil {
		return fmt.Errorf("%s: %w", s.tool, err)
	}
	if err := s.check(ctx, got); err != nil {
		return fmt.Errorf("%s: %w", s.tool, err)
	}
	if image != nil {
		return os.WriteFile(d.picture, image, 0o600)
	}
	return nil
}

// compact is the JSON of an input as an agent would write it, without escapes for HTML.
func compact(input object) (string, error) {
	if input == nil {
		return "{}", nil
	}
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(input)
	return strings.TrimSpace(b.String()), err
}
