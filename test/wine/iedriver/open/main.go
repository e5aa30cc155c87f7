// Command open opens an IE session as the worker does, and prints what came of it: a line
// of JSON. It is built for Windows and run with the real IEDriverServer.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"time"

	"iemesh/worker/driver"
)

// outcome is what it prints. Without a kind the session was opened, and closed again.
type outcome struct {
	Kind    driver.Kind `json:"kind"`
	Message string      `json:"message"`
}

func main() {
	driver.Supervise()
	path := flag.String("driver", "", "IEDriverServer.exe")
	browser := flag.String("browser", "", "msedge.exe")
	oldest := flag.String("oldest", "", "version of the driver that is taken; the worker's own without it")
	limit := flag.Duration("limit", time.Minute, "for opening")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	session, err := driver.Open(ctx, driver.Config{Engine: "ie", DriverPath: *path, BrowserPath: *browser, OldestDriver: *oldest})
	var out outcome
	var failed *driver.Error
	switch {
	case err == nil:
		session.Close()
	case errors.As(err, &failed):
		out = outcome{failed.Kind, failed.Message}
	default:
		out.Kind = driver.Unknown
	}
	json.NewEncoder(os.Stdout).Encode(out)
}
