//go:build linux && !amd64

package e2e

// namedChange returns false, because this architecture lacks the older system calls.
func namedChange(_, _ uint64) bool { return false }
