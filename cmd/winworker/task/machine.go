package task

import "context"

// Machine is what the commands need of Windows.
type Machine interface {
	// Account finds a user; "" is the one of this process.
	Account(name string) (Account, error)
	// Elevated tells whether this process has an administrator's rights.
	Elevated() bool
	// Run runs a program of Windows to its end and returns what it wrote. The
	// error of one that failed has the last of it.
	Run(ctx context.Context, program string, args ...string) (string, error)
	// Processes are the ids of those that run the program at path.
	Processes(path string) ([]int, error)
}

// Account is a user of this machine.
type Account struct {
	Name   string // DOMAIN\name
	Folder string // for our files, in the profile
}
