package wine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// registry is what is set before the first start: windows need no screen.
const registry = `WINE REGISTRY Version 2

#arch=%s

[Software\\Wine\\Drivers]
"Graphics"="null"
`

// prepareWithin bounds the making of a first Windows.
const prepareWithin = 3 * time.Minute

// prepared is the folder of a Windows, made when there is none, that others are
// copied from. Nothing runs in it.
func prepared(bits Bits, tree string) (folder string, err error) {
	of := sha256.Sum256(append(bits.prng(), registry...))
	folder = fmt.Sprintf("%s-prefix-%s", tree, hex.EncodeToString(of[:6]))
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	work, err := os.MkdirTemp(filepath.Dir(tree), ".prefix-")
	if err != nil {
		return "", err
	}
	p, err := at(work, bits, tree)
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(work))
	}
	if err = p.prepare(); err == nil {
		err = os.Rename(work, folder)
		if _, there := os.Stat(folder); there == nil {
			err = nil // another test may have been quicker
		}
	}
	p.Close()
	return folder, err
}

func (p *Prefix) prepare() error {
	w := p.Bits.wide()
	if err := os.WriteFile(filepath.Join(p.Folder, "user.reg"), fmt.Appendf(nil, registry, w.arch), 0o600); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), prepareWithin)
	defer cancel()
	if err := run(p.Command(ctx, "wineboot", "--init")); err != nil {
		return err
	}
	end := exec.CommandContext(ctx, p.program(w.server), "-w") // it ends by itself; what it knows is on the disk then
	end.Env = p.Environ()
	if err := run(end); err != nil {
		return err
	}
	// The name of its server's folder; each copy is to make one of its own.
	name, err := os.ReadFile(filepath.Join(p.Folder, "wineserver"))
	if err != nil {
		return err
	}
	if err := errors.Join(os.Remove(filepath.Join(p.Folder, "wineserver")), os.RemoveAll(filepath.Join(p.Folder, string(name)))); err != nil {
		return err
	}
	drive := filepath.Join(p.Folder, "drive_c")
	if err := link(drive, filepath.Join(p.tree, "usr/lib", w.libraries, w.place)); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(drive, "windows", "system32", prngName), p.Bits.prng(), 0o644)
}

// link makes links of the files below folder that are the same as that of their
// name in originals: half a gigabyte that need not be copied.
func link(folder, originals string) error {
	return filepath.WalkDir(folder, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		original := filepath.Join(originals, entry.Name())
		same, err := equal(file, original)
		if err != nil || !same {
			return err
		}
		if err := os.Remove(file); err != nil {
			return err
		}
		return os.Symlink(original, file)
	})
}

func equal(file, original string) (bool, error) {
	wanted, err := os.ReadFile(original)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	found, err := os.ReadFile(file)
	return bytes.Equal(found, wanted), err
}
