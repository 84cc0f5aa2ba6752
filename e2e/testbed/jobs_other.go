//go:build !unix

package testbed

import "math"

// mostJobs is how many cases may run at a time: nothing limits descriptors.
func mostJobs() int { return math.MaxInt }
