package jscript

import (
	"os/exec"
	"testing"

	"iemesh/test/wine"
)

func cscript(t *testing.T, program string, args ...string) *exec.Cmd {
	p := wine.Start(t, wine.Bits64)
	return p.Command(t.Context(), "cscript", append([]string{"//nologo", p.Path(program)}, args...)...)
}
