package driver

import (
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// members are the processes in a job; ok is false when Windows does not tell.
func members(job windows.Handle) (pids []uint32, ok bool) {
	const basicProcessIDList = 3 // JobObjectBasicProcessIdList
	var list struct {
		Assigned, Listed uint32
		IDs              [1024]uintptr
	}
	err := windows.QueryInformationJobObject(job, basicProcessIDList, uintptr(unsafe.Pointer(&list)), uint32(unsafe.Sizeof(list)), nil)
	if err != nil {
		return nil, false
	}
	for _, id := range list.IDs[:min(int(list.Listed), len(list.IDs))] {
		pids = append(pids, uint32(id))
	}
	return pids, true
}

// jobRuns says whether a program of that file name runs in a job. A process that
// does not tell its name counts as one.
func jobRuns(job windows.Handle, program string) bool {
	pids, ok := members(job)
	if !ok {
		return true
	}
	for _, pid := range pids {
		path := image(pid)
		if path == "" && alive(pid) || strings.EqualFold(path[strings.LastIndexAny(path, `/\`)+1:], program) {
			return true
		}
	}
	return false
}

// awaitEnd returns when no process of a terminated job is left, after 5 s at most.
func awaitEnd(job windows.Handle) {
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if pids, _ := members(job); len(pids) == 0 {
			return
		}
	}
}

// image is the path of a process's program; "" when it cannot be told.
func image(pid uint32) string {
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(h)
	path := make([]uint16, 4096)
	size := uint32(len(path))
	if windows.QueryFullProcessImageName(h, 0, &path[0], &size) != nil {
		return ""
	}
	return windows.UTF16ToString(path[:size])
}

func alive(pid uint32) bool {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, pid)
	if err != nil {
		return false
	}
	defer windows.CloseHandle(h)
	state, _ := windows.WaitForSingleObject(h, 0)
	return state == uint32(windows.WAIT_TIMEOUT)
}
