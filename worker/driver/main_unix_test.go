//go:build linux || darwin

package driver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"
)

// parentMark makes the test binary a process that opens a session and waits to be killed.
const parentMark = "DRIVER_TEST_PARENT"

func TestMain(m *testing.M) {
	Supervise()
	// A process built with -race sleeps for a second at its end, supervisors too.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	if os.Getenv(parentMark) != "" {
		if _, err := Open(context.Background(), Config{Engine: "chromium"}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("ready")
		select {}
	}
	os.Exit(m.Run())
}

// openOne opens a session whose files are in a folder of the test's own, and checks
// at the end that nothing of it is left.
func openOne(t *testing.T) *Session {
	t.Helper()
	emptied(t)
	return openMore(t)
}

// openMore opens one more session in the test's folder.
func openMore(t *testing.T) *Session {
	t.Helper()
	s, err := Open(t.Context(), Config{Engine: "chromium", Headless: "true"})
	if err != nil {
		t.Fatalf("%v: %v", err, errors.Unwrap(err))
	}
	t.Cleanup(s.Close)
	return s
}

// emptied gives the test a temporary folder and checks at its end that no file and
// no process of a session is left.
func emptied(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "drv")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", folder)
	t.Cleanup(func() {
		eventually(t, 10*time.Second, "nothing left", func() bool {
			files, err := os.ReadDir(folder)
			return err == nil && len(files) == 0 && len(family(-1, folder)) == 0
		})
		os.RemoveAll(folder)
	})
	return folder
}

func eventually(t *testing.T, limit time.Duration, what string, holds func() bool) {
	t.Helper()
	poll := time.NewTicker(10 * time.Millisecond)
	defer poll.Stop()
	for late := time.After(limit); !holds(); {
		select {
		case <-poll.C:
		case <-late:
			t.Fatalf("not within %s: %s", limit, what)
		}
	}
}

func within(t *testing.T, limit time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	t.Cleanup(cancel)
	return ctx
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantKind(t *testing.T, err error, kind Kind) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Kind != kind {
		t.Fatalf("got %v, want kind %q", err, kind)
	}
	return e
}

// site serves pages by path; "/silent" answers only when the test is over.
func site(t *testing.T, pages map[string]string) string {
	over := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/silent" {
			select {
			case <-over:
			case <-q.Context().Done():
			}
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, pages[q.URL.Path])
	}))
	t.Cleanup(func() { close(over); server.CloseClientConnections(); server.Close() })
	return server.URL
}

func find(t *testing.T, s *Session, css string) Element {
	t.Helper()
	e, err := s.Find(within(t, 10*time.Second), "css selector", css)
	must(t, err)
	return e
}

func eval(t *testing.T, s *Session, script string, args ...any) string {
	t.Helper()
	result, err := s.Execute(within(t, 10*time.Second), script, args)
	must(t, err)
	return string(result)
}

func load(t *testing.T, s *Session, url string) {
	t.Helper()
	must(t, s.Navigate(within(t, 20*time.Second), url, 15*time.Second))
}
