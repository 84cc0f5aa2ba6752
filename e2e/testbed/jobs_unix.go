//go:build unix

package testbed

import "syscall"

// perJob estimates the descriptors that a case has open: its session, its hooks and their
// pipes.
const perJob = 32

// mostJobs returns how many cases may run at a time within the descriptor limit.
func mostJobs() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 1
	}
	return max(1, int(min(limit.Cur, 1<<20))/perJob)
}
