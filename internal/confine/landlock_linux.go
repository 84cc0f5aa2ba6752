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
	executing    = unix.LANDLOCK_ACCESS_FS_EXECUTE
	readingFiles = unix.LANDLOCK_ACCESS_FS_READ_FILE | executing
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
	case r.Hidden != nil: // names stay visible
		attr.Handled_access_fs |= unix.LANDLOCK_ACCESS_FS_READ_FILE
	case r.Read != nil:
		attr.Handled_access_fs |= readingDirs
	}
	if r.Execute != nil {
		attr.Handled_access_fs |= executing
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
	read, run := r.Read, uint64(executing)
	if r.Read == nil && r.Hidden != nil {
		read = []string{"/"}
	}
	if r.Execute != nil {
		run = 0
	}
	for _, name := range read {
		err := s.show(name, r.Hidden, readingDirs&^executing|run)
		if err != nil {
			return Failed("allowing to read "+name, err)
		}
	}
	for _, name := range r.Execute {
		if err := s.allow(name, executing); err != nil {
			return Failed("allowing to execute "+name, err)
		}
	}
	for _, name := range r.Write {
		if err := s.allow(name, readingDirs&^executing|run|writingDirs); err != nil {
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

// show allows access to name and everything below it, except to what is hidden.
func (s ruleset) show(name string, hidden []string, access uint64) error {
	below := strings.TrimSuffix(name, "/") + "/"
	switch {
	case slices.Contains(hidden, name):
		return nil
	case !slices.ContainsFunc(hidden, func(h string) bool { return strings.HasPrefix(h, below) }):
		return s.allow(name, access)
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return Failed("reading "+name, err)
	}
	for _, e := range entries {
		if e.Type()&os.ModeSymlink != 0 {
			continue // its target is covered by its own rule
		}
		err := s.show(below+e.Name(), hidden, access)
		if err != nil && err != unix.ENOENT && err != unix.EACCES { // it has disappeared, or cannot be read anyway
			return Failed("showing "+below+e.Name(), err)
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
