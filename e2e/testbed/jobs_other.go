//go:build !unix

package testbed

import "math"

// mostJobs returns how many cases may run at a time. Descriptors are not limited.
func mostJobs(int) int { return math.MaxInt }
