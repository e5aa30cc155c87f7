package doctor

import "debug/pe"

// binary reads what the executable file tells of itself.
func binary32or64(path string) (bits int, version string) {
	f, err := pe.Open(path)
	if err != nil {
		return 0, ""
	}
	defer f.Close()
	switch f.Machine {
	case pe.IMAGE_FILE_MACHINE_I386:
		bits = 32
	default:
		bits = 64
	}
	return bits, ""
}
