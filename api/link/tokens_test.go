package link

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func hashOf(token string) string {
	hash := sha256.Sum256([]byte(token))
	return hex.EncodeToString(hash[:])
}

func TestParseTokens(t *testing.T) {
	a, b := hashOf("secret-a"), hashOf("secret-b")
	tokens, err := ParseTokens(strings.NewReader("\uFEFF# gateways\r\n\r\n  alice:" + a + "\r\nbob-2.x_y:" + strings.ToUpper(b)))
	if err != nil {
		t.Fatal(err)
	}
	for token, want := range map[string]string{"secret-a": "alice", "secret-b": "bob-2.x_y", "": "", "secret": "", a: ""} {
		if name, ok := tokens.Name(token); name != want || ok != (want != "") {
			t.Errorf("%q is of %q, %v", token, name, ok)
		}
	}
	for _, bad := range []string{
		"alice", "alice:", "alice:secret-a", "Alice:" + a, ":" + a, "al ice:" + a, strings.Repeat("n", 65) + ":" + a,
		"alice:" + a[:62], "alice:" + a + "00", "alice:" + a + " x", "first:" + b, "other:" + hashOf("first"),
	} {
		_, err := ParseTokens(strings.NewReader("# one\nfirst:" + hashOf("first") + "\n" + bad + "\n"))
		if err == nil || !strings.HasPrefix(err.Error(), "line 3: ") {
			t.Errorf("%q: %v", bad, err)
			continue
		}
		for _, part := range []string{"alice", "secret-a", a[:20], "nnn"} {
			if strings.Contains(bad, part) && strings.Contains(err.Error(), part) {
				t.Errorf("%v repeats the line", err)
			}
		}
	}
}

func TestNewToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	if _, err := LoadTokens(file); err == nil {
		t.Error("a missing file was loaded")
	}
	one, err := NewToken(file, "one")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, append([]byte("# mine\n"), strings.TrimSpace(string(text))...), 0o644); err != nil {
		t.Fatal(err)
	}
	two, err := NewToken(file, "two")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"one", "", "Two", "a:b", "a\nb", "../x", strings.Repeat("n", 65)} {
		if token, err := NewToken(file, name); err == nil || token != "" {
			t.Errorf("%q was taken", name)
		}
	}
	tokens, err := LoadTokens(file)
	if err != nil {
		t.Fatal(err)
	}
	for token, want := range map[string]string{one: "one", two: "two"} {
		if name, _ := tokens.Name(token); name != want {
			t.Errorf("%s is of %q", want, name)
		}
	}
	text, err = os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(text), "# mine\n") || strings.Contains(string(text), one) {
		t.Errorf("%v %q", err, text)
	}
	if info, _ := os.Stat(file); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if left, _ := os.ReadDir(filepath.Dir(file)); len(left) != 1 {
		t.Errorf("%d files left", len(left))
	}

	if err := os.WriteFile(file, []byte("# none\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadTokens(file); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("empty file: %v", err)
	}
	if err := os.WriteFile(file, []byte("rubbish\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := NewToken(file, "three"); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("rubbish: %v", err)
	}
}

func TestReadToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	for text, want := range map[string]string{"abc\r\n": "abc", "": "", "a b": "", "a\nb": "", "é": "", strings.Repeat("x", 513): ""} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := ReadToken(file); got != want || (err == nil) != (want != "") {
			t.Errorf("%.10q: %q, %v", text, got, err)
		}
	}
}
