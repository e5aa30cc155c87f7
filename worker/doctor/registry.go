package doctor

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Registry is the registry of Windows, or one in memory.
type Registry interface {
	// Read returns the value in that place; ok is false when there is none.
	Read(Place) (v Value, ok bool, err error)
	// Write sets the value, and makes its key when there is none.
	Write(Place, Value) error
	// Remove removes the value; that it is not there is no error.
	Remove(Place) error
	// Subkeys names what is below a key; none when there is no such key.
	Subkeys(root Root, path string) ([]string, error)
}

// Root is a part of the registry.
type Root string

// The roots.
const (
	User    Root = "HKCU" // of the user who runs this
	Machine Root = "HKLM"
)

// Place is where a value is. 64-bit Windows is asked for its own view, whatever
// this program is.
type Place struct {
	Root   Root
	Path   string
	Name   string // "" = the default value of the key
	View32 bool   // the view of 32-bit programs
}

func (p Place) String() string {
	name := p.Name
	if name == "" {
		name = "(Default)"
	}
	return p.key() + `\` + name
}

func (p Place) key() string { return string(p.Root) + `\` + p.Path }

// policy tells whether the place is one of policies. Who sets them is not the user.
func (p Place) policy() bool {
	return strings.HasPrefix(strings.ToLower(p.Path), `software\policies\`)
}

// own tells whether the user may change the place, and nobody else decides it.
func (p Place) own() bool { return p.Root == User && !p.policy() }

// Kinds of values, with the numbers of Windows.
const (
	kindText   uint32 = 1 // REG_SZ
	kindExpand uint32 = 2 // REG_EXPAND_SZ
	kindNumber uint32 = 4 // REG_DWORD
)

// Value is the content of a place as Windows keeps it.
type Value struct {
	kind uint32
	data string // bytes
}

func dword(n uint32) Value {
	return Value{kindNumber, string(binary.LittleEndian.AppendUint32(nil, n))}
}

func sz(s string) Value {
	var data []byte
	for _, unit := range append(utf16.Encode([]rune(s)), 0) {
		data = binary.LittleEndian.AppendUint16(data, unit)
	}
	return Value{kindText, string(data)}
}

// number is the content of a REG_DWORD.
func (v Value) number() (uint32, bool) {
	if v.kind != kindNumber || len(v.data) != 4 {
		return 0, false
	}
	return binary.LittleEndian.Uint32([]byte(v.data)), true
}

// text is the content of a REG_SZ or REG_EXPAND_SZ; "" of others.
func (v Value) text() string {
	if v.kind != kindText && v.kind != kindExpand {
		return ""
	}
	var units []uint16
	for rest := []byte(v.data); len(rest) >= 2; rest = rest[2:] {
		units = append(units, binary.LittleEndian.Uint16(rest))
	}
	return strings.TrimRight(string(utf16.Decode(units)), "\x00")
}

// String shows the content to people.
func (v Value) String() string {
	if n, ok := v.number(); ok {
		return strconv.FormatUint(uint64(n), 10)
	}
	if v.kind == kindText || v.kind == kindExpand {
		return v.text()
	}
	return fmt.Sprintf("%d bytes of type %d", len(v.data), v.kind)
}

// MarshalText writes the value in one line that [Value.UnmarshalText] reads back
// to the byte: dword:3, string:yes, or hex(3):0a0b for all others.
func (v Value) MarshalText() ([]byte, error) {
	if n, ok := v.number(); ok {
		return fmt.Appendf(nil, "dword:%d", n), nil
	}
	if s := v.text(); v == sz(s) {
		return []byte("string:" + s), nil
	}
	return fmt.Appendf(nil, "hex(%d):%x", v.kind, v.data), nil
}

// UnmarshalText reads what MarshalText wrote.
func (v *Value) UnmarshalText(line []byte) error {
	kind, content, _ := bytes.Cut(line, []byte(":"))
	switch {
	case string(kind) == "dword":
		n, err := strconv.ParseUint(string(content), 10, 32)
		*v = dword(uint32(n))
		return err
	case string(kind) == "string":
		*v = sz(string(content))
		return nil
	}
	var k uint32
	if _, err := fmt.Sscanf(string(kind), "hex(%d)", &k); err != nil {
		return fmt.Errorf("a value of an unknown kind %q", kind)
	}
	data, err := hex.DecodeString(string(content))
	*v = Value{k, string(data)}
	return err
}

// change is a value that a place should have.
type change struct {
	Place
	want *Value // nil: none
}

func set(p Place, v Value) change { return change{p, &v} }
func remove(p Place) change       { return change{p, nil} }

// command is the change as a command for the prompt of an administrator.
func (c change) command() string {
	verb, content := "delete", ""
	if c.want != nil {
		verb, content = "add", fmt.Sprintf(` /t REG_SZ /d "%s"`, c.want)
		if _, ok := c.want.number(); ok {
			content = fmt.Sprintf(" /t REG_DWORD /d %s", c.want)
		}
	}
	name := "/ve"
	if c.Name != "" {
		name = fmt.Sprintf(`/v "%s"`, c.Name)
	}
	view := ""
	switch {
	case c.View32:
		view = " /reg:32"
	case c.Root == Machine:
		view = " /reg:64"
	}
	return fmt.Sprintf(`reg %s "%s" %s%s /f%s`, verb, c.key(), name, content, view)
}
