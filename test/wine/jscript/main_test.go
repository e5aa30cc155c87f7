package jscript

import (
	"context"
	"fmt"
	"os"
	"testing"

	"iemesh/test/wine"
	"iemesh/worker/driver"
)

// What the tests share, because each takes seconds to start.
var (
	jscript  *engine
	chromium *driver.Session
	site     string // its URL
)

func TestMain(m *testing.M) {
	driver.Supervise()
	os.Exit(func() int {
		code, err := within(m.Run)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return code
	}())
}

// within runs the tests where all is there that they share.
func within(run func() int) (code int, err error) {
	p, err := wine.New(wine.Bits64)
	if err != nil {
		return 0, err
	}
	defer func() {
		for _, left := range p.Close() {
			err = fmt.Errorf("left behind: %s", left)
		}
	}()
	if jscript, err = startEngine(p); err != nil {
		return 0, err
	}
	defer jscript.stop()
	if chromium, err = driver.Open(context.Background(), driver.Config{Engine: "chromium", Headless: "true"}); err != nil {
		return 0, err
	}
	defer chromium.Close()
	server := serveSite()
	defer server.Close()
	site = server.URL
	return run(), nil
}
