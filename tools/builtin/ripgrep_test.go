package builtin

import (
	"bytes"
	"os/exec"
	"testing"
	"time"
)

// BesideRipgrep measures ours and ripgrep with args in turn, so that both meet the same
// conditions. ripgrep's output is read into memory if ours is too. It reports the
// fastest run of each and their ratio.
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
		_ = cmd.Run() // exit code 1 means no match
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

// fastest returns the smaller of best, where 0 means none, and the time of one run.
func fastest(best time.Duration, run func()) time.Duration {
	start := time.Now()
	run()
	if took := time.Since(start); best == 0 || took < best {
		return took
	}
	return best
}
