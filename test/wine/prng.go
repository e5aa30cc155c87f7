package wine

import (
	"bytes"
	"debug/pe"
	"encoding/binary"
)

// prngName is the DLL that Go programs take their randomness from, and that
// Wine lacks before version 9.
const prngName = "bcryptprimitives.dll"

// prng is that DLL. It has no code: its one function ProcessPrng is an export
// forwarded to the older name of the same, whose arguments are alike.
func (b Bits) prng() []byte {
	const (
		address   = 0x1000 // of the only section, .edata, in memory
		headers   = 0x200  // their room in the file
		directory = 40     // bytes of an export directory
		function  = "ProcessPrng\x00"
		target    = "ADVAPI32.SystemFunction036\x00"
	)
	var section bytes.Buffer
	put := func(to *bytes.Buffer, values ...any) {
		for _, v := range values {
			binary.Write(to, binary.LittleEndian, v) // a Buffer takes all
		}
	}
	tables := uint32(address + directory)
	names := tables + 10 // after one address, one pointer to a name, one ordinal
	put(&section,
		uint32(0), uint32(0), uint32(0), // characteristics, time, version
		names,                           // of the DLL
		uint32(1), uint32(1), uint32(1), // base of ordinals, functions, names
		tables, tables+4, tables+8,
		names+uint32(len(prngName)+1+len(function)), // a function whose address is in here is forwarded
		names+uint32(len(prngName)+1),
		uint16(0),
		[]byte(prngName+"\x00"+function+target))
	size := uint32(section.Len())
	exports := [16]pe.DataDirectory{{VirtualAddress: address, Size: size}}

	file := pe.FileHeader{NumberOfSections: 1, Characteristics: pe.IMAGE_FILE_EXECUTABLE_IMAGE | pe.IMAGE_FILE_DLL}
	var optional any
	if b == Bits32 {
		file.Machine = pe.IMAGE_FILE_MACHINE_I386
		file.Characteristics |= pe.IMAGE_FILE_32BIT_MACHINE
		optional = pe.OptionalHeader32{
			Magic: 0x10b, ImageBase: 0x10000000, SectionAlignment: 0x1000, FileAlignment: headers,
			MajorOperatingSystemVersion: 6, MajorSubsystemVersion: 6, SizeOfImage: 2 * address, SizeOfHeaders: headers,
			Subsystem: pe.IMAGE_SUBSYSTEM_WINDOWS_CUI, DllCharacteristics: pe.IMAGE_DLLCHARACTERISTICS_NX_COMPAT,
			NumberOfRvaAndSizes: uint32(len(exports)), DataDirectory: exports,
		}
	} else {
		file.Machine = pe.IMAGE_FILE_MACHINE_AMD64
		file.Characteristics |= pe.IMAGE_FILE_LARGE_ADDRESS_AWARE
		optional = pe.OptionalHeader64{
			Magic: 0x20b, ImageBase: 0x180000000, SectionAlignment: 0x1000, FileAlignment: headers,
			MajorOperatingSystemVersion: 6, MajorSubsystemVersion: 6, SizeOfImage: 2 * address, SizeOfHeaders: headers,
			Subsystem: pe.IMAGE_SUBSYSTEM_WINDOWS_CUI, DllCharacteristics: pe.IMAGE_DLLCHARACTERISTICS_NX_COMPAT,
			NumberOfRvaAndSizes: uint32(len(exports)), DataDirectory: exports,
		}
	}
	file.SizeOfOptionalHeader = uint16(binary.Size(optional))

	var dll bytes.Buffer
	dos := [64]byte{'M', 'Z'}
	dos[60] = byte(len(dos)) // where the headers begin
	put(&dll, dos, []byte("PE\x00\x00"), file, optional, pe.SectionHeader32{
		Name: [8]uint8{'.', 'e', 'd', 'a', 't', 'a'}, VirtualSize: size, VirtualAddress: address,
		SizeOfRawData: headers, PointerToRawData: headers,
		Characteristics: pe.IMAGE_SCN_CNT_INITIALIZED_DATA | pe.IMAGE_SCN_MEM_READ,
	})
	return append(pad(dll.Bytes(), headers), pad(section.Bytes(), headers)...)
}

func pad(b []byte, size int) []byte { return append(b, make([]byte, size-len(b))...) }
