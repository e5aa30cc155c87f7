//go:build !windows

package program

func leaveConsole() {}
