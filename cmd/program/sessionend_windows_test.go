package program

import (
	"context"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	findWindow  = user32.NewProc("FindWindowW")
	sendMessage = user32.NewProc("SendMessageW")
)

func ownWindow() uintptr {
	window, _, _ := findWindow.Call(uintptr(unsafe.Pointer(windows.StringToUTF16Ptr(windowClass))), 0)
	return window
}

func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for limit := time.After(10 * time.Second); !holds(); {
		select {
		case <-limit:
			t.Fatal("not in time: " + what)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// The end of the Windows session ends the program, and waits for its end.
func TestEndOfSession(t *testing.T) {
	for _, c := range []struct {
		name    string
		message uintptr
		w       uintptr
		ends    bool
		waits   bool
	}{
		{"somebody else objected to the end", 0x16, 0, false, false},
		{"the session ends", 0x16, 1, true, true},
		{"taskkill", 0x10, 0, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked, end := context.WithCancel(t.Context())
			ended := make(chan struct{})
			endWithSession(end, ended)
			window := uintptr(0)
			await(t, "a window", func() bool { window = ownWindow(); return window != 0 })
			if ok, _, _ := sendMessage.Call(window, 0x11, 0, 0); ok != 1 {
				t.Error("the program objects to the end of the session")
			}
			answered := make(chan struct{})
			go func() { sendMessage.Call(window, c.message, c.w, 0); close(answered) }()
			if c.ends {
				<-asked.Done()
			} else {
				<-answered
			}
			if asked.Err() == nil == c.ends {
				t.Errorf("ended: %v", asked.Err())
			}
			if c.waits {
				select {
				case <-answered:
					t.Error("the end was not waited for")
				case <-time.After(300 * time.Millisecond):
				}
			}
			close(ended)
			<-answered
			await(t, "no window", func() bool { return ownWindow() == 0 })
		})
	}
}
