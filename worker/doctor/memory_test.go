package doctor

import (
	"errors"
	"maps"
	"strings"
)

// memory is a registry without Windows.
type memory struct {
	values map[Place]Value // names in lower case
	broken string          // a part of the places that cannot be read
	writes int             // so many more succeed; -1 = all
}

func newMemory(values map[Place]Value) *memory {
	m := &memory{values: map[Place]Value{}, writes: -1}
	for p, v := range values {
		m.values[lower(p)] = v
	}
	return m
}

func (m *memory) clone() *memory {
	return &memory{values: maps.Clone(m.values), writes: -1}
}

func lower(p Place) Place {
	p.Path, p.Name = strings.ToLower(p.Path), strings.ToLower(p.Name)
	return p
}

func (m *memory) Read(p Place) (Value, bool, error) {
	if m.broken != "" && strings.Contains(p.String(), m.broken) {
		return Value{}, false, errors.New("access is denied")
	}
	v, ok := m.values[lower(p)]
	return v, ok, nil
}

func (m *memory) spend() error {
	if m.writes == 0 {
		return errors.New("access is denied")
	}
	m.writes--
	return nil
}

func (m *memory) Write(p Place, v Value) error {
	if err := m.spend(); err != nil {
		return err
	}
	m.values[lower(p)] = v
	return nil
}

func (m *memory) Remove(p Place) error {
	if err := m.spend(); err != nil {
		return err
	}
	delete(m.values, lower(p))
	return nil
}

func (m *memory) Subkeys(root Root, path string) ([]string, error) {
	found := map[string]bool{}
	for p := range m.values {
		if rest, ok := strings.CutPrefix(p.Path, strings.ToLower(path)+`\`); ok && p.Root == root {
			name, _, _ := strings.Cut(rest, `\`)
			found[name] = true
		}
	}
	var list []string
	for name := range found {
		list = append(list, name)
	}
	return list, nil
}
