package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Repair tells what was done to the registry.
type Repair struct {
	UndoFile string   `json:"undoFile,omitempty"` // has the old values; "" when nothing was to be changed
	Changed  []string `json:"changed"`            // "HKCU\…\2500: absent, now 3"
	Left     []string `json:"left"`               // that an undo did not touch: others changed them since
	Commands []string `json:"commands"`           // for an administrator
}

// Fix gives the values that belong to the user what they must have. First their
// old ones are written into a new undo file, which is complete even if the rest
// fails. What else must change is returned as commands.
func (e Examination) Fix() (Repair, error) {
	folder, err := dataFolder()
	if err != nil {
		return Repair{}, err
	}
	return fix(ThisSystem(), e.changes, folder)
}

// dataFolder is where undo files are.
func dataFolder() (string, error) {
	if local := os.Getenv("LOCALAPPDATA"); local != "" {
		return filepath.Join(local, "iemesh"), nil
	}
	folder, err := os.UserConfigDir()
	return filepath.Join(folder, "iemesh"), err
}

// undone is one value in an undo file.
type undone struct {
	Root Root   `json:"root"`
	Path string `json:"path"`
	Name string `json:"name"`
	Was  *Value `json:"was"` // null: there was none
	Set  *Value `json:"set"`
}

func (u undone) place() Place { return Place{Root: u.Root, Path: u.Path, Name: u.Name} }

type undoFile struct {
	Made   time.Time `json:"made"`
	Values []undone  `json:"values"`
}

func fix(registry Registry, changes []change, folder string) (Repair, error) {
	r := Repair{Changed: []string{}, Left: []string{}, Commands: []string{}}
	undo := undoFile{Made: time.Now().UTC().Truncate(time.Second)}
	for _, c := range changes {
		if !c.own() {
			if !slices.Contains(r.Commands, c.command()) {
				r.Commands = append(r.Commands, c.command())
			}
			continue
		}
		if slices.ContainsFunc(undo.Values, func(u undone) bool { return u.place() == c.Place }) {
			continue // two checks want it
		}
		was, err := current(registry, c.Place)
		if err != nil {
			return r, fmt.Errorf("%s: %w", c.Place, err)
		}
		if !same(was, c.want) {
			undo.Values = append(undo.Values, undone{c.Root, c.Path, c.Name, was, c.want})
		}
	}
	if len(undo.Values) == 0 {
		return r, nil
	}
	var err error
	if r.UndoFile, err = undo.save(folder); err != nil {
		return r, fmt.Errorf("the undo file could not be written, so nothing was changed: %w", err)
	}
	var failures []error
	for _, u := range undo.Values {
		if err := put(registry, u.place(), u.Set); err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", u.place(), err))
			continue
		}
		r.Changed = append(r.Changed, fmt.Sprintf("%s: %s, now %s", u.place(), named(u.Was), named(u.Set)))
	}
	return r, errors.Join(failures...)
}

func (u undoFile) save(folder string) (path string, err error) {
	content, err := json.MarshalIndent(u, "", "  ")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	file, err := os.CreateTemp(folder, "undo-"+u.Made.Format("20060102-150405")+"-*.json")
	if err != nil {
		return "", err
	}
	_, err = file.Write(append(content, '\n'))
	if err == nil {
		err = file.Sync()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		_ = os.Remove(file.Name())
		return "", err
	}
	return file.Name(), nil
}

// Undo restores the old values of an undo file. What was changed by others since
// is left alone. It may be run again, also after a fix or an undo that failed half way.
func Undo(path string) (Repair, error) { return undo(ThisSystem(), path) }

func undo(registry Registry, path string) (Repair, error) {
	r := Repair{Changed: []string{}, Left: []string{}, Commands: []string{}}
	content, err := os.ReadFile(path)
	if err != nil {
		return r, err
	}
	var file undoFile
	if err := json.Unmarshal(content, &file); err != nil {
		return r, fmt.Errorf("%s is no undo file: %w", path, err)
	}
	if len(file.Values) == 0 {
		return r, fmt.Errorf("%s is no undo file", path)
	}
	if registry == nil {
		return r, errors.New("there is no registry here")
	}
	for _, u := range file.Values {
		if !u.place().own() {
			return r, fmt.Errorf("%s names %s, which no fix changes: nothing was done", path, u.place())
		}
	}
	var failures []error
	for _, u := range file.Values {
		now, err := current(registry, u.place())
		switch {
		case err != nil:
		case same(now, u.Was):
			continue
		case !same(now, u.Set):
			r.Left = append(r.Left, fmt.Sprintf("%s: %s, changed since", u.place(), named(now)))
			continue
		default:
			err = put(registry, u.place(), u.Was)
		}
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", u.place(), err))
			continue
		}
		r.Changed = append(r.Changed, fmt.Sprintf("%s: %s again", u.place(), named(u.Was)))
	}
	return r, errors.Join(failures...)
}

func current(registry Registry, p Place) (*Value, error) {
	v, ok, err := registry.Read(p)
	if err != nil || !ok {
		return nil, err
	}
	return &v, nil
}

func put(registry Registry, p Place, v *Value) error {
	if v == nil {
		return registry.Remove(p)
	}
	return registry.Write(p, *v)
}

func same(a, b *Value) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

func named(v *Value) string {
	if v == nil {
		return "absent"
	}
	return strings.TrimSpace(v.String())
}
