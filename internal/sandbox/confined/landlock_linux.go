package confined

import (
	"errors"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What Landlock restricts: everything that changes files. Reading and executing
// are allowed.
const (
	writingFiles = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	writingDirs  = writingFiles | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_REFER
	handled = writingDirs | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
)

// LeastABI is that of Linux 6.2, the first one that restricts truncate.
const LeastABI = 3

// ABIOfScopes is that of Linux 6.12, the first one that restricts signals and Unix
// sockets without a file.
const ABIOfScopes = 6

// devices are files that every program may write to.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts"}

// ABI returns the kernel's version of Landlock; 0: none.
func ABI() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// restrict puts the one thread that becomes the command into a Landlock domain.
// A process in a domain cannot trace one outside either.
func (p *plan) restrict() error {
	abi := ABI()
	if abi < LeastABI {
		return errors.New("the kernel has no Landlock, or one older than Linux 6.2")
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: handled}
	if abi >= ABIOfScopes {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	set, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return failed("making rules for Landlock", errno)
	}
	for _, at := range p.paths {
		if at.step != Writable {
			continue
		}
		if err := allow(int(set), at.name); err != nil {
			return failed("allowing "+at.name, err)
		}
	}
	for _, name := range devices {
		if err := allow(int(set), name); err != nil && err != unix.ENOENT {
			return failed("allowing "+name, err)
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, set, 0, 0); errno != 0 {
		return failed("restricting itself by Landlock", errno)
	}
	return unix.Close(int(set))
}

func allow(set int, name string) error {
	fd, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	rule := struct {
		access uint64
		parent int32
	}{writingFiles, int32(fd)}
	if stat.Mode&unix.S_IFMT == unix.S_IFDIR {
		rule.access = writingDirs
	}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(set), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
