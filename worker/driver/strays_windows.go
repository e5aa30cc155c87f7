package driver

import (
	"os"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// endStrays kills the processes that belong to a session's folder and are in no job
// of ours any more, until none is left, for 5 s at most: an Edge that started itself
// anew, say. What only bears such a name stays.
func endStrays(folder string) {
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		found := strays(folder)
		if len(found) == 0 {
			return
		}
		for _, pid := range found {
			if h, err := windows.OpenProcess(windows.PROCESS_TERMINATE, false, uint32(pid)); err == nil {
				windows.TerminateProcess(h, 1)
				windows.CloseHandle(h)
			}
		}
	}
}

// strays lists the processes that have a folder as the value of an argument, as
// driver (/extract-path=…) and Edge (--user-data-dir=…) have, and what descends from them.
func strays(folder string) []int {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil
	}
	defer windows.CloseHandle(snapshot)
	mark := "=" + strings.ToLower(folder)
	parents, member, born := map[int]int{}, map[int]bool{}, map[int]int64{}
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err := windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		pid := int(entry.ProcessID)
		if pid == os.Getpid() {
			continue
		}
		h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, entry.ProcessID)
		if err != nil {
			continue // somebody else's
		}
		state, _ := windows.WaitForSingleObject(h, 0)
		if state == uint32(windows.WAIT_TIMEOUT) {
			parents[pid], born[pid] = int(entry.ParentProcessID), created(h)
			member[pid] = strings.Contains(strings.ToLower(commandLine(h, entry.ProcessID)), mark)
		}
		windows.CloseHandle(h)
	}
	for pid, parent := range parents {
		if born[parent] >= born[pid] { // another one, which got the number of the parent
			parents[pid] = 0
		}
	}
	return descendants(member, parents)
}

// created is when a process began, in units that can be compared.
func created(process windows.Handle) int64 {
	var begin, end, kernel, user windows.Filetime
	if windows.GetProcessTimes(process, &begin, &end, &kernel, &user) != nil {
		return 0
	}
	return begin.Nanoseconds()
}

// commandLine is that with which a process was started; "" when it cannot be told.
func commandLine(process windows.Handle, pid uint32) string {
	var size uint32
	windows.NtQueryInformationProcess(process, windows.ProcessCommandLineInformation, nil, 0, &size)
	if size < uint32(unsafe.Sizeof(windows.NTUnicodeString{})) {
		return commandLineInMemory(pid) // Wine 8 does not tell
	}
	buffer := make([]uint64, size/8+1) // aligned for the pointer in it, which points into it
	if windows.NtQueryInformationProcess(process, windows.ProcessCommandLineInformation, unsafe.Pointer(&buffer[0]), size, &size) != nil {
		return ""
	}
	return (*windows.NTUnicodeString)(unsafe.Pointer(&buffer[0])).String()
}

// commandLineInMemory reads it where the process itself has it. A 32-bit program
// cannot read that of a 64-bit one so. Addresses of another process are no pointers
// of ours, so they are numbers here.
func commandLineInMemory(pid uint32) string {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_INFORMATION|windows.PROCESS_VM_READ, false, pid)
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(process)
	read := func(from uintptr, to unsafe.Pointer, size uintptr) bool {
		return windows.ReadProcessMemory(process, from, (*byte)(to), size, nil) == nil
	}
	var basic [6]uintptr // PROCESS_BASIC_INFORMATION; the second is where the PEB is
	if windows.NtQueryInformationProcess(process, windows.ProcessBasicInformation, unsafe.Pointer(&basic), uint32(unsafe.Sizeof(basic)), nil) != nil {
		return ""
	}
	var block [5]uintptr // head of the PEB; the last is where the parameters are
	if !read(basic[1], unsafe.Pointer(&block), unsafe.Sizeof(block)) {
		return ""
	}
	var line struct {
		Bytes, Capacity uint16
		At              uintptr
	}
	offset := unsafe.Offsetof(windows.RTL_USER_PROCESS_PARAMETERS{}.CommandLine)
	if !read(block[4]+offset, unsafe.Pointer(&line), unsafe.Sizeof(line)) || line.Bytes < 2 {
		return ""
	}
	text := make([]uint16, line.Bytes/2)
	if !read(line.At, unsafe.Pointer(&text[0]), uintptr(len(text))*2) {
		return ""
	}
	return windows.UTF16ToString(text)
}
