package wine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"iemesh/test/harness"
)

// Prefix is a Windows with a disk, a registry and processes of its own.
type Prefix struct {
	Bits Bits
	// Folder holds all that it has; it is in the environment of all its processes.
	Folder string
	// Home is the folder on Linux of the user's profile (%USERPROFILE%).
	Home string

	tree string
	keep *os.File // the standard input of a program that ends with it; nil when there is none
}

const (
	bootWithin = time.Minute      // how long the processes of a Prefix may take to start
	endWithin  = 10 * time.Second // and to end
)

// New makes a Windows. The first of a width on a machine takes half a minute,
// a later one two seconds. Close ends it.
func New(bits Bits) (*Prefix, error) {
	tree, err := cached(fmt.Sprint(int(bits)))
	if err != nil {
		return nil, fmt.Errorf("no Wine; scripts/setup wine brings it: %w", err)
	}
	template, err := prepared(bits, tree)
	if err != nil {
		return nil, fmt.Errorf("preparing Wine: %w", err)
	}
	folder, err := os.MkdirTemp("", "wine-") // short: Windows has limits
	if err != nil {
		return nil, err
	}
	p, err := at(folder, bits, tree)
	if err == nil {
		// As it is, links as links: its files are Wine's, which are not to be changed.
		err = run(exec.Command("cp", "-a", "--reflink=auto", template+"/.", folder))
	}
	if err != nil {
		os.RemoveAll(folder)
		return nil, err
	}
	if err := p.boot(); err != nil {
		p.Close()
		return nil, fmt.Errorf("starting Wine: %w", err)
	}
	return p, nil
}

// boot starts what every Windows runs, and a program that keeps it running as
// long as nobody ends it: it takes seconds, and what the program of a test
// starts on its way holds the output of that program open.
func (p *Prefix) boot() error {
	stdin, keep, err := os.Pipe()
	if err != nil {
		return err
	}
	defer stdin.Close()
	p.keep = keep
	shell := p.Command(context.Background(), "cmd", "/k")
	shell.Stdin = stdin
	if err := shell.Start(); err != nil {
		return err
	}
	go shell.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), bootWithin)
	defer cancel()
	desktop := p.Command(ctx, "taskkill", "/IM", "nobody.exe") // which looks at the desktop, so there is one
	var exit *exec.ExitError
	if err := desktop.Run(); ctx.Err() != nil || err != nil && !errors.As(err, &exit) {
		return errors.Join(err, ctx.Err())
	}
	return nil
}

func at(folder string, bits Bits, tree string) (*Prefix, error) {
	who, err := user.Current()
	if err != nil {
		return nil, err
	}
	home := filepath.Join(folder, "drive_c", "users", who.Username)
	return &Prefix{Bits: bits, Folder: folder, Home: home, tree: tree}, nil
}

// Start is [New] for the length of a test, which fails when a process is left
// that does not end in time.
func Start(t testing.TB, bits Bits) *Prefix {
	t.Helper()
	p, err := New(bits)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, left := range p.Close() {
			t.Errorf("Wine left behind: %s", left)
		}
	})
	return p
}

// Environ is the environment that programs of Linux need to be in this Windows.
// It has nothing of that of the test.
func (p *Prefix) Environ() []string {
	w := p.Bits.wide()
	return []string{
		"WINEPREFIX=" + p.Folder,
		"WINEARCH=" + w.arch,
		"WINELOADER=" + p.program(w.loader),
		"WINESERVER=" + p.program(w.server),
		"WINEDEBUG=-all",
		"WINEDLLOVERRIDES=mscoree,mshtml,winemenubuilder.exe=", // nothing asks to be downloaded, or puts icons anywhere
		"LD_LIBRARY_PATH=" + filepath.Join(p.tree, "usr/lib", w.libraries) + ":" + filepath.Join(p.tree, "lib", w.libraries),
		"PATH=/usr/bin:/bin",
		"HOME=" + p.Folder,
		"TMPDIR=" + p.Folder, // where its server has its socket
		"LANG=C.UTF-8",
	}
}

func (p *Prefix) program(name string) string { return filepath.Join(p.tree, "usr/lib/wine", name) }

