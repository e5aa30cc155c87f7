package doctor

import (
	"fmt"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"

	"iemesh/worker/desktop"
)

const homeName = "%USERPROFILE%"

const workstation = 1 // VER_NT_WORKSTATION

func systemFacts() facts {
	v := windows.RtlGetVersion()
	name := "Windows"
	if v.ProductType != workstation {
		name = "Windows Server"
	}
	f := facts{desktop: desktop.Read(), drivers: drivers(), old: v.MajorVersion < 10}
	f.system = fmt.Sprintf("%s %d.%d.%d", name, v.MajorVersion, v.MinorVersion, v.BuildNumber)
	if windows.NewLazySystemDLL("ntdll.dll").NewProc("wine_get_version").Find() == nil {
		f.system += " (Wine)"
	}
	return f
}

// drivers counts the IEDriverServers of this desktop session; -1 when that cannot be told.
func drivers() int {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return -1
	}
	defer windows.CloseHandle(snapshot)
	var own uint32
	_ = windows.ProcessIdToSessionId(windows.GetCurrentProcessId(), &own)
	n, entry := 0, windows.ProcessEntry32{}
	entry.Size = uint32(unsafe.Sizeof(entry))
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		var session uint32
		if strings.EqualFold(windows.UTF16ToString(entry.ExeFile[:]), "IEDriverServer.exe") &&
			(windows.ProcessIdToSessionId(entry.ProcessID, &session) != nil || session == own) {
			n++
		}
	}
	return n
}

func free(folder string) uint64 {
	name, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return 0
	}
	var bytes uint64
	if windows.GetDiskFreeSpaceEx(name, &bytes, nil, nil) != nil {
		return 0
	}
	return bytes
}

// shortPath is the path in the form of eight characters and three, which TEMP often has.
func shortPath(path string) []string {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return nil
	}
	buffer := make([]uint16, windows.MAX_PATH)
	if n, err := windows.GetShortPathName(name, &buffer[0], uint32(len(buffer))); err != nil || n == 0 || int(n) >= len(buffer) {
		return nil
	}
	return []string{windows.UTF16ToString(buffer)}
}
