package desktop

import (
	"fmt"
	"runtime"
	"strconv"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Read reads the facts. It takes about a millisecond. What Windows (or Wine)
// does not tell is not known, and named in Unknown.
func Read() Facts {
	var f Facts
	unless := func(known bool, id string) {
		if !known {
			f.Unknown = append(f.Unknown, id)
		}
	}
	session, ok := sessionID()
	if ok {
		f.Session = strconv.FormatUint(uint64(session), 10)
	}
	unless(ok, SessionZero)
	f.Unseen, ok = unseen()
	unless(ok, Unseen)
	f.Connection, ok = connection()
	unless(ok, Disconnected)
	f.Locked, ok = locked()
	unless(ok, Locked)
	f.Elevated, ok = elevated()
	unless(ok, Elevated)
	f.Remote, ok = remote()
	unless(ok, Remote)
	f.ScalePercent, ok = scale()
	unless(ok, Scale)
	return f
}

func sessionID() (id uint32, ok bool) {
	err := windows.ProcessIdToSessionId(windows.GetCurrentProcessId(), &id)
	return id, err == nil
}

var (
	user32   = windows.NewLazySystemDLL("user32.dll")
	shcore   = windows.NewLazySystemDLL("shcore.dll")
	wtsapi32 = windows.NewLazySystemDLL("wtsapi32.dll")
	ntdll    = windows.NewLazySystemDLL("ntdll.dll")

	getProcessWindowStation      = user32.NewProc("GetProcessWindowStation")
	getUserObjectInformation     = user32.NewProc("GetUserObjectInformationW")
	openInputDesktop             = user32.NewProc("OpenInputDesktop")
	closeDesktop                 = user32.NewProc("CloseDesktop")
	getSystemMetrics             = user32.NewProc("GetSystemMetrics")
	setThreadDpiAwarenessContext = user32.NewProc("SetThreadDpiAwarenessContext")
	getDpiForSystem              = user32.NewProc("GetDpiForSystem")
	monitorFromWindow            = user32.NewProc("MonitorFromWindow")
	getDpiForMonitor             = shcore.NewProc("GetDpiForMonitor")
	wtsQuerySessionInformation   = wtsapi32.NewProc("WTSQuerySessionInformationW")
	wineGetVersion               = ntdll.NewProc("wine_get_version")
)

// call calls p, if this Windows has it. Pointers among args stay where they are.
//
//go:uintptrescapes
func call(p *windows.LazyProc, args ...uintptr) (result uintptr, err error, has bool) {
	if p.Find() != nil {
		return 0, nil, false
	}
	result, _, err = p.Call(args...)
	return result, err, true
}

// unseen asks whether the window station of this process has no screen (WSF_VISIBLE
// is not set): that of services, of SSH and of tasks without a logon has none.
func unseen() (is, ok bool) {
	station, _, _ := call(getProcessWindowStation)
	if station == 0 {
		return false, false
	}
	var flags struct {
		Inherit, Reserved int32
		Flags             uint32
	}
	const uoiFlags, visible = 1, 1
	done, _, _ := call(getUserObjectInformation, station, uoiFlags, uintptr(unsafe.Pointer(&flags)), unsafe.Sizeof(flags), 0)
	return flags.Flags&visible == 0, done != 0
}

// sessionInformation asks Terminal Services about our session. The answer is
// copied; it is nil when there is none.
func sessionInformation(class uintptr) []byte {
	const server, current = 0, 0xffffffff
	var buffer *byte
	var size uint32
	done, _, _ := call(wtsQuerySessionInformation, server, current, class, uintptr(unsafe.Pointer(&buffer)), uintptr(unsafe.Pointer(&size)))
	if done == 0 || buffer == nil {
		return nil
	}
	defer windows.WTSFreeMemory(uintptr(unsafe.Pointer(buffer)))
	return append([]byte{}, unsafe.Slice(buffer, size)...)
}

var connections = map[uint32]string{
	windows.WTSActive: "active", windows.WTSConnected: "connected, with nobody logged on", windows.WTSConnectQuery: "connecting",
	windows.WTSShadow: "shadowing another", windows.WTSDisconnected: "disconnected", windows.WTSIdle: "idle",
	windows.WTSListen: "listening", windows.WTSReset: "being reset", windows.WTSDown: "down", windows.WTSInit: "being initialised",
}

func connection() (state string, ok bool) {
	const wtsConnectState = 8
	answer := sessionInformation(wtsConnectState)
	if len(answer) < 4 {
		return "", false
	}
	number := *(*uint32)(unsafe.Pointer(&answer[0]))
	if state, ok = connections[number]; !ok {
		state = fmt.Sprintf("in the unknown state %d", number)
	}
	return state, true
}

// locked asks twice, since neither answer covers all: Terminal Services know the
// lock, and the desktop with the input is not the user's during a secure screen
// saver or prompt either. It may not even be opened then.
func locked() (is, ok bool) {
	const wtsSessionInfoEx, lockFlag, levels = 25, 16, 1
	// DWORD level, 4 bytes of padding, then session id, state, flags (0 = locked).
	if answer := sessionInformation(wtsSessionInfoEx); len(answer) >= lockFlag+4 && *(*uint32)(unsafe.Pointer(&answer[0])) == levels {
		is, ok = *(*uint32)(unsafe.Pointer(&answer[lockFlag])) == 0, true
	}
	const readObjects = 1
	handle, err, has := call(openInputDesktop, 0, 0, readObjects)
	if handle == 0 {
		if has && err == windows.ERROR_ACCESS_DENIED {
			return true, true
		}
		return is, ok
	}
	defer call(closeDesktop, handle)
	name := make([]uint16, 128)
	const uoiName = 2
	if done, _, _ := call(getUserObjectInformation, handle, uoiName, uintptr(unsafe.Pointer(&name[0])), uintptr(len(name)*2), 0); done == 0 {
		return is, ok
	}
	return is || windows.UTF16ToString(name) != "Default", true
}

// Wine tells whether Wine is this Windows.
func Wine() bool { return wineGetVersion.Find() == nil }

// elevated asks for the rights in force. Wine runs everything with them and its
// browser would not mind.
func elevated() (is, ok bool) {
	if Wine() {
		return false, false
	}
	return windows.GetCurrentProcessToken().IsElevated(), true
}

func remote() (is, ok bool) {
	const smRemoteSession = 0x1000
	answer, _, has := call(getSystemMetrics, smRemoteSession)
	return answer != 0, has
}

// scale asks as a program that is aware of scaling: to others, which ours is by
// default, Windows says 100 % always.
func scale() (percent int, ok bool) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const perMonitorAware, primary, effective = ^uintptr(2), 1, 0 // the handle -3
	before, _, _ := call(setThreadDpiAwarenessContext, perMonitorAware)
	if before == 0 {
		return 0, false
	}
	defer call(setThreadDpiAwarenessContext, before)
	var x, y uint32
	monitor, _, _ := call(monitorFromWindow, 0, primary)
	if failed, _, has := call(getDpiForMonitor, monitor, effective, uintptr(unsafe.Pointer(&x)), uintptr(unsafe.Pointer(&y))); !has || failed != 0 || x == 0 {
		dpi, _, _ := call(getDpiForSystem)
		x = uint32(dpi)
	}
	return int(x) * 100 / 96, x != 0
}
