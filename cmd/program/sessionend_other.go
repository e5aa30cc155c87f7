//go:build !windows

package program

// endWithSession has nothing to do: the end of a session is a signal here.
func endWithSession(end func(), ended <-chan struct{}) {}
