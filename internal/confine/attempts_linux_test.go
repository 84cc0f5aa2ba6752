//go:build amd64 || arm64 || riscv64

package confine_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The test binary runs the attempt that attemptVar names, and exits with 0 if it
// succeeds. The other variables are the attempt's arguments.
const (
	attemptVar = "CONFINE_ATTEMPT"
	dirVar     = "CONFINE_DIR"    // holds the file "old", the folder "sub" and the sockets "unix" and "packets"
	victimVar  = "CONFINE_VICTIM" // the id of a process outside, which has [secret] in its environment
	portVar    = "CONFINE_PORT"   // a server on 127.0.0.1
	secret     = "CONFINE_SECRET=squeamish"
)

func TestMain(m *testing.M) {
	name := os.Getenv(attemptVar)
	if name == "" {
		os.Exit(m.Run())
	}
	for _, a := range attempts {
		if a.name == name {
			if err := a.do(); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	if name == "wait" { // the victim runs until its input ends
		_, _ = os.Stdin.Read(make([]byte, 1))
	}
}

// An attempt is something that a confined process must not be able to do. Attempts to
// write are also tried with the folder in Rules.Write.
type attempt struct {
	name string
	do   func() error
	// The rule that allows it. The zero value means that the folder is in Rules.Write.
	allowedBy string
}

func in(name string) string { return filepath.Join(os.Getenv(dirVar), name) }

func victim() int {
	pid, _ := strconv.Atoi(os.Getenv(victimVar))
	return pid
}

func errnoOf(e unix.Errno) error {
	if e != 0 {
		return e
	}
	return nil
}

func dial(network, address string) error {
	c, err := net.DialTimeout(network, address, 5*time.Second)
	if err == nil {
		_, err = c.Write([]byte("x"))
		c.Close()
	}
	return err
}

const (
	attributesAllow = "Attributes"
	signalsAllow    = "Signals"
	openAllows      = "OpenNetwork"
	nothingAllows   = "nothing"
	usersAllow      = "Attributes, for users without capabilities"
)

var attempts = []attempt{
	{"create", func() error { return os.WriteFile(in("new"), nil, 0o600) }, ""},
	{"overwrite", func() error { return os.WriteFile(in("old"), []byte("new"), 0o600) }, ""},
	{"append", func() error {
		f, err := os.OpenFile(in("old"), os.O_APPEND|os.O_WRONLY, 0)
		return errors.Join(err, f.Close())
	}, ""},
	{"truncate", func() error { return os.Truncate(in("old"), 1) }, ""},
	{"remove", func() error { return os.Remove(in("old")) }, ""},
	{"rmdir", func() error { return os.Remove(in("sub")) }, ""},
	{"mkdir", func() error { return os.Mkdir(in("new"), 0o700) }, ""},
	{"rename", func() error { return os.Rename(in("old"), in("new")) }, ""},
	{"link", func() error { return os.Link(in("old"), in("sub/new")) }, ""},
	{"symlink", func() error { return os.Symlink("old", in("new")) }, ""},
	{"mkfifo", func() error { return unix.Mkfifo(in("new"), 0o600) }, ""},
	{"listen on a Unix socket", func() error { _, err := net.Listen("unix", in("new")); return err }, openAllows},
	{"chmod", func() error { return os.Chmod(in("old"), 0o711) }, attributesAllow},
	{"fchmod", func() error {
		f, err := os.Open(in("old"))
		return errors.Join(err, f.Chmod(0o711))
	}, attributesAllow},
	{"fchmodat2", func() error {
		name, _ := unix.BytePtrFromString(in("old"))
		dir := unix.AT_FDCWD
		_, _, e := unix.Syscall6(unix.SYS_FCHMODAT2, uintptr(dir), uintptr(unsafe.Pointer(name)), 0o711, 0, 0, 0)
		return errnoOf(e)
	}, attributesAllow},
	{"chown", func() error { return os.Chown(in("old"), os.Getuid(), os.Getgid()) }, attributesAllow},
	{"utimes", func() error { return os.Chtimes(in("old"), time.Unix(1, 0), time.Unix(1, 0)) }, attributesAllow},
	{"setxattr", func() error { return unix.Setxattr(in("old"), "user.x", []byte("x"), 0) }, attributesAllow},
	{"chattr", func() error {
		f, err := os.Open(in("old"))
		if err != nil {
			return err
		}
		flags, err := unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS)
		if err != nil {
			return err
		}
		return unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, flags^0x40)
	}, attributesAllow},
	{"shared memory", func() error {
		id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 10, unix.IPC_CREAT|0o600)
		if err == nil { // nothing else removes it
			_, err = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
		}
		return err
	}, attributesAllow},
	{"priority of another", func() error { return unix.Setpriority(unix.PRIO_PROCESS, victim(), 1) }, usersAllow},
	{"limits of another", func() error {
		var l unix.Rlimit
		if err := unix.Prlimit(victim(), unix.RLIMIT_NOFILE, nil, &l); err != nil {
			return err
		}
		return unix.Prlimit(victim(), unix.RLIMIT_NOFILE, &l, nil)
	}, signalsAllow},
	{"signal", func() error { return unix.Kill(victim(), unix.SIGCONT) }, signalsAllow},
	{"signal through a descriptor", func() error {
		fd, err := unix.PidfdOpen(victim(), 0)
		if err != nil {
			return err
		}
		return unix.PidfdSendSignal(fd, unix.SIGCONT, nil, 0)
	}, signalsAllow},
	{"trace", func() error { return unix.PtraceSeize(victim()) }, nothingAllows},
	{"environment of another", func() error {
		data, err := os.ReadFile("/proc/" + os.Getenv(victimVar) + "/environ")
		if err == nil && !bytes.Contains(data, []byte(secret)) {
			err = errors.New("not its environment")
		}
		return err
	}, nothingAllows},
	{"memory of another", func() error {
		_, err := os.Open("/proc/" + os.Getenv(victimVar) + "/mem")
		return err
	}, nothingAllows},
	{"TCP", func() error { return dial("tcp", "127.0.0.1:"+os.Getenv(portVar)) }, openAllows},
	{"TCP server", func() error { _, err := net.Listen("tcp", "127.0.0.1:0"); return err }, openAllows},
	{"UDP", func() error { return dial("udp", "127.0.0.1:"+os.Getenv(portVar)) }, openAllows},
	{"a Unix socket", func() error { return dial("unix", in("unix")) }, openAllows},
	{"a Unix socket from a pair", func() error {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(pair[0], []byte("x"), 0, &unix.SockaddrUnix{Name: in("packets")})
	}, openAllows},
	{"a Unix socket without a file", func() error { return dial("unix", "@"+in("")) }, nothingAllows},
	{"io_uring", func() error {
		var params [120]byte
		_, _, e := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
		return errnoOf(e)
	}, nothingAllows},
}
