//go:build !windows

package task

import (
	"errors"
	"runtime"
)

// Here is the machine of this process.
func Here() (Machine, error) {
	return nil, errors.New("this is " + runtime.GOOS + ": the commands install, uninstall and status are for a Windows desktop; " +
		"elsewhere use the service manager of the system, with deploy/systemd as a pattern")
}
