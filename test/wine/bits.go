package wine

import (
	"os"
	"path/filepath"
)

// Bits is the width of a Windows and of all programs in it.
type Bits int

const (
	Bits64 Bits = 64
	Bits32 Bits = 32
)

// wide is what differs between the two.
type wide struct {
	goarch, arch     string // Go's name and Wine's
	loader, server   string // below usr/lib/wine of the tree
	libraries, place string // below usr/lib of the tree: of Linux, and of Windows
}

func (b Bits) wide() wide {
	if b == Bits32 {
		return wide{"386", "win32", "wine", "wineserver32", "i386-linux-gnu", "wine/i386-windows"}
	}
	return wide{"amd64", "win64", "wine64", "wineserver64", "x86_64-linux-gnu", "wine/x86_64-windows"}
}

// cached is the folder that scripts/wine makes.
func cached(elements ...string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	folder, err := filepath.EvalSymlinks(filepath.Join(cache, "iemesh", "wine"))
	if err != nil {
		return "", err
	}
	return filepath.Join(append([]string{folder}, elements...)...), nil
}

// IEDriverServer is the path of the real one, 4.0.0.0 for 32 bit.
func IEDriverServer() (string, error) { return cached("IEDriverServer.exe") }
