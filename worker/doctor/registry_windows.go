package doctor

import (
	"errors"
	"io/fs"
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

type system struct{}

// ThisSystem is the registry of this system; nil where there is none.
func ThisSystem() Registry { return system{} }

var setValue = windows.NewLazySystemDLL("advapi32.dll").NewProc("RegSetValueExW")

func (system) open(p Place, access uint32) (registry.Key, error) {
	root := registry.CURRENT_USER
	if p.Root == Machine {
		root = registry.LOCAL_MACHINE
	}
	access |= registry.WOW64_64KEY
	if p.View32 {
		access ^= registry.WOW64_64KEY | registry.WOW64_32KEY
	}
	if access&registry.SET_VALUE != 0 {
		key, _, err := registry.CreateKey(root, p.Path, access)
		return key, err
	}
	return registry.OpenKey(root, p.Path, access)
}

func (s system) Read(p Place) (Value, bool, error) {
	key, err := s.open(p, registry.QUERY_VALUE)
	if errors.Is(err, fs.ErrNotExist) {
		return Value{}, false, nil
	}
	if err != nil {
		return Value{}, false, err
	}
	defer key.Close()
	for size := 256; ; size *= 4 { // it may grow while it is read
		data := make([]byte, size)
		n, kind, err := key.GetValue(p.Name, data)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return Value{}, false, nil
		case errors.Is(err, registry.ErrShortBuffer) && size < 1<<20:
			continue
		case err != nil:
			return Value{}, false, err
		}
		return Value{kind, string(data[:n])}, true, nil
	}
}

func (s system) Write(p Place, v Value) error {
	key, err := s.open(p, registry.SET_VALUE)
	if err != nil {
		return err
	}
	defer key.Close()
	name, err := windows.UTF16PtrFromString(p.Name)
	if err != nil {
		return err
	}
	data := append([]byte(v.data), 0) // so that there is a first byte to point at
	status, _, _ := setValue.Call(uintptr(key), uintptr(unsafe.Pointer(name)), 0, uintptr(v.kind), uintptr(unsafe.Pointer(&data[0])), uintptr(len(v.data)))
	if status != 0 {
		return windows.Errno(status)
	}
	return nil
}

func (s system) Remove(p Place) error {
	if _, ok, err := s.Read(p); err != nil || !ok {
		return err
	}
	key, err := s.open(p, registry.SET_VALUE)
	if err != nil {
		return err
	}
	defer key.Close()
	return key.DeleteValue(p.Name)
}

func (s system) Subkeys(root Root, path string) ([]string, error) {
	key, err := s.open(Place{Root: root, Path: path}, registry.ENUMERATE_SUB_KEYS)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer key.Close()
	return key.ReadSubKeyNames(-1)
}
