package doctor

import (
	"slices"
	"testing"

	"golang.org/x/sys/windows/registry"
)

// The registry of Windows keeps every byte, and tells absent from empty.
func TestRegistryOfWindows(t *testing.T) {
	const parent = `Software\iemesh-doctor-test`
	t.Cleanup(func() {
		for _, path := range []string{parent + `\b`, parent} {
			if err := registry.DeleteKey(registry.CURRENT_USER, path); err != nil {
				t.Error(err)
			}
		}
	})
	r := ThisSystem()
	p := Place{Root: User, Path: parent + `\b`, Name: "ä value"}
	if _, ok, err := r.Read(p); ok || err != nil {
		t.Errorf("no key: %v, %v", ok, err)
	}
	if err := r.Remove(p); err != nil {
		t.Errorf("no key: %v", err)
	}
	if names, err := r.Subkeys(User, parent); err != nil || len(names) != 0 {
		t.Errorf("no key: %v, %v", names, err)
	}
	for _, v := range []Value{dword(3), sz(""), sz("日本語"), {kindExpand, sz("%TEMP%").data}, {3, ""}, {3, "\x00\x01"}, {kindText, "a"}, sz(string(slices.Repeat([]rune("x"), 5000)))} {
		if err := r.Write(p, v); err != nil {
			t.Fatal(err)
		}
		if got, ok, err := r.Read(p); got != v || !ok || err != nil {
			t.Errorf("%+v: %+v, %v, %v", v, got, ok, err)
		}
	}
	if names, err := r.Subkeys(User, parent); err != nil || !slices.Equal(names, []string{"b"}) {
		t.Errorf("%v, %v", names, err)
	}
	for range 2 {
		if err := r.Remove(p); err != nil {
			t.Error(err)
		}
		if _, ok, err := r.Read(p); ok || err != nil {
			t.Errorf("removed: %v, %v", ok, err)
		}
	}
	if err := r.Write(Place{Root: User, Path: p.Path}, sz("default")); err != nil {
		t.Error(err)
	}
	if v, ok, err := r.Read(Place{Root: User, Path: p.Path}); v.text() != "default" || !ok || err != nil {
		t.Errorf("%v, %v, %v", v, ok, err)
	}
}

func TestFactsOfWindows(t *testing.T) {
	f := systemFacts()
	t.Logf("%+v", f)
	if f.system == "" || f.drivers < 0 {
		t.Errorf("%+v", f)
	}
	if got := temporary(); got.failed != nil || got.free == 0 {
		t.Errorf("%+v", got)
	}
}
