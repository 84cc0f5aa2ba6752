//go:build unix

package proc

import (
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Shell returns the program and the arguments that run line: bash, or sh if there is no
// bash.
func Shell(line string) (path string, args []string) {
	path, err := exec.LookPath("bash")
	if err != nil {
		path = "/bin/sh"
	}
	return path, []string{"-c", line}
}

// ShellName returns "bash", or "sh" if there is no bash.
func ShellName() string {
	if _, err := exec.LookPath("bash"); err != nil {
		return "sh"
	}
	return "bash"
}

// ownGroup makes a session, not just a group. A command that reads the terminal then
// fails at once instead of being suspended forever.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

func terminate(pgid int, pids []int) { signal(pgid, pids, unix.SIGTERM) }
func kill(pgid int, pids []int)      { signal(pgid, pids, unix.SIGKILL) }

// Errors mean that the process has already ended.
func signal(pgid int, pids []int, sig unix.Signal) {
	_ = unix.Kill(-pgid, sig)
	for _, pid := range pids {
		_ = unix.Kill(pid, sig)
	}
}

// alive reports whether any of the processes is still running. A zombie is not: where
// orphans are not reaped, as in many containers, it stays forever.
func alive(pgid int, pids []int) bool {
	exists := groupExists(pgid)
	for _, pid := range pids {
		exists = exists || unix.Kill(pid, 0) == nil
	}
	if !exists {
		return false
	}
	table := processes()
	if table == nil {
		return true
	}
	return slices.ContainsFunc(table, func(r relation) bool {
		return r.group == pgid || slices.Contains(pids, r.pid)
	})
}

func groupExists(pgid int) bool { return unix.Kill(-pgid, 0) == nil }

func endedBy(s *os.ProcessState) (number int, name string) {
	ws, ok := s.Sys().(syscall.WaitStatus)
	if !ok || !ws.Signaled() {
		return 0, ""
	}
	return int(ws.Signal()), unix.SignalName(ws.Signal())
}

// relation is one entry of the process table.
type relation struct{ pid, parent, group int }

// family returns the processes of the group and their descendants.
func family(pgid int) []int {
	table := processes()
	in := map[int]bool{}
	for grown := true; grown; {
		grown = false
		for _, r := range table {
			if !in[r.pid] && (r.group == pgid || in[r.parent]) {
				in[r.pid], grown = true, true
			}
		}
	}
	var pids []int
	for _, r := range table {
		if in[r.pid] {
			pids = append(pids, r.pid)
		}
	}
	return pids
}

// sweepMost is more than a pipe holds. It limits a sweep if a child never stops
// writing.
const sweepMost = 2 << 20

// stream is our end of an output. It is read until the other end is closed everywhere,
// even after the call, because a closed pipe would kill children that are still
// running.
type stream struct {
	file *os.File
	into func([]byte)

	mu    sync.Mutex // keeps output in order
	chunk [32 << 10]byte
	ended bool
}

// read passes on the stream until its end.
func (s *stream) read() {
	defer s.file.Close()
	conn, err := s.file.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Read(func(fd uintptr) (done bool) { // it fails only if the stream is closed
		for {
			if n, ended := s.take(int(fd)); n == 0 {
				return ended
			}
		}
	})
}

// sweep passes on what is available now, without waiting, and reports whether the
// stream ended.
func (s *stream) sweep() (ended bool) {
	conn, err := s.file.SyscallConn()
	if err != nil {
		return true
	}
	err = conn.Control(func(fd uintptr) {
		for swept := 0; swept < sweepMost; {
			var n int
			if n, ended = s.take(int(fd)); n == 0 {
				return
			}
			swept += n
		}
	})
	return ended || err != nil
}

// take reads once, without waiting.
func (s *stream) take(fd int) (n int, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return 0, true
	}
	for {
		n, err := unix.Read(fd, s.chunk[:])
		switch {
		case n > 0:
			s.into(s.chunk[:n])
			return n, false
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			return 0, false
		default:
			s.ended = true
			return 0, true
		}
	}
}
