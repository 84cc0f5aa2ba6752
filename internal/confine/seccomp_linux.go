//go:build amd64 || arm64 || riscv64

package confine

import (
	"runtime"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// arch is an architecture supported by the filter. old lists its system calls that
// other architectures do not have: chmod, chown, lchown, utime, utimes, futimesat.
type arch struct {
	audit uint32
	old   []uint32
}

var archs = map[string]arch{
	"amd64":   {unix.AUDIT_ARCH_X86_64, []uint32{90, 92, 94, 132, 235, 261}},
	"arm64":   {unix.AUDIT_ARCH_AARCH64, nil},
	"riscv64": {unix.AUDIT_ARCH_RISCV64, nil},
}

// The system calls that the filter refuses without Attributes, or for shared without
// Own.
var (
	// Landlock does not check changes of modes, owners, times and attributes.
	attributes = []uint32{
		unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT, unix.SYS_UTIMENSAT,
		unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
		unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT, unix.SYS_FILE_SETATTR,
	}
	// What these change has no path.
	shared = []uint32{
		unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SHMCTL, unix.SYS_SEMGET, unix.SYS_SEMOP, unix.SYS_SEMCTL,
		unix.SYS_SEMTIMEDOP,
		unix.SYS_MSGGET, unix.SYS_MSGSND, unix.SYS_MSGRCV, unix.SYS_MSGCTL, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
	}
	// Without Signals, these are refused too: they reach other processes' session keys,
	// and files by handle.
	keys = []uint32{unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL, unix.SYS_OPEN_BY_HANDLE_AT}
	// Without Signals, the argument of these that names a process must be 0, which
	// means the caller, because setting a limit can end another process.
	others = map[uint32]int{
		unix.SYS_PRLIMIT64: 0, unix.SYS_SCHED_SETAFFINITY: 0, unix.SYS_SCHED_SETSCHEDULER: 0, unix.SYS_SCHED_SETPARAM: 0,
		unix.SYS_SCHED_SETATTR: 0,
		unix.SYS_SETPRIORITY:   1, unix.SYS_IOPRIO_SET: 1,
	}
	// Without Landlock's scopes, no signals are allowed at all.
	signals = []uint32{
		unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO,
		unix.SYS_PIDFD_SEND_SIGNAL,
	}
	// The ioctls that only read, or that change the caller's own descriptor. Some
	// ioctls of file systems change files through a descriptor opened for reading.
	asking = []uint32{
		unix.TCGETS, unix.TCGETS2, unix.TIOCGWINSZ, unix.TIOCGPGRP, unix.TIOCGSID, fionread, fioclex, fionclex, fionbio,
		fioasync,
		unix.FS_IOC_GETFLAGS, fiemap,
	}
)

const (
	fionread = 0x541b
	fioclex  = 0x5451
	fionclex = 0x5450
	fionbio  = 0x5421
	fioasync = 0x5452
	fiemap   = 0xc020660b

	tiocsti    = 0x5412 // puts a character into a terminal's input
	tioclinux  = 0x541c // can paste into a terminal's input
	x32        = 0x40000000
	fastOpen   = 0x20000000 // MSG_FASTOPEN connects without calling connect, which Landlock checks
	kindOf     = 0xf        // a socket's type, without its flags
	atNumber   = 0          // offsets in struct seccomp_data, on little-endian machines
	atArch     = 4
	atArgument = 16
)

const (
	load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	least  = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	and    = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
	answer = unix.BPF_RET | unix.BPF_K

	refuse = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	absent = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

// program returns the filter for r. A jump says how many instructions to skip if the
// comparison is true, and how many if it is false.
func program(r Rules, version int) []unix.SockFilter {
	own := archs[runtime.GOARCH]
	f := []unix.SockFilter{
		{Code: load, K: atArch},
		{Code: equal, K: own.audit, Jt: 1},
		{Code: answer, K: unix.SECCOMP_RET_KILL_PROCESS},
		{Code: load, K: atNumber},
		{Code: least, K: x32, Jf: 1},
		{Code: answer, K: absent},
	}
	call := func(number uint32, body ...unix.SockFilter) {
		f = append(f, unix.SockFilter{Code: equal, K: number, Jf: uint8(len(body))})
		f = append(f, body...)
	}
	deny := unix.SockFilter{Code: answer, K: refuse}
	call(unix.SYS_IO_URING_SETUP, unix.SockFilter{Code: answer, K: absent}) // it would bypass the filter
	if r.Attributes {
		call(unix.SYS_IOCTL, unless(1, 0, tiocsti, tioclinux)...)
	} else {
		for _, number := range slices.Concat(attributes, own.old) {
			call(number, deny)
		}
		call(unix.SYS_IOCTL, only(1, 0, asking...)...)
	}
	if !r.Own {
		for _, number := range shared {
			call(number, deny)
		}
	}
	if !r.Signals || !r.Attributes {
		for _, number := range keys {
			call(number, deny)
		}
	}
	if !r.Signals {
		for number, at := range others {
			call(number, only(at, 0, 0)...)
		}
	}
	if !r.Signals && version < ABIOfScopes {
		for _, number := range signals {
			call(number, deny)
		}
	}
	if r.Network != OpenNetwork {
		// A pair of datagram sockets could send to any other socket.
		call(unix.SYS_SOCKETPAIR, only(1, kindOf, unix.SOCK_STREAM)...)
		call(unix.SYS_SOCKET, sockets(r.Network)...)
	}
	if r.Network == TCPPorts {
		for number, at := range map[uint32]int{unix.SYS_SENDTO: 3, unix.SYS_SENDMSG: 2, unix.SYS_SENDMMSG: 3} {
			call(number, only(at, fastOpen, 0)...)
		}
	}
	return append(f, unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_ALLOW})
}

// argument loads an argument of the system call. If mask is not 0, it applies the mask.
func argument(at int, mask uint32) []unix.SockFilter {
	f := []unix.SockFilter{{Code: load, K: atArgument + 8*uint32(at)}}
	if mask != 0 {
		f = append(f, unix.SockFilter{Code: and, K: mask})
	}
	return f
}

// only allows the call if the argument is one of values, and refuses it otherwise.
// unless does the opposite.
func only(at int, mask uint32, values ...uint32) []unix.SockFilter {
	return decide(unix.SECCOMP_RET_ALLOW, refuse, at, mask, values)
}

func unless(at int, mask uint32, values ...uint32) []unix.SockFilter {
	return decide(refuse, unix.SECCOMP_RET_ALLOW, at, mask, values)
}

func decide(listed, otherwise uint32, at int, mask uint32, values []uint32) []unix.SockFilter {
	f := argument(at, mask)
	for _, v := range values {
		f = append(f, unix.SockFilter{Code: equal, K: v, Jf: 1}, unix.SockFilter{Code: answer, K: listed})
	}
	return append(f, unix.SockFilter{Code: answer, K: otherwise})
}

// sockets returns the filter's rules for the socket call. A Unix socket could lead to a
// server that writes files for others, such as a container daemon or a terminal
// multiplexer. Netlink's first protocol lists the network devices.
func sockets(n Network) []unix.SockFilter {
	var f []unix.SockFilter
	family := func(number uint32, body []unix.SockFilter) {
		f = append(f, argument(0, 0)...)
		f = append(f, unix.SockFilter{Code: equal, K: number, Jf: uint8(len(body))})
		f = append(f, body...)
	}
	family(unix.AF_NETLINK, only(2, 0, unix.NETLINK_ROUTE))
	for _, internet := range []uint32{unix.AF_INET, unix.AF_INET6} {
		switch n {
		case OwnNetwork:
			family(internet, []unix.SockFilter{{Code: answer, K: unix.SECCOMP_RET_ALLOW}})
		case TCPPorts: // the only stream protocol that Landlock checks is TCP
			stream := append(argument(1, kindOf), unix.SockFilter{Code: equal, K: unix.SOCK_STREAM, Jt: 1},
				unix.SockFilter{Code: answer, K: refuse})
			family(internet, append(stream, only(2, 0, unix.IPPROTO_IP, unix.IPPROTO_TCP)...))
		}
	}
	return append(f, unix.SockFilter{Code: answer, K: refuse})
}

func install(filter []unix.SockFilter) error {
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return errno
	}
	return nil
}
