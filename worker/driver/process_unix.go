//go:build linux || darwin

package driver

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// supervisorMark in the environment makes a process of ours a supervisor.
const supervisorMark = "IEMESH_SUPERVISE"

// Supervise must be the first call of every main and TestMain that opens
// sessions: on Linux and macOS each session's driver runs under our own binary,
// executed again. In that child it never returns, elsewhere at once.
func Supervise() {
	if os.Getenv(supervisorMark) != "" {
		os.Exit(supervise())
	}
}

// supervise runs one driver until it exits or the pipe on standard input closes,
// which the death of the parent does too, however it comes. Then it ends the
// whole tree: a process group or a death signal alone leaves most of Chromium alive.
func supervise() int {
	// Caught, not ignored: ignoring would be passed on to the driver.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGPIPE)
	var p program
	if json.NewDecoder(os.Stdin).Decode(&p) != nil {
		return 1
	}
	adoptOrphans()
	defer removeFolder(p.Folder)
	if os.Mkdir(p.Folder, 0o700) != nil {
		return 1
	}
	lock, err := os.Create(filepath.Join(p.Folder, lockName))
	if err != nil || syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return 1
	}
	defer lock.Close()
	cmd := exec.Command(p.Path, p.Args...)
	cmd.Dir, cmd.Env = p.Folder, p.Env
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stdout
	if err := cmd.Start(); err != nil {
		io.WriteString(os.Stdout, err.Error())
		return 1
	}
	over := make(chan struct{}, 2)
	go func() { cmd.Wait(); over <- struct{}{} }()
	go func() { io.Copy(io.Discard, os.Stdin); over <- struct{}{} }()
	<-over
	endFamily(os.Getpid(), p.Folder)
	for { // orphans that it adopted, lest they stay as zombies where nobody reaps
		if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid <= 0 && err != syscall.EINTR {
			return 0
		}
	}
}

// start starts a driver under a supervisor.
func start(p program) (*tree, error) {
	Sweep()
	self, err := ownProgram()
	if err != nil {
		return nil, err
	}
	spec, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	t := &tree{gone: make(chan struct{}), output: new(tail)}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), supervisorMark+"=1")
	cmd.Stdout, cmd.Stderr = t.output, t.output
	// A survivor that holds the output open must not hold us when the supervisor was killed.
	cmd.WaitDelay = 50 * time.Millisecond
	// Its own session: Ctrl+C in a terminal is for us, who then end it in order.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	t.stop = sync.OnceFunc(func() { pipe.Close() })
	go func() {
		defer close(t.gone)
		cmd.Wait()
		t.stop()
		// It leaves nothing, unless it was killed itself.
		if _, err := os.Lstat(p.Folder); err == nil {
			endFamily(cmd.Process.Pid, p.Folder)
			removeFolder(p.Folder)
		}
	}()
	if _, err := pipe.Write(spec); err != nil {
		t.end()
		return nil, err
	}
	return t, nil
}

// temporary is where the folders are. Their paths must be short, because Chromium puts a
// socket below them, whose path has about 100 bytes: under a temporary folder of 44
// Chromium exits at once (measured), and that of macOS has 49.
func temporary() string {
	if base := os.TempDir(); len(base) <= 30 {
		return base
	}
	return "/tmp"
}

// abandoned says whether a folder of this user's has no supervisor any more.
func abandoned(folder string) bool {
	info, err := os.Lstat(folder)
	if err != nil || !info.IsDir() || int(info.Sys().(*syscall.Stat_t).Uid) != os.Geteuid() {
		return false
	}
	lock, err := os.OpenFile(filepath.Join(folder, lockName), os.O_RDWR, 0)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) && unlocked(folder)
	}
	defer lock.Close()
	return syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

func endStrays(folder string) { endFamily(-1, folder) }

func removeAll(folder string) error { return os.RemoveAll(folder) }

// endFamily kills every process below root or naming folder until none is left.
func endFamily(root int, folder string) {
	killed := map[int]bool{}
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); {
		members := family(root, folder)
		if len(members) == 0 {
			break
		}
		for _, pid := range members {
			syscall.Kill(pid, syscall.SIGKILL)
			killed[pid] = true
		}
		time.Sleep(2 * time.Millisecond)
	}
	for pid := range killed { // those that came to us, as to process 1 of a container
		syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
	}
}
