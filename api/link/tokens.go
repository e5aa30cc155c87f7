package link

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Tokens knows bearer tokens by their hashes, and whose they are. It is read
// once, at the start of the process: a token is revoked by a restart.
type Tokens struct{ list []namedHash }

type namedHash struct {
	name string
	hash [sha256.Size]byte
}

var namePattern = regexp.MustCompile(`^[a-z0-9._-]{1,64}$`)

// ParseTokens reads one "name:sha256-hex" per line. Blank lines and those that
// begin with # are skipped. Errors name the line and nothing of its content.
func ParseTokens(r io.Reader) (*Tokens, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	t := &Tokens{}
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(string(text), "\uFEFF")) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if err := t.add(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return t, nil
}

func (t *Tokens) add(line string) error {
	name, digits, ok := strings.Cut(line, ":")
	if !ok {
		return errors.New("want name:sha256-hex")
	}
	if err := checkName(name); err != nil {
		return err
	}
	hash, err := hex.DecodeString(digits)
	if err != nil || len(hash) != sha256.Size {
		return errors.New("want 64 hex digits after the name: the SHA-256 of the token, never the token")
	}
	entry := namedHash{name: name, hash: [sha256.Size]byte(hash)}
	for _, other := range t.list {
		if other.name == entry.name || other.hash == entry.hash {
			return errors.New("the name or the token stands in an earlier line")
		}
	}
	t.list = append(t.list, entry)
	return nil
}

func checkName(name string) error {
	if !namePattern.MatchString(name) {
		return errors.New("a name has 1 to 64 characters of a-z, 0-9, '.', '_' and '-'")
	}
	return nil
}

// LoadTokens reads a file as [ParseTokens] does, and refuses one without tokens.
func LoadTokens(path string) (*Tokens, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("token file: %w", err)
	}
	defer file.Close()
	t, err := ParseTokens(file)
	if err == nil && len(t.list) == 0 {
		err = errors.New("there is no token in it")
	}
	if err != nil {
		return nil, fmt.Errorf("token file %s: %w", path, err)
	}
	return t, nil
}

// Name tells whose token it is. The time it takes does not depend on the token.
func (t *Tokens) Name(token string) (string, bool) {
	hash := sha256.Sum256([]byte(token))
	name, found := "", 0
	for _, entry := range t.list {
		if subtle.ConstantTimeCompare(hash[:], entry.hash[:]) == 1 {
			name, found = entry.name, 1
		}
	}
	return name, found == 1
}

// NewToken makes a token for name, adds its hash to the file, which is created
// with mode 0600 when there is none, and returns the token. The file is
// replaced as a whole: a reader sees it before or after.
func NewToken(path, name string) (string, error) {
	if err := checkName(name); err != nil {
		return "", err
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("token file: %w", err)
	}
	tokens, err := ParseTokens(bytes.NewReader(text))
	if err != nil {
		return "", fmt.Errorf("token file %s: %w", path, err)
	}
	token := "iemesh_" + rand.Text()
	hash := sha256.Sum256([]byte(token))
	line := name + ":" + hex.EncodeToString(hash[:])
	if err := tokens.add(line); err != nil {
		return "", fmt.Errorf("token file %s has a token for %s already", path, name)
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	if err := replace(path, append(text, line+"\n"...)); err != nil {
		return "", fmt.Errorf("token file: %w", err)
	}
	return token, nil
}

func replace(path string, content []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*") // with mode 0600
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Sync()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

// ReadToken reads a file that holds one bare token to send.
func ReadToken(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("token file: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if err := checkToken(token); err != nil {
		return "", fmt.Errorf("token file %s: %w", path, err)
	}
	return token, nil
}

func checkToken(token string) error {
	if token == "" || len(token) > 512 || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("want one token of at most 512 printable ASCII characters")
	}
	return nil
}
