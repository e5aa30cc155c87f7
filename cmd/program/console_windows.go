package program

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

var (
	kernel32         = windows.NewLazySystemDLL("kernel32.dll")
	consoleProcesses = kernel32.NewProc("GetConsoleProcessList")
	freeConsole      = kernel32.NewProc("FreeConsole")
)

// leaveConsole closes the window that Windows opens for a program of the console
// that it starts without one, as a scheduled task: it would lie over the browser,
// and closing it would end the program. A console that somebody else uses, such
// as a command prompt, is kept.
func leaveConsole() {
	if consoleProcesses.Find() != nil || freeConsole.Find() != nil {
		return
	}
	var ids [2]uint32
	if n, _, _ := consoleProcesses.Call(uintptr(unsafe.Pointer(&ids[0])), uintptr(len(ids))); n == 1 {
		_, _, _ = freeConsole.Call()
	}
}
