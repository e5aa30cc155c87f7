package driver

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	kernel32           = windows.NewLazySystemDLL("kernel32.dll")
	powerCreateRequest = kernel32.NewProc("PowerCreateRequest")
	powerSetRequest    = kernel32.NewProc("PowerSetRequest")
)

// stayAwake asks Windows neither to sleep nor to switch the display off, which locks
// many a desktop, until allow is called or this process ends. `powercfg /requests`
// shows it with its reason.
func stayAwake() (allow func()) {
	allow = func() {}
	if powerCreateRequest.Find() != nil || powerSetRequest.Find() != nil {
		return allow
	}
	reason := struct { // REASON_CONTEXT with a simple string
		Version, Flags uint32
		Text           *uint16
		_              [3]uintptr // the rest of its union
	}{Flags: 1, Text: windows.StringToUTF16Ptr("a browser session of iemesh")}
	request, _, _ := powerCreateRequest.Call(uintptr(unsafe.Pointer(&reason)))
	if request == 0 || windows.Handle(request) == windows.InvalidHandle {
		return allow
	}
	for _, required := range []uintptr{0, 1} { // display, system
		powerSetRequest.Call(request, required)
	}
	return func() { windows.CloseHandle(windows.Handle(request)) }
}
