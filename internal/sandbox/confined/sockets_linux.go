package confined

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// archs are the architectures that the filter knows.
var archs = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64, "riscv64": unix.AUDIT_ARCH_RISCV64}

// Offsets in struct seccomp_data, on little-endian machines.
const (
	atNumber = 0
	atArch   = 4
	atFirst  = 16
	atSecond = 24
)

// x32 is the bit of amd64's second set of system call numbers.
const x32 = 0x40000000

// filterSockets forbids sockets that lead outside. In a network namespace the
// process keeps Internet sockets, which lead only to itself. A Unix socket
// could lead to servers that write files for others, such as a container daemon
// or a terminal multiplexer, so only connected pairs are allowed. io_uring
// would bypass the filter.
func filterSockets(ownNetwork bool) error {
	arch, ok := archs[runtime.GOARCH]
	if !ok {
		return unix.ENOTSUP
	}
	families := []uint32{unix.AF_NETLINK}
	if ownNetwork {
		families = append(families, unix.AF_INET, unix.AF_INET6)
	}
	filter := program(arch, families)
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return errno
	}
	return nil
}

const (
	load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	least  = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	and    = unix.BPF_ALU | unix.BPF_AND | unix.BPF_K
	answer = unix.BPF_RET | unix.BPF_K

	refuse = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	absent = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
)

// program returns the filter. A jump says how many instructions to skip if the
// comparison is true, and if it is not.
func program(arch uint32, families []uint32) []unix.SockFilter {
	kindOf := uint32(0xf) // a socket's type, without its flags
	f := []unix.SockFilter{
		{Code: load, K: atArch},
		{Code: equal, K: arch, Jt: 1},
		{Code: answer, K: unix.SECCOMP_RET_KILL_PROCESS},
		{Code: load, K: atNumber},
		{Code: least, K: x32, Jf: 1},
		{Code: answer, K: absent},
		{Code: equal, K: unix.SYS_IO_URING_SETUP, Jf: 1},
		{Code: answer, K: absent},
		// A pair of datagram sockets could send to any other.
		{Code: equal, K: unix.SYS_SOCKETPAIR, Jf: 5},
		{Code: load, K: atSecond},
		{Code: and, K: kindOf},
		{Code: equal, K: unix.SOCK_STREAM, Jf: 1},
		{Code: answer, K: unix.SECCOMP_RET_ALLOW},
		{Code: answer, K: refuse},
		{Code: equal, K: unix.SYS_SOCKET, Jt: 1},
		{Code: answer, K: unix.SECCOMP_RET_ALLOW},
		{Code: load, K: atFirst},
	}
	for _, family := range families {
		f = append(f, unix.SockFilter{Code: equal, K: family, Jf: 1}, unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_ALLOW})
	}
	return append(f, unix.SockFilter{Code: answer, K: refuse})
}
