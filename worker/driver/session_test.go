package driver

import (
	"context"
	"os"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	Supervise()
	os.Exit(m.Run())
}

func TestProbe(t *testing.T) {
	for range 3 {
		t0 := time.Now()
		s, err := Open(context.Background(), Config{Engine: "chromium", Warn: func(m string) { t.Log(m) }})
		if err != nil {
			t.Fatalf("%v %v", err, err.(*Error).Cause)
		}
		t.Log("open", time.Since(t0), s.Ports(), s.BrowserVersion())
		ctx := t.Context()
		t.Log(s.Navigate(ctx, "data:text/html,<input id=x value=abc>", 10*time.Second))
		h, err := s.Window(ctx)
		loc, ok := s.Locations(ctx)
		t.Log(h, err, loc, ok)
		r, err := s.Execute(ctx, "return [1,innerWidth,innerHeight,{error:'x'}]", nil)
		t.Log(string(r), err)
		t0 = time.Now()
		s.Close()
		t.Log("close", time.Since(t0), s.Why())
		time.Sleep(0)
	}
	if d, _ := os.ReadDir(os.TempDir()); true {
		for _, e := range d {
			t.Log(e.Name())
		}
	}
}
