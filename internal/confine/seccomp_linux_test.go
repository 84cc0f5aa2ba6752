//go:build amd64 || arm64 || riscv64

package confine

import (
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

const pass = unix.SECCOMP_RET_ALLOW

// answerOf runs a filter on one system call, as the kernel does.
func answerOf(t *testing.T, f []unix.SockFilter, audit, number uint32, args ...uint32) uint32 {
	t.Helper()
	data := map[uint32]uint32{atNumber: number, atArch: audit}
	for i, a := range args {
		data[atArgument+8*uint32(i)] = a
	}
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
			require.Fail(t, "an unknown instruction")
		}
	}
	require.Fail(t, "the filter has no end")
	return 0
}

var networks = []Network{NoNetwork, TCPPorts, OwnNetwork, OpenNetwork}

// TestFilterOfSockets checks that the filter allows exactly the sockets of each
// [Network].
func TestFilterOfSockets(t *testing.T) {
	t.Parallel()
	audit := archs[runtime.GOARCH].audit
	for _, n := range networks {
		f := program(Rules{Network: n}, ABIOfScopes)
		for family := range uint32(50) {
			for _, kind := range []uint32{unix.SOCK_STREAM, unix.SOCK_DGRAM, unix.SOCK_RAW, unix.SOCK_SEQPACKET} {
				for _, protocol := range []uint32{0, unix.IPPROTO_TCP, unix.IPPROTO_MPTCP, unix.IPPROTO_SCTP} {
					internet := family == unix.AF_INET || family == unix.AF_INET6
					tcp := internet && kind == unix.SOCK_STREAM && (protocol == 0 || protocol == unix.IPPROTO_TCP)
					want := uint32(refuse)
					if n == OpenNetwork || family == unix.AF_NETLINK && protocol == 0 || n == OwnNetwork && internet || n == TCPPorts && tcp {
						want = pass
					}
					got := answerOf(t, f, audit, unix.SYS_SOCKET, family, kind|unix.SOCK_CLOEXEC, protocol)
					assert.Equal(t, want, got, "network %d: socket(%d, %d, %d)", n, family, kind, protocol)
				}
			}
		}
		for kind := range uint32(16) {
			want := uint32(refuse)
			if n == OpenNetwork || kind == unix.SOCK_STREAM {
				want = pass
			}
			for _, flags := range []uint32{0, unix.SOCK_CLOEXEC, unix.SOCK_CLOEXEC | unix.SOCK_NONBLOCK} {
				assert.Equal(t, want, answerOf(t, f, audit, unix.SYS_SOCKETPAIR, unix.AF_UNIX, kind|flags), "network %d: a pair of type %d", n, kind)
			}
		}
		want := uint32(pass)
		if n == TCPPorts {
			want = refuse
		}
		assert.Equal(t, want, answerOf(t, f, audit, unix.SYS_SENDTO, 3, 0, 0, fastOpen|unix.MSG_NOSIGNAL), "network %d: sendto that connects", n)
		assert.Equal(t, want, answerOf(t, f, audit, unix.SYS_SENDMSG, 3, 0, fastOpen), "network %d: sendmsg that connects", n)
		assert.Equal(t, uint32(pass), answerOf(t, f, audit, unix.SYS_SENDTO, 3, 0, 0, unix.MSG_NOSIGNAL))
	}
}

// TestFilterOfCalls checks that the filter refuses exactly the listed system calls.
func TestFilterOfCalls(t *testing.T) {
	t.Parallel()
	own := archs[runtime.GOARCH]
	for _, r := range []Rules{{}, {Attributes: true}, {Own: true}, {Signals: true}, {Attributes: true, Network: OpenNetwork}} {
		for _, version := range []int{LeastABI, ABIOfScopes} {
			refused := map[uint32]bool{unix.SYS_SOCKET: r.Network != OpenNetwork, unix.SYS_SOCKETPAIR: r.Network != OpenNetwork, unix.SYS_IOCTL: !r.Attributes}
			for _, number := range slices.Concat(attributes, own.old) {
				refused[number] = !r.Attributes
			}
			for _, number := range shared {
				refused[number] = !r.Own
			}
			for _, number := range keys {
				refused[number] = !r.Attributes || !r.Signals
			}
			for number := range others {
				refused[number] = !r.Signals
			}
			for _, number := range signals {
				refused[number] = !r.Signals && version < ABIOfScopes
			}
			f := program(r, version)
			for number := range uint32(600) {
				want := uint32(pass)
				switch {
				case number == unix.SYS_IO_URING_SETUP:
					want = absent
				case refused[number]:
					want = refuse
				}
				assert.Equal(t, want, answerOf(t, f, own.audit, number, 1, 2, 1), "%+v: system call %d", r, number)
				if runtime.GOARCH == "amd64" {
					assert.Equal(t, uint32(absent), answerOf(t, f, own.audit, number|x32), "system call %d of x32", number)
				}
				assert.Equal(t, uint32(unix.SECCOMP_RET_KILL_PROCESS), answerOf(t, f, own.audit^1, number), "system call %d of another kind", number)
			}
			assert.Equal(t, uint32(refuse), answerOf(t, f, own.audit, unix.SYS_IOCTL, 0, tiocsti))
			assert.Equal(t, uint32(refuse), answerOf(t, f, own.audit, unix.SYS_IOCTL, 0, tioclinux))
			assert.Equal(t, uint32(pass), answerOf(t, f, own.audit, unix.SYS_IOCTL, 0, unix.TCGETS))
			assert.Equal(t, uint32(pass), answerOf(t, f, own.audit, unix.SYS_PRLIMIT64, 0, 7))
		}
	}
}
