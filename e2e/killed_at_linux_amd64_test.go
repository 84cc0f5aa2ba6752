package e2e

import "syscall"

// namedChange reports whether nr is one of the older system calls with which other
// programs change the disk.
func namedChange(nr, flags uint64) bool {
	switch nr {
	case syscall.SYS_OPEN:
		return flags&(syscall.O_CREAT|syscall.O_TRUNC) != 0
	case syscall.SYS_CREAT, syscall.SYS_MKDIR, syscall.SYS_RMDIR, syscall.SYS_UNLINK, syscall.SYS_RENAME, syscall.SYS_LINK, syscall.SYS_SYMLINK:
		return true
	}
	return false
}
