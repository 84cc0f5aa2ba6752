package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A killed is the result of a run that may have been stopped by SIGKILL.
type killed struct {
	changes int    // system calls of the program and its descendants that change the disk
	inTime  bool   // it was killed before it exited
	said    string // stdout and stderr
	code    int    // its exit code, if it was not killed
}

// killAt runs the program and kills it just before the n-th system call that changes the
// disk, by it or by one of its descendants; 0 means never. It returns when all descendants
// have exited, too. The calls are counted by tracing, so the same n is the same moment in
// each run.
func (h home) killAt(t *testing.T, r run, n int) killed {
	t.Helper()
	said, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	defer said.Close()
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	cmd, _, _ := h.command(t, r)
	type outcome struct {
		k   killed
		err error
	}
	done := make(chan outcome)
	go func() {
		runtime.LockOSThread() // the tracing thread; it ends with this goroutine
		k, err := trace(cmd.Path, cmd.Args, &os.ProcAttr{
			Dir: cmd.Dir, Env: cmd.Env, Files: []*os.File{null, said, said},
			Sys: &syscall.SysProcAttr{Ptrace: true, Setpgid: true},
		}, n)
		done <- outcome{k, err}
	}()
	o := <-done
	if errors.Is(o.err, syscall.EPERM) || errors.Is(o.err, syscall.ENOSYS) {
		t.Skipf("this system lets nobody trace: %v", o.err)
	}
	require.NoError(t, o.err)
	data, err := os.ReadFile(said.Name())
	require.NoError(t, err)
	o.k.said = string(data)
	return o.k
}

// trace does the tracing for killAt.
func trace(path string, args []string, attr *os.ProcAttr, n int) (k killed, err error) {
	p, err := os.StartProcess(path, args, attr)
	if err != nil {
		return k, err
	}
	main := p.Pid
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(main, &status, 0, nil); err != nil {
		return k, err
	}
	const everything = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK | unix.PTRACE_O_TRACEEXEC
	if err := syscall.PtraceSetOptions(main, everything); err != nil {
		return k, err
	}
	if err := syscall.PtraceSyscall(main, 0); err != nil {
		return k, err
	}
	seen := map[int]bool{main: true}
	for {
		pid, err := syscall.Wait4(-1, &status, unix.WALL|unix.WNOTHREAD, nil)
		switch {
		case errors.Is(err, syscall.ECHILD):
			return k, nil // all have exited
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return k, err
		case status.Exited() || status.Signaled():
			if pid == main {
				k.inTime, k.code = status.Signaled(), status.ExitStatus()
			}
			continue
		}
		signal := 0
		switch s := status.StopSignal(); {
		case s == syscall.SIGTRAP|0x80:
			if changesDisk(pid) {
				if k.changes++; k.changes == n {
					_ = syscall.Kill(main, syscall.SIGKILL)
				}
			}
		case s == syscall.SIGTRAP && status.TrapCause() != 0: // a new thread, process or program
		case s == syscall.SIGSTOP && !seen[pid]: // it starts stopped
		default:
			signal = int(s)
		}
		seen[pid] = true
		_ = syscall.PtraceSyscall(pid, signal) // it may have died
	}
}

// changesDisk reports whether pid is entering a system call that changes the disk.
func changesDisk(pid int) bool {
	const getInfo, entry = 0x420e, 1 // PTRACE_GET_SYSCALL_INFO, PTRACE_SYSCALL_INFO_ENTRY
	var info struct {
		op     uint8
		_      [3]uint8
		arch   uint32
		ip, sp uint64
		nr     uint64
		args   [6]uint64
		_      uint64
	}
	_, _, failed := syscall.RawSyscall6(syscall.SYS_PTRACE, getInfo, uintptr(pid), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if failed != 0 || info.op != entry {
		return false
	}
	switch info.nr {
	case syscall.SYS_OPENAT:
		return info.args[2]&(syscall.O_CREAT|syscall.O_TRUNC) != 0
	case syscall.SYS_MKDIRAT, syscall.SYS_UNLINKAT, syscall.SYS_RENAMEAT, unix.SYS_RENAMEAT2, syscall.SYS_LINKAT, syscall.SYS_SYMLINKAT,
		syscall.SYS_FTRUNCATE, syscall.SYS_FCHMOD, syscall.SYS_FCHMODAT:
		return true
	case syscall.SYS_WRITE, syscall.SYS_PWRITE64:
		to, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "fd", strconv.FormatUint(info.args[0], 10)))
		return err == nil && info.args[0] > 2 && strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "/dev/") && !strings.HasPrefix(to, "/proc/")
	}
	return namedChange(info.nr, info.args[1])
}
