package driver

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// executable is a Windows program of a machine that has only resources: a version
// among others, or no section at all.
func executable(t *testing.T, machine uint16, version [4]uint16) []byte {
	t.Helper()
	var out bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			if err := binary.Write(&out, binary.LittleEndian, v); err != nil {
				t.Fatal(err)
			}
		}
	}
	sections := uint16(0)
	if version != [4]uint16{} {
		sections = 1
	}
	const lfanew, raw, address = 0x40, 0x200, 0x1000
	put([]byte("MZ"), make([]byte, 0x3a), uint32(lfanew))
	put([]byte("PE\x00\x00"), machine, sections, uint32(0), uint32(0), uint32(0), uint16(0), uint16(0x102))
	put([]byte(".rsrc\x00\x00\x00"), uint32(0x200), uint32(address), uint32(0x200), uint32(raw), make([]byte, 16))
	put(make([]byte, raw-out.Len()))

	directory := func(entries ...uint32) {
		put(make([]byte, 12), uint16(0), uint16(len(entries)/2), entries)
	}
	const inner = 1 << 31
	directory(10, inner|100, 16, inner|32) // other resources, the version
	directory(1, inner|56)                 // its name
	directory(1033, 80)                    // its language
	put(uint32(address+112), uint32(92), uint32(0), uint32(0))
	put(make([]byte, 16))
	// VS_VERSIONINFO: length, length of the value, type, key, padding, value.
	put(uint16(92), uint16(52), uint16(0))
	for _, c := range "VS_VERSION_INFO\x00" {
		put(uint16(c))
	}
	put(uint16(0), uint32(0xfeef04bd), uint32(0x10000), version[1], version[0], version[3], version[2], make([]byte, 36))
	put(make([]byte, raw+0x200-out.Len()))
	return out.Bytes()
}

// testFolder is t.TempDir for Wine too, where os.RemoveAll does not work.
func testFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "drv")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { removeAll(folder) })
	return folder
}

func TestExamine(t *testing.T) {
	const x86, x64, arm = 0x14c, 0x8664, 0x1c4
	folder := testFolder(t)
	examine := func(content []byte) (Binary, error) {
		path := filepath.Join(folder, "IEDriverServer.exe")
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return Examine(path)
	}
	for _, c := range []struct {
		machine uint16
		version [4]uint16
		want    Binary
		unfit   string
	}{
		{x86, [4]uint16{4, 14, 0, 0}, Binary{"x86", "4.14.0.0"}, ""},
		{x86, [4]uint16{4, 7, 0, 0}, Binary{"x86", "4.7.0.0"}, ""},
		{x86, [4]uint16{4, 6, 9, 9}, Binary{"x86", "4.6.9.9"}, "version 4.6.9.9"},
		{x86, [4]uint16{3, 150, 1, 2}, Binary{"x86", "3.150.1.2"}, "version 3.150.1.2"},
		{x86, [4]uint16{}, Binary{"x86", ""}, ""},
		{x64, [4]uint16{4, 14, 0, 0}, Binary{"x64", "4.14.0.0"}, "64-bit"},
		{arm, [4]uint16{}, Binary{"0x1c4", ""}, "another machine"},
	} {
		got, err := examine(executable(t, c.machine, c.version))
		if err != nil || got != c.want {
			t.Errorf("%+v, %v, want %+v", got, err, c.want)
		}
		if why := unfit(got, OldestIEDriver); (why != "") != (c.unfit != "") || !strings.Contains(why, c.unfit) {
			t.Errorf("%+v: unfit: %q", got, why)
		}
	}
	if why := unfit(Binary{"x86", "4.0.0.0"}, "4.0"); why != "" {
		t.Error(why)
	}

	whole := executable(t, x86, [4]uint16{4, 14, 0, 0})
	if b, err := examine([]byte("#!/bin/sh\n")); err == nil {
		t.Errorf("a script is %+v", b)
	}
	if b, err := Examine(filepath.Join(folder, "nothing")); err == nil {
		t.Errorf("no file is %+v", b)
	}
	// Whatever is broken, it ends in an answer.
	for at := range whole {
		broken := bytes.Clone(whole)
		broken[at] ^= 0xff
		if b, err := examine(broken); err == nil && b.Machine == "" {
			t.Errorf("byte %#x: %+v", at, b)
		}
		if at%64 == 0 {
			_, _ = examine(whole[:at])
		}
	}
}
