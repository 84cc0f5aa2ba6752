//go:build amd64 || arm64 || riscv64

package confine

import (
	"os"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Accesses that Landlock restricts.
const (
	readingFiles = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_EXECUTE
	readingDirs  = readingFiles | unix.LANDLOCK_ACCESS_FS_READ_DIR
	writingFiles = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	writingDirs  = writingFiles | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_REFER
	writing = writingDirs | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
)

// ABI returns the kernel's Landlock version, or 0 if it has no Landlock.
func ABI() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// devices lists the files that a process with Attributes may write to.
var devices = []string{"/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx"}

// landlock puts the calling thread into a Landlock domain. A process in a domain also
// cannot trace one outside.
func landlock(r Rules, version int) error {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: writing}
	switch {
	case r.Read != nil && r.Hidden != nil:
		return Failed("hiding files", unix.EINVAL)
	case r.Read != nil:
		attr.Handled_access_fs |= readingDirs
	case r.Hidden != nil: // names stay visible
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_READ_FILE
	}
	if version >= abiOfTCP && (r.Network == NoNetwork || r.Network == TCPPorts) {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if version >= ABIOfScopes {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
		if !r.Signals {
			attr.Scoped |= unix.LANDLOCK_SCOPE_SIGNAL
		}
	}
	// Leave out the attributes that only later kernels know.
	n, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)),
		unsafe.Offsetof(attr.Quiet_access_fs), 0)
	if errno != 0 {
		return Failed("making rules for Landlock", errno)
	}
	set := ruleset{fd: int(n), handled: attr.Handled_access_fs}
	defer unix.Close(set.fd)
	if err := set.fill(r); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, n, 0, 0); errno != 0 {
		return Failed("restricting the thread by Landlock", errno)
	}
	return nil
}

type ruleset struct {
	fd      int
	handled uint64
}

func (s ruleset) fill(r Rules) error {
	if r.Hidden != nil {
		if err := s.showBeside("/", r.Hidden); err != nil {
			return err
		}
	}
	for _, name := range r.Read {
		if err := s.allow(name, readingDirs); err != nil {
			return Failed("allowing to read "+name, err)
		}
	}
	for _, name := range r.Write {
		if err := s.allow(name, readingDirs|writingDirs); err != nil {
			return Failed("allowing to write "+name, err)
		}
	}
	if err := s.allow("/dev/null", readingFiles|writingFiles); err != nil {
		return Failed("allowing /dev/null", err)
	}
	if r.Attributes {
		names := devices
		if r.Own {
			names = append(slices.Clip(names), terminals)
		}
		for _, name := range names {
			if err := s.allow(name, readingDirs|writingFiles); err != nil && err != unix.ENOENT {
				return Failed("allowing "+name, err)
			}
		}
	}
	for _, port := range r.Ports {
		rule := portRule{access: unix.LANDLOCK_ACCESS_NET_CONNECT_TCP, port: uint64(port)}
		if r.Network != TCPPorts {
			return Failed("allowing a port", unix.EINVAL)
		}
		if err := s.add(ruleOfPort, unsafe.Pointer(&rule)); err != nil {
			return Failed("allowing a port", err)
		}
	}
	return nil
}

// showBeside allows reading everything below dir, which ends with a slash, except what
// is hidden.
func (s ruleset) showBeside(dir string, hidden []string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return Failed("reading "+dir, err)
	}
	for _, e := range entries {
		name := dir + e.Name()
		switch {
		case slices.Contains(hidden, name):
		case slices.ContainsFunc(hidden, func(h string) bool { return strings.HasPrefix(h, name+"/") }):
			err = s.showBeside(name+"/", hidden)
		case e.Type()&os.ModeSymlink == 0: // a link's target is covered by its own rule
			if err = s.allow(name, unix.LANDLOCK_ACCESS_FS_READ_FILE); err == unix.ENOENT || err == unix.EACCES {
				err = nil // it has disappeared, or cannot be read anyway
			}
		}
		if err != nil {
			return Failed("showing "+name, err)
		}
	}
	return nil
}

// allow allows access to name and everything below it. For a file, it allows only the
// accesses that files have.
func (s ruleset) allow(name string, access uint64) error {
	fd, err := unix.Open(name, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return err
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= readingFiles | writingFiles
	}
	rule := struct {
		access uint64
		parent int32
	}{access & s.handled, int32(fd)}
	return s.add(unix.LANDLOCK_RULE_PATH_BENEATH, unsafe.Pointer(&rule))
}

const ruleOfPort = 2 // LANDLOCK_RULE_NET_PORT

type portRule struct{ access, port uint64 }

func (s ruleset) add(kind uintptr, rule unsafe.Pointer) error {
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(s.fd), kind, uintptr(rule), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
