package driver

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Binary is what a Windows program says of itself.
type Binary struct {
	Machine string // "x86", "x64", "arm64", or the number of another
	Version string // of the file, "4.14.0.0"; "" when it has no version resource
}

// OldestIEDriver is the oldest IEDriverServer that is taken. Before 4.6 one quit in
// twenty never ends (selenium#11079), before 4.7 the zoom of Edge's own settings stops
// a start (#11055), and before 4.3 popups are blocked or not found (#10869, #10702).
const OldestIEDriver = "4.7.0.0"

var machines = map[uint16]string{
	pe.IMAGE_FILE_MACHINE_I386: "x86", pe.IMAGE_FILE_MACHINE_AMD64: "x64", pe.IMAGE_FILE_MACHINE_ARM64: "arm64",
}

// Examine reads the head and the version resource of a Windows program, on any
// system and without running it. A file that is none is an error.
func Examine(path string) (Binary, error) {
	file, err := pe.Open(path)
	if err != nil {
		return Binary{}, err
	}
	defer file.Close()
	b := Binary{Machine: machines[file.Machine]}
	if b.Machine == "" {
		b.Machine = fmt.Sprintf("%#x", file.Machine)
	}
	b.Version, err = fileVersion(file)
	return b, err
}

var errResources = errors.New("the resources of the program are damaged")

// resources is a section of resources: a tree of three levels (type, name,
// language), whose offsets count from the section's begin.
type resources struct {
	io.ReaderAt
	address uint32 // of the section, once loaded
}

func fileVersion(file *pe.File) (string, error) {
	section := file.Section(".rsrc")
	if section == nil {
		return "", nil
	}
	r := resources{section, section.VirtualAddress}
	const versionType = 16
	at, found, err := r.child(0, func(id uint32) bool { return id == versionType })
	for range 2 { // whatever name and language come first
		if err != nil || !found {
			return "", err
		}
		at, found, err = r.child(at, func(uint32) bool { return true })
	}
	if err != nil || !found {
		return "", err
	}
	var entry struct{ Address, Size, CodePage, Reserved uint32 }
	if err := r.read(at, &entry); err != nil {
		return "", err
	}
	info := make([]byte, min(entry.Size, 4096))
	if _, err := r.ReadAt(info, int64(entry.Address-r.address)); err != nil {
		return "", errResources
	}
	// VS_FIXEDFILEINFO: its signature, a version of its own, the file's.
	_, fixed, ok := bytes.Cut(info, []byte{0xbd, 0x04, 0xef, 0xfe})
	if !ok || len(fixed) < 12 {
		return "", errResources
	}
	high, low := binary.LittleEndian.Uint32(fixed[4:]), binary.LittleEndian.Uint32(fixed[8:])
	return fmt.Sprintf("%d.%d.%d.%d", high>>16, high&0xffff, low>>16, low&0xffff), nil
}

// child is the offset of the first entry that is wanted in the directory at an offset.
func (r resources) child(at uint32, wanted func(id uint32) bool) (child uint32, found bool, err error) {
	var head struct {
		Flags, Time, Version uint32
		Named, Numbered      uint16
	}
	if err := r.read(at, &head); err != nil {
		return 0, false, err
	}
	entries := make([]struct{ ID, Offset uint32 }, int(head.Named)+int(head.Numbered))
	if err := r.read(at+16, entries); err != nil {
		return 0, false, err
	}
	const isDirectory = 1 << 31
	for _, e := range entries {
		if wanted(e.ID) {
			return e.Offset &^ isDirectory, true, nil
		}
	}
	return 0, false, nil
}

func (r resources) read(at uint32, to any) error {
	buffer := make([]byte, binary.Size(to))
	if _, err := r.ReadAt(buffer, int64(at)); err != nil {
		return errResources
	}
	_, err := binary.Decode(buffer, binary.LittleEndian, to)
	return err
}

// unfit says why an IEDriverServer is not taken; "" when it is. A version that is
// not known is not held against it.
func unfit(b Binary, oldest string) string {
	const remedy = "download the 32-bit IEDriverServer 4.14 (IEDriverServer_Win32_4.14.0.zip) from the Selenium project and name it in --driver-path"
	switch {
	case b.Machine == "x64" || b.Machine == "arm64":
		return "the driver is a 64-bit program, which takes seconds for each character typed, because the pages run in 32-bit processes: " + remedy
	case b.Machine != "" && b.Machine != "x86":
		return "the driver is a program for another machine: " + remedy
	case b.Version != "" && Older(b.Version, oldest):
		return fmt.Sprintf("the driver has version %s, and before %s sessions fail to start, lose popups or never end: %s", b.Version, oldest, remedy)
	}
	return ""
}

// Older tells whether a version is before another. Both are numbers with dots; what
// is not there is 0.
func Older(version, least string) bool {
	for version != "" || least != "" {
		var x, y string
		x, version, _ = strings.Cut(version, ".")
		y, least, _ = strings.Cut(least, ".")
		m, _ := strconv.Atoi(x)
		n, _ := strconv.Atoi(y)
		if m != n {
			return m < n
		}
	}
	return false
}
