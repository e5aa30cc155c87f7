package wine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPrograms(t *testing.T) {
	for _, bits := range []Bits{Bits64, Bits32} {
		t.Run(string(bits.wide().goarch), func(t *testing.T) {
			p := Start(t, bits)
			hello, err := p.Build("test/wine/testdata/hello", "hello.exe")
			if err != nil {
				t.Fatal(err)
			}
			greeted := filepath.Join(p.Home, "greeted.txt")
			output, err := p.Command(t.Context(), hello, p.Path(greeted), "山田").CombinedOutput()
			if got := string(output); err != nil || got != "windows "+bits.wide().goarch+" 山田\n" {
				t.Errorf("%v %q", err, got)
			}
			if text, err := os.ReadFile(greeted); err != nil || string(text) != "山田" || p.File(p.Path(greeted)) != greeted {
				t.Errorf("%v %q", err, text)
			}
			output, err = p.Command(t.Context(), "reg", "query", `HKCU\Software\Wine\Drivers`).CombinedOutput()
			if err != nil || !strings.Contains(string(output), "null") {
				t.Errorf("%v %q", err, output)
			}
		})
	}
}
