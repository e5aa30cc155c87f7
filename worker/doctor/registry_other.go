//go:build !windows

package doctor

// ThisSystem is the registry of this system; nil where there is none.
func ThisSystem() Registry { return nil }
