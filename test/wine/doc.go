// Package wine runs Windows programs on Linux: it gives a test a Windows of its
// own, builds programs for it and starts them. What it needs scripts/setup wine
// has brought into the cache of the user.
//
// Loopback is that of the machine, so programs on both sides talk over it; the
// desktop has no screen; a process of Windows is a process of Linux, which can be
// seen and killed as such.
package wine
