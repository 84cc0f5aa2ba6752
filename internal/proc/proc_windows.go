package proc

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// Shell returns the program and the arguments that run line: PowerShell.
func Shell(line string) (path string, args []string) {
	return "powershell.exe", []string{"-NoProfile", "-NonInteractive", "-Command", line}
}

func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminate does nothing: Windows has no way to ask a console program of
// another group. After the grace it is killed.
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

// read hands on what comes until the end of the stream.
func (s *stream) read() {
	defer s.file.Close()
	for {
		n, err := s.file.Read(s.chunk[:])
		if n > 0 {
			s.into(s.chunk[:n])
		}
		if err != nil {
			s.mu.Lock()
			s.ended = true
			s.mu.Unlock()
			return
		}
	}
}

// sweep says whether the stream has ended. What is there and was not read yet
// cannot be had without waiting here.
func (s *stream) sweep() (ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}
