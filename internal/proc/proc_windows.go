package proc

import (
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// Shell returns the program and the arguments that run line: PowerShell.
func Shell(line string) (path string, args []string) {
	return "powershell.exe", []string{"-NoProfile", "-NonInteractive", "-Command", line}
}

// ShellName returns "powershell".
func ShellName() string { return "powershell" }

func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminate does nothing: Windows cannot ask a console program of another group to end.
// It is killed after the grace period.
func terminate(int, []int) {}

func kill(pid int, _ []int) {
	_ = exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(pid)).Run()
}

func alive(pid int, _ []int) bool {
	h, err := syscall.OpenProcess(syscall.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return false
	}
	defer syscall.CloseHandle(h)
	event, err := syscall.WaitForSingleObject(h, 0)
	return err == nil && event == syscall.WAIT_TIMEOUT
}

func endedBy(*os.ProcessState) (int, string) { return 0, "" }

func groupExists(int) bool { return false }

func family(int) []int { return nil }

// stream is our end of an output. It is read until the other end is closed everywhere,
// even after the call, because a closed pipe would kill children that are still
// running.
type stream struct {
	file *os.File
	into func([]byte)

	mu    sync.Mutex // keeps output in order
	chunk [32 << 10]byte
	ended bool
	count int // bytes passed on
}

// read passes on the stream until its end.
func (s *stream) read() {
	defer s.file.Close()
	for {
		n, err := s.file.Read(s.chunk[:])
		s.mu.Lock()
		if n > 0 {
			s.into(s.chunk[:n])
			s.count++
		}
		s.ended = err != nil
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// A reader that is slow on a busy machine may continue as long as it makes progress,
// but not forever: a child may never stop writing.
const (
	sweepQuiet = 100 * time.Millisecond
	sweepMost  = 2 * time.Second
)

// sweep waits until nothing more arrives for a while, and reports whether the stream
// has ended. Unlike on Unix, the contents of a pipe are not known while another thread
// waits to read it.
func (s *stream) sweep() (ended bool) {
	limit := time.Now().Add(sweepMost)
	for {
		before, _ := s.state()
		time.Sleep(sweepQuiet)
		after, ended := s.state()
		if ended || after == before || time.Now().After(limit) {
			return ended
		}
	}
}

func (s *stream) state() (count int, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count, s.ended
}
