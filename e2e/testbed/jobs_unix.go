//go:build unix

package testbed

import "syscall"

// perJob estimates the descriptors that a case has open, and perHook those of each of its
// hooks, which may all run at a time.
const perJob, perHook = 32, 8

// mostJobs returns how many cases, which have up to that many hooks, may run at a time
// within the descriptor limit.
func mostJobs(hooks int) int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 1
	}
	return max(1, int(min(limit.Cur, 1<<20))/(perJob+perHook*hooks))
}
