package task

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/windows"
)

func TestHere(t *testing.T) {
	m, err := Here()
	if err != nil {
		t.Fatal(err)
	}
	account, err := m.Account("")
	if err != nil || !strings.Contains(account.Name, `\`) || account.Folder != filepath.Join(os.Getenv("LOCALAPPDATA"), "iemesh") {
		t.Errorf("%+v, %v", account, err)
	}
	if _, err := m.Account("nobody of this name"); err == nil {
		t.Error("an unknown user was found")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if pids, err := m.Processes(self); err != nil || !slices.Equal(pids, []int{os.Getpid()}) {
		t.Errorf("%v, %v; I am %d", pids, err, os.Getpid())
	}
	if pids, err := m.Processes(filepath.Join(filepath.Dir(self), "elsewhere", filepath.Base(self))); err != nil || len(pids) > 0 {
		t.Errorf("the same name in another folder: %v, %v", pids, err)
	}
}

// Windows takes apart what commandLine joined.
func TestCommandLineOnWindows(t *testing.T) {
	args := []string{"winworker.exe", "", `C:\Program Files\`, `C:\a\`, `say "hi"`, `a\"b`, `a\\b c`, "\t", `"`, `\`}
	have, err := windows.DecomposeCommandLine(commandLine(args))
	if err != nil || !slices.Equal(have, args) {
		t.Errorf("%q, %v", have, err)
	}
}

// The schtasks of this machine takes our definition, and refuses a broken one.
func TestRegister(t *testing.T) {
	m, err := Here()
	if err != nil {
		t.Fatal(err)
	}
	account, err := m.Account("")
	if err != nil {
		t.Fatal(err)
	}
	const name = `iemesh\test`
	register := func(definition string) error {
		file := filepath.Join(folder(t), "task.xml")
		if err := os.WriteFile(file, littleEndian(definition), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := m.Run(t.Context(), "schtasks", "/Create", "/TN", name, "/XML", file, "/F")
		return err
	}
	b, err := define(account.Name, `C:\iemesh\winworker.exe`, []string{"--engine=ie"}, account.Folder)
	if err != nil {
		t.Fatal(err)
	}
	definition := text(t, b)
	if err := register(definition); err != nil {
		t.Error(err)
	}
	if _, err := m.Run(t.Context(), "schtasks", "/Delete", "/TN", name, "/F"); err != nil {
		t.Error(err)
	}
	if register(strings.Replace(definition, "<Hidden>", "<Headless>", 1)) == nil {
		t.Error("a broken definition was taken")
	}
}
