package builtin

import (
	"bytes"
	"os/exec"
	"testing"
	"time"
)

// BesideRipgrep measures ours beside ripgrep with args, taking turns, so that
// what else the machine does meets both. ripgrep's output is read into memory,
// where ours is too. It reports the fastest of each and how they compare.
func BesideRipgrep(b *testing.B, ours func(), args ...string) {
	rg, err := exec.LookPath("rg")
	if err != nil {
		b.Skip("needs ripgrep")
	}
	var out bytes.Buffer
	yardstick := func() {
		out.Reset()
		cmd := exec.Command(rg, args...)
		cmd.Stdout = &out
		_ = cmd.Run() // exit code 1: no match
	}
	var best, rgBest time.Duration
	b.ReportAllocs()
	for b.Loop() {
		best = fastest(best, ours)
		b.StopTimer()
		rgBest = fastest(rgBest, yardstick)
		b.StartTimer()
	}
	b.ReportMetric(float64(best.Microseconds())/1000, "best-ms")
	b.ReportMetric(float64(rgBest.Microseconds())/1000, "rg-best-ms")
	b.ReportMetric(float64(best)/float64(rgBest), "x-rg")
}

// fastest is the smaller of best, 0 being none, and the time of one run.
func fastest(best time.Duration, run func()) time.Duration {
	start := time.Now()
	run()
	if took := time.Since(start); best == 0 || took < best {
		return took
	}
	return best
}
