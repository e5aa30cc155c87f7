// Command legacyapp serves the small legacy application of package legacyapp until it is interrupted.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"iemesh/worker/legacyapp"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run serves until ctx ends. It answers 0 after an orderly end, 1 when serving failed, 2 for a wrong command line.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("legacyapp", flag.ContinueOnError)
	flags.SetOutput(stderr)
	listen := flags.String("listen", "127.0.0.1:7312", "address to listen on")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0:
		fmt.Fprintln(stderr, "legacyapp takes no arguments")
		return 2
	}
	if err := serve(ctx, *listen, stdout); err != nil {
		fmt.Fprintln(stderr, "legacyapp:", err)
		return 1
	}
	return 0
}

func serve(ctx context.Context, address string, stdout io.Writer) error {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	app := legacyapp.New()
	defer app.Close()
	server := &http.Server{Handler: app, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	fmt.Fprintf(stdout, "http://%s/\n", listener.Addr())

	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	app.Close()
	end, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	// A browser may keep a connection open without ever sending a request on it.
	if server.Shutdown(end) != nil {
		return server.Close()
	}
	return nil
}
