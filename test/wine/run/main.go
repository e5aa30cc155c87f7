// Program run runs a program of Windows in a Windows of its own and ends as it
// does. It serves go test: GOOS=windows go test -exec PATH-OF-RUN ./worker/driver
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"iemesh/test/wine"
)

func main() {
	code, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
	}
	os.Exit(code)
}

func run(args []string) (code int, err error) {
	bits := wine.Bits64
	if len(args) > 0 && args[0] == "-32" {
		bits, args = wine.Bits32, args[1:]
	}
	if len(args) == 0 {
		return 2, errors.New("which program? run [-32] PROGRAM [ARGUMENT …]")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	p, err := wine.New(bits)
	if err != nil {
		return 1, err
	}
	defer func() {
		for _, left := range p.Close() {
			code, err = 1, errors.Join(err, fmt.Errorf("left behind: %s", left))
		}
	}()
	cmd := p.Command(ctx, args[0], args[1:]...)
	cmd.Dir = "" // where go test starts tests
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	var exit *exec.ExitError
	if err := cmd.Run(); errors.As(err, &exit) {
		return exit.ExitCode(), nil
	} else if err != nil {
		return 1, err
	}
	return 0, nil
}
