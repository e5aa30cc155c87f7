package driver

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Supervise must be the first call of every main and TestMain that opens
// sessions. On Windows a job object does its work, so it does nothing.
func Supervise() {}

func smallSharedMemory() bool { return false }

// start starts a driver in a job object: the death of this process, however it
// comes, closes the job, and that ends every process in it.
func start(p program) (*tree, error) {
	Sweep()
	if err := os.Mkdir(p.Folder, 0o700); err != nil {
		return nil, err
	}
	lock, err := openAlone(filepath.Join(p.Folder, lockName), windows.CREATE_NEW)
	if err != nil {
		removeFolder(p.Folder)
		return nil, err
	}
	t := &tree{gone: make(chan struct{}), output: new(tail)}
	cmd := exec.Command(p.Path, p.Args...)
	cmd.Dir, cmd.Env = p.Folder, p.Env
	cmd.Stdout, cmd.Stderr = t.output, t.output
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
	job, err := startInJob(cmd)
	if err != nil {
		windows.CloseHandle(lock)
		removeFolder(p.Folder)
		return nil, err
	}
	allowSleep := stayAwake()
	t.runs = func(program string) bool { return jobRuns(job, program) }
	t.stop = sync.OnceFunc(func() { windows.TerminateJobObject(job, 1) })
	go func() {
		defer close(t.gone)
		cmd.Wait()
		t.stop() // a driver that died leaves its browser
		awaitEnd(job)
		endStrays(p.Folder)
		allowSleep()
		windows.CloseHandle(lock)
		removeFolder(p.Folder)
		windows.CloseHandle(job)
	}()
	return t, nil
}

// startInJob assigns the job right after the start: drivers start browsers only
// on New Session, so nothing escapes.
func startInJob(cmd *exec.Cmd) (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, fmt.Errorf("create job: %w", err)
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))); err != nil {
		windows.CloseHandle(job)
		return 0, fmt.Errorf("limit job: %w", err)
	}
	if err := cmd.Start(); err != nil {
		windows.CloseHandle(job)
		return 0, err
	}
	var assigned error
	if err := cmd.Process.WithHandle(func(h uintptr) { assigned = windows.AssignProcessToJobObject(job, windows.Handle(h)) }); err != nil {
		assigned = err
	}
	if assigned != nil {
		cmd.Process.Kill()
		cmd.Wait()
		windows.CloseHandle(job)
		return 0, fmt.Errorf("assign job: %w", assigned)
	}
	return job, nil
}
