package task

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
)

// text reads UTF-16LE with its byte order mark.
func text(t *testing.T, b []byte) string {
	t.Helper()
	if len(b) < 2 || len(b)%2 != 0 || b[0] != 0xff || b[1] != 0xfe {
		t.Fatalf("not UTF-16LE: % x", b[:min(len(b), 8)])
	}
	var units []uint16
	for pair := range slices.Chunk(b[2:], 2) {
		units = append(units, uint16(pair[0])|uint16(pair[1])<<8)
	}
	return string(utf16.Decode(units))
}

func example(t *testing.T) string {
	t.Helper()
	b, err := define(`PC\山田 & <太郎>`, `C:\Program Files\iemesh\winworker.exe`,
		[]string{"--engine=ie", `--driver-path=C:\Program Files\iemesh\IEDriverServer.exe`}, `C:\Users\山田\AppData\Local\iemesh`)
	if err != nil {
		t.Fatal(err)
	}
	return text(t, b)
}

func TestDefinition(t *testing.T) {
	have := example(t)
	for _, want := range []string{
		`<?xml version="1.0" encoding="UTF-16"?>` + "\r\n",
		`<UserId>PC\山田 &amp; &lt;太郎&gt;</UserId>`,
		`<Command>C:\Program Files\iemesh\winworker.exe</Command>`,
		`<Arguments>--engine=ie &#34;--driver-path=C:\Program Files\iemesh\IEDriverServer.exe&#34;</Arguments>`,
		`<LogonType>InteractiveToken</LogonType>`, `<RunLevel>LeastPrivilege</RunLevel>`,
		`<MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>`, `<ExecutionTimeLimit>PT0S</ExecutionTimeLimit>`,
	} {
		if !strings.Contains(have, want) {
			t.Errorf("no %s in\n%s", want, have)
		}
	}
}

func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--engine=ie", `C:\a\b.exe`}, `--engine=ie C:\a\b.exe`},
		{[]string{`C:\Program Files\x`, ""}, `"C:\Program Files\x" ""`},
		{[]string{`C:\Program Files\`}, `"C:\Program Files\\"`},
		{[]string{`say "hi"`, `a\"b`}, `"say \"hi\"" "a\\\"b"`},
		{[]string{`a\\b c`}, `"a\\b c"`},
	} {
		if have := commandLine(c.args); have != c.want {
			t.Errorf("%q: %s, want %s", c.args, have, c.want)
		}
	}
}
