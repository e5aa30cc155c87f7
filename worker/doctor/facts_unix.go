//go:build !windows

package doctor

import "golang.org/x/sys/unix"

const homeName = "~"

func systemFacts() facts { return facts{} }

func free(folder string) uint64 {
	var disk unix.Statfs_t
	if unix.Statfs(folder, &disk) != nil {
		return 0
	}
	return disk.Bavail * uint64(disk.Bsize)
}

func shortPath(string) []string { return nil }
