//go:build unix

package proc

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// RunInTerminal runs a command line in a pseudo-terminal of its own. It uses only Line,
// Dir, Env, Rules and Within of s.Command. It returns [ErrNoTerminal] if the system has
// no pseudo-terminals.
func RunInTerminal(ctx context.Context, s Session) (Result, error) {
	columns, rows := s.Size()
	window, tty, err := OpenTerminal(columns, rows)
	if err != nil {
		return Result{}, err
	}
	defer window.Close()
	path, args := Shell(s.Line)
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = s.Dir, append([]string{}, s.Env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = s.Command.begin(cmd)
	_ = tty.Close() // the command has its own
	if err != nil {
		return Result{}, err
	}
	over := s.begin(func(keys []byte) { _, _ = window.Write(keys) }, func() { // a command that has ended reads nothing
		columns, rows := s.Size()
		_ = pty.Setsize(window, &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)})
	})
	defer over()
	defer context.AfterFunc(ctx, func() { _ = unix.Kill(-cmd.Process.Pid, unix.SIGKILL) })()
	ended := make(chan struct{})
	go func() { // what the command left running may hold the terminal open; do not wait for it
		_ = cmd.Wait()
		close(ended)
	}()
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		show(window, s.Show)
	}()
	<-ended
	_ = unix.Kill(-cmd.Process.Pid, unix.SIGHUP)
	drained(window, shown)
	res := Result{PID: cmd.Process.Pid, ExitCode: cmd.ProcessState.ExitCode(), Stopped: context.Cause(ctx)}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		res.Signal, res.SignalName = int(status.Signal()), unix.SignalName(status.Signal())
	}
	return res, nil
}

// show passes on the command's output until no process holds its terminal.
func show(window *os.File, to func(printed []byte, keys bool)) {
	buf := make([]byte, 4096)
	for {
		n, err := window.Read(buf)
		if n > 0 {
			to(buf[:n], readsKeys(window))
		}
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return
		}
	}
}

// readsKeys reports whether the program reads single keys, as full-screen programs do.
// A command cannot influence that by what it prints.
func readsKeys(window *os.File) bool {
	raw, err := window.SyscallConn()
	if err != nil {
		return false
	}
	keys := false
	_ = raw.Control(func(fd uintptr) {
		if state, err := unix.IoctlGetTermios(int(fd), getTermios); err == nil {
			keys = state.Lflag&unix.ICANON == 0
		}
	})
	return keys
}
