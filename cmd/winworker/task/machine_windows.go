package task

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Here is the machine of this process.
func Here() (Machine, error) { return here{}, nil }

type here struct{}

func (here) Account(name string) (Account, error) {
	if name == "" {
		u, err := user.Current()
		if err != nil {
			return Account{}, err
		}
		local, err := os.UserCacheDir() // %LOCALAPPDATA%
		return Account{u.Username, filepath.Join(local, "iemesh")}, err
	}
	u, err := user.Lookup(name)
	if err != nil {
		return Account{}, err
	}
	return Account{u.Username, filepath.Join(u.HomeDir, "AppData", "Local", "iemesh")}, nil
}

func (here) Elevated() bool { return windows.GetCurrentProcessToken().IsElevated() }

// runTime is how long a program of Windows may take.
const runTime = time.Minute

func (here) Run(ctx context.Context, program string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	system, err := windows.GetSystemDirectory()
	if err != nil {
		return "", err
	}
	if program == "powershell" { // not in the folder itself
		system = filepath.Join(system, "WindowsPowerShell", "v1.0")
	}
	cmd := exec.CommandContext(ctx, filepath.Join(system, program+".exe"), args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true}
	cmd.WaitDelay = time.Second // what it started may keep its output open
	out, err := cmd.CombinedOutput()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	text := strings.TrimSpace(decode(out))
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		return text, fmt.Errorf("%s: %w: %s", program, err, strings.Join(strings.Fields(text), " "))
	}
	return text, err
}

// decode reads what console programs write into a pipe: the OEM code page.
func decode(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	const codePage = 1 // CP_OEMCP
	n, err := windows.MultiByteToWideChar(codePage, 0, &b[0], int32(len(b)), nil, 0)
	if err != nil || n == 0 {
		return string(b)
	}
	wide := make([]uint16, n)
	if n, err = windows.MultiByteToWideChar(codePage, 0, &b[0], int32(len(b)), &wide[0], n); err != nil {
		return string(b)
	}
	return windows.UTF16ToString(wide[:n])
}

func (here) Processes(path string) ([]int, error) {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil, err
	}
	defer windows.CloseHandle(snapshot)
	var list []int
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		if strings.EqualFold(windows.UTF16ToString(entry.ExeFile[:]), filepath.Base(path)) && strings.EqualFold(image(entry.ProcessID), path) {
			list = append(list, int(entry.ProcessID))
		}
	}
	if errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		err = nil
	}
	return list, err
}

// image is the path of the program that a process runs; "" when it is secret.
func image(pid uint32) string {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(process)
	path := make([]uint16, windows.MAX_LONG_PATH)
	n := uint32(len(path))
	if windows.QueryFullProcessImageName(process, 0, &path[0], &n) != nil {
		return ""
	}
	return windows.UTF16ToString(path[:n])
}
