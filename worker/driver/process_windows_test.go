package driver

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// role makes the test binary one of the processes below. A copy of it may be the
// driver or the browser by its name.
const role = "DRIVER_TEST_ROLE"

func TestMain(m *testing.M) {
	Supervise()
	switch name := filepath.Base(os.Args[0]); {
	case os.Getenv(role) == "owner":
		t, err := start(pretended())
		fmt.Println(t != nil, err)
		<-time.After(time.Hour)
	case os.Getenv(role) == "driver": // starts a browser in turn
		startBrowser(os.Args[0])
		<-time.After(time.Hour)
	case name == driverName:
		pretendDriver()
	case os.Getenv(role) == "browser", name == browserName:
		<-time.After(time.Hour)
	}
	os.Exit(m.Run())
}

// startBrowser leaves the number of the process in the session's folder.
func startBrowser(path string, args ...string) {
	browser := exec.Command(path, args...)
	browser.Env = append(os.Environ(), role+"=browser")
	browser.Start()
	os.WriteFile("browser.tmp", []byte(strconv.Itoa(browser.Process.Pid)), 0o600)
	os.Rename("browser.tmp", "browser.pid")
}

func pretended() program {
	folder := newFolder()
	return program{Folder: folder, Path: os.Args[0], Env: append(environment(folder), role+"=driver")}
}

// tempFolder is a new folder for temporary files.
func tempFolder(t *testing.T) string {
	t.Helper()
	folder := testFolder(t)
	t.Setenv("TMP", folder)
	return folder
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	poll := time.NewTicker(20 * time.Millisecond)
	defer poll.Stop()
	for late := time.After(20 * time.Second); !holds(); {
		select {
		case <-poll.C:
		case <-late:
			t.Fatal("not in time: " + what)
		}
	}
}

// browserIn waits for the browser of the session in folder.
func browserIn(t *testing.T, folder string) (pid uint32) {
	t.Helper()
	eventually(t, "a browser runs", func() bool {
		b, err := os.ReadFile(filepath.Join(folder, "browser.pid"))
		n, _ := strconv.ParseUint(string(b), 10, 32)
		pid = uint32(n)
		return err == nil
	})
	return pid
}

func TestEndLeavesNothing(t *testing.T) {
	tempFolder(t)
	p := pretended()
	tree, err := start(p)
	if err != nil {
		t.Fatal(err)
	}
	browser := browserIn(t, p.Folder)
	sweep()
	if !alive(browser) {
		t.Fatal("no browser runs")
	}
	if _, err := os.Stat(p.Folder); err != nil {
		t.Fatalf("the sweep took a session that lives: %v", err)
	}
	tree.end()
	if _, err := os.Stat(p.Folder); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("folder: %v", err)
	}
	eventually(t, "the browser is dead", func() bool { return !alive(browser) })
}

func TestKilledOwnerLeavesNothing(t *testing.T) {
	temp := tempFolder(t)
	owner := exec.Command(os.Args[0])
	owner.Env = append(os.Environ(), role+"=owner")
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	if line, _ := bufio.NewReader(out).ReadString('\n'); !strings.HasPrefix(line, "true") {
		t.Fatalf("owner says %q", line)
	}
	folders, _ := filepath.Glob(filepath.Join(temp, folderPrefix+"*"))
	if len(folders) != 1 {
		t.Fatalf("folders %v", folders)
	}
	browser := browserIn(t, folders[0])
	owner.Process.Kill()
	owner.Wait()
	killed := time.Now()
	eventually(t, "the browser is dead", func() bool { return !alive(browser) })
	if took := time.Since(killed); took > 5*time.Second {
		t.Errorf("the browser lived on for %v", took)
	}
	eventually(t, "the folder is swept", func() bool {
		sweep()
		_, err := os.Stat(folders[0])
		return errors.Is(err, fs.ErrNotExist)
	})
}
