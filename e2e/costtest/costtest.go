// Package costtest checks what work allocates as it grows.
package costtest

import (
	"runtime"
	"testing"

	"minigem/internal/thorough"
)

// Linear runs do with each of sizes, which ascend, and fails if one more item
// allocates over 1.5 times the bytes in the last step from size to size that it
// allocates in the step before. It counts what the whole process allocates, so a
// test that calls it is not parallel. It skips under the race detector, with which
// pools forget at random what they hold.
func Linear(t *testing.T, do func(n int), sizes ...int) {
	t.Helper()
	if thorough.Race {
		t.Skip("the race detector would falsify it: .ci/run runs it without")
	}
	do(sizes[0]) // what is made once
	var each []float64
	total := allocated(do, sizes[0])
	for i, n := range sizes[1:] {
		more := allocated(do, n)
		each, total = append(each, (more-total)/float64(n-sizes[i])), more
	}
	t.Logf("bytes for each more, between %d: %.0f", sizes, each)
	if last := len(each) - 1; each[last] > 1.5*each[last-1] {
		t.Errorf("one more of %d allocates more than one of %d", sizes[last+1], sizes[last])
	}
}

func allocated(do func(n int), n int) float64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	do(n)
	runtime.ReadMemStats(&after)
	return float64(after.TotalAlloc - before.TotalAlloc)
}
