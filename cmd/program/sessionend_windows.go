package program

import (
	"runtime"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// sessionEndTime is how long Windows is held up at a log-off or shutdown. It kills
// what takes 5 s; the job objects of the browsers close then.
const sessionEndTime = 4 * time.Second

const windowClass = "iemesh"

var (
	user32            = windows.NewLazySystemDLL("user32.dll")
	registerClassEx   = user32.NewProc("RegisterClassExW")
	unregisterClass   = user32.NewProc("UnregisterClassW")
	createWindowEx    = user32.NewProc("CreateWindowExW")
	destroyWindow     = user32.NewProc("DestroyWindow")
	defWindowProc     = user32.NewProc("DefWindowProcW")
	getMessage        = user32.NewProc("GetMessageW")
	dispatchMessage   = user32.NewProc("DispatchMessageW")
	postThreadMessage = user32.NewProc("PostThreadMessageW")
)

// endWithSession calls end when the user logs off, Windows shuts down, or somebody
// asks the program to close (taskkill), and holds Windows up until ended is closed.
// A console program gets no signal for a log-off once it has loaded user32.dll, which
// ours has, so it needs a window; nobody sees it. Where no window can be made, only
// signals end the program in order.
func endWithSession(end func(), ended <-chan struct{}) {
	go func() {
		runtime.LockOSThread() // for good: a window belongs to its thread
		showNothing(end, ended)
	}()
}

// showNothing makes the window and serves it until ended is closed.
func showNothing(end func(), ended <-chan struct{}) {
	const (
		wmClose           = 0x10
		wmQuit            = 0x12
		wmQueryEndSession = 0x11
		wmEndSession      = 0x16
	)
	procedure := windows.NewCallback(func(window, message, w, l uintptr) uintptr {
		switch message {
		case wmQueryEndSession:
			return 1 // no objection
		case wmEndSession:
			if w == 0 { // somebody else objected
				return 0
			}
			end()
			select { // Windows may end this process as soon as this returns
			case <-ended:
			case <-time.After(sessionEndTime):
			}
			return 0
		case wmClose:
			end()
			return 0
		}
		result, _, _ := defWindowProc.Call(window, message, w, l)
		return result
	})
	name := windows.StringToUTF16Ptr(windowClass)
	class := struct { // WNDCLASSEXW
		size, style                        uint32
		procedure                          uintptr
		classExtra, windowExtra            int32
		instance, icon, cursor, background uintptr
		menu, name                         *uint16
		smallIcon                          uintptr
	}{procedure: procedure, name: name}
	class.size = uint32(unsafe.Sizeof(class))
	registerClassEx.Call(uintptr(unsafe.Pointer(&class)))
	defer unregisterClass.Call(uintptr(unsafe.Pointer(name)), 0)
	// A top-level one that is not shown: a message-only window is not told.
	window, _, _ := createWindowEx.Call(0, uintptr(unsafe.Pointer(name)), uintptr(unsafe.Pointer(name)), 0, 0, 0, 0, 0, 0, 0, 0, 0)
	if window == 0 {
		return
	}
	defer destroyWindow.Call(window)
	thread := windows.GetCurrentThreadId()
	go func() {
		<-ended
		postThreadMessage.Call(uintptr(thread), wmQuit, 0, 0)
	}()
	var message [8]uint64 // MSG takes 48 bytes
	for {
		got, _, _ := getMessage.Call(uintptr(unsafe.Pointer(&message)), 0, 0, 0)
		if int32(got) <= 0 { // WM_QUIT, or a failure
			return
		}
		dispatchMessage.Call(uintptr(unsafe.Pointer(&message)))
	}
}
