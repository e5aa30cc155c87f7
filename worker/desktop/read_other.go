//go:build !windows

package desktop

// Read reads the facts.
func Read() Facts { return Facts{} }