// Command is a program of Windows: a file of Linux, or a name that Windows
// knows, as reg. Its process is the program itself: that of a signal is too.
func (p *Prefix) Command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, p.program(p.Bits.wide().loader), append([]string{program}, args...)...)
	cmd.Env = p.Environ()
	cmd.Dir = p.Folder
	cmd.WaitDelay = endWithin
	return cmd
}

// Launch starts a program with variables in its environment. It works in an
// empty folder of its own on Linux, and has its temporary files where the user
// of Windows has them: [Prefix.Temporary].
func (p *Prefix) Launch(program string, args []string, env ...string) (*harness.Program, error) {
	folder, err := os.MkdirTemp(p.Folder, "work-")
	if err != nil {
		return nil, err
	}
	cmd := p.Command(context.Background(), program, args...)
	cmd.Env = append(cmd.Env, env...)
	return harness.Launch(cmd, folder)
}

// Temporary is the folder on Linux of the user's temporary files (%TEMP%).
func (p *Prefix) Temporary() string { return filepath.Join(p.Home, "Temp") }

// Path is what Windows calls a file of Linux.
func (p *Prefix) Path(file string) string {
	if inside, ok := strings.CutPrefix(file, filepath.Join(p.Folder, "drive_c")+"/"); ok {
		return `C:\` + strings.ReplaceAll(inside, "/", `\`)
	}
	return "Z:" + strings.ReplaceAll(file, "/", `\`)
}

// File is the file of Linux that Windows calls path, which begins with C: or Z:.
func (p *Prefix) File(path string) string {
	inside := strings.ReplaceAll(path, `\`, "/")
	if disk, ok := strings.CutPrefix(inside, "C:"); ok {
		return filepath.Join(p.Folder, "drive_c", disk)
	}
	return strings.TrimPrefix(inside, "Z:")
}

// Build builds a program of this module, given by its folder, for this Windows
// and puts it into a folder of its own under the name.
func (p *Prefix) Build(folder, name string) (program string, err error) {
	root, err := harness.Root()
	if err != nil {
		return "", err
	}
	into, err := os.MkdirTemp(p.Folder, "bin-")
	if err != nil {
		return "", err
	}
	program = filepath.Join(into, name)
	build := exec.Command("go", "build", "-o", program, "./"+folder)
	build.Dir = root
	build.Env = append(os.Environ(), "GOOS=windows", "GOARCH="+p.Bits.wide().goarch, "CGO_ENABLED=0")
	return program, run(build)
}

// Processes are those of Linux that belong to this Windows, its own services
// and its server included.
func (p *Prefix) Processes() []harness.Process { return harness.Processes(p.Folder) }

// Running are the processes of Windows that run a program of that name.
func (p *Prefix) Running(name string) []harness.Process {
	var found []harness.Process
	for _, process := range p.Processes() {
		if strings.EqualFold(base(process), name) {
			found = append(found, process)
		}
	}
	return found
}

// base is the name of the program that a process runs, as Windows or Linux
// wrote it. A process that is started from Linux still names Wine before it.
func base(process harness.Process) string {
	program := process.Command[0]
	if name := filepath.Base(program); len(process.Command) > 1 && (name == "wine" || name == "wine64") {
		program = process.Command[1]
	}
	return program[strings.LastIndexAny(program, `/\`)+1:]
}

// Close ends all its processes, removes all its files and returns what did not
// end by itself.
func (p *Prefix) Close() (left []string) {
	end := exec.Command(p.program(p.Bits.wide().server), "-k")
	end.Env = p.Environ()
	end.Run() // it fails where nothing runs
	if p.keep != nil {
		p.keep.Close()
	}
	if !harness.Until(endWithin, func() bool { return len(p.Processes()) == 0 }) {
		for _, process := range p.Processes() {
			left = append(left, "process "+process.String())
			process.Kill()
		}
	}
	if err := os.RemoveAll(p.Folder); err != nil {
		left = append(left, err.Error())
	}
	return left
}

func run(cmd *exec.Cmd) error {
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err, output.Bytes())
	}
	return nil
}
