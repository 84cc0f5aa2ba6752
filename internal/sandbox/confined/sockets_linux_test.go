package confined

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// answerOf runs the filter on one system call, as the kernel does.
func answerOf(t *testing.T, f []unix.SockFilter, arch, number, first, second uint32) uint32 {
	t.Helper()
	data := map[uint32]uint32{atNumber: number, atArch: arch, atFirst: first, atSecond: second}
	a := uint32(0)
	for i := 0; i < len(f); i++ {
		jump := func(holds bool) {
			if holds {
				i += int(f[i].Jt)
			} else {
				i += int(f[i].Jf)
			}
		}
		switch c := f[i]; c.Code {
		case load:
			a = data[c.K]
		case and:
			a &= c.K
		case equal:
			jump(a == c.K)
		case least:
			jump(a >= c.K)
		case answer:
			return c.K
		default:
			require.Fail(t, "an instruction that the filter has no need of")
		}
	}
	require.Fail(t, "the filter has no end")
	return 0
}

// TestFilterOfSockets holds the filter, which the kernel runs for each system
// call, to what it lets pass.
func TestFilterOfSockets(t *testing.T) {
	t.Parallel()
	arch := archs[runtime.GOARCH]
	const pass = unix.SECCOMP_RET_ALLOW
	for _, own := range []bool{true, false} {
		families := []uint32{unix.AF_NETLINK}
		if own {
			families = append(families, unix.AF_INET, unix.AF_INET6)
		}
		f := program(arch, families)
		for family := range uint32(50) {
			want := uint32(refuse)
			if family == unix.AF_NETLINK || own && (family == unix.AF_INET || family == unix.AF_INET6) {
				want = pass
			}
			assert.Equal(t, want, answerOf(t, f, arch, unix.SYS_SOCKET, family, unix.SOCK_STREAM), "socket of family %d, a network of its own: %v", family, own)
		}
		for kind := range uint32(16) {
			want := uint32(refuse)
			if kind == unix.SOCK_STREAM {
				want = pass
			}
			for _, flags := range []uint32{0, unix.SOCK_CLOEXEC, unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK} {
				assert.Equal(t, want, answerOf(t, f, arch, unix.SYS_SOCKETPAIR, unix.AF_UNIX, kind|flags), "a pair of type %d", kind)
			}
		}
		for number := range uint32(600) {
			got := answerOf(t, f, arch, number, unix.AF_UNIX, unix.SOCK_DGRAM)
			switch number {
			case unix.SYS_SOCKET, unix.SYS_SOCKETPAIR:
				assert.Equal(t, uint32(refuse), got)
			case unix.SYS_IO_URING_SETUP:
				assert.Equal(t, uint32(absent), got, "io_uring makes sockets past the filter")
			default:
				assert.Equal(t, uint32(pass), got, "system call %d", number)
			}
			if runtime.GOARCH == "amd64" {
				assert.Equal(t, uint32(absent), answerOf(t, f, arch, number|x32, unix.AF_UNIX, 0), "system call %d of x32", number)
			}
			assert.Equal(t, uint32(unix.SECCOMP_RET_KILL_PROCESS), answerOf(t, f, arch^1, number, unix.AF_UNIX, 0), "system call %d of another kind", number)
		}
	}
}
