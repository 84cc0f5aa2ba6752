// Package costtest checks how allocations grow with the amount of work.
package costtest

import (
	"runtime"
	"testing"

	"minigem/internal/thorough"
)

// Linear calls do with each of sizes, which must ascend. It fails if, in the last step
// between sizes, one more item allocates over 1.5 times the bytes of the step before. It
// counts the allocations of the whole process, so a test that calls it must not be
// parallel. It skips under the race detector, where pools drop their content at random.
func Linear(t *testing.T, do func(n int), sizes ...int) {
	t.Helper()
	if thorough.Race {
		t.Skip("the race detector would falsify it: .ci/run runs it without")
	}
	do(sizes[0]) // warm up: some things are allocated once
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
