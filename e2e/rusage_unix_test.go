//go:build unix

package e2e

import (
	"os"
	"runtime"
	"syscall"
)

// maxRSS returns the peak memory of an exited process, in bytes.
func maxRSS(s *os.ProcessState) int64 {
	u, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return int64(u.Maxrss)
	}
	return int64(u.Maxrss) * 1024
}
