package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkOneShot measures the built binary from start to exit, and for comparison a
// shell that does nothing. In addition to the mean it reports the fastest run and the CPU
// time, which depend less on other work of the machine, and the highest peak of memory.
// docs/PERFORMANCE.md has numbers.
//
//	go test -run '^$' -bench OneShot -benchtime 50x ./e2e/
func BenchmarkOneShot(b *testing.B) {
	b.Run("version", func(b *testing.B) {
		h := newHome(b, nil)
		measure(b, func() (home, run) { return h, run{Args: []string{"--version"}} })
	})
	b.Run("four-rounds-with-tools", func(b *testing.B) {
		script, err := filepath.Abs("testdata/reference/tools/model.responses")
		require.NoError(b, err)
		files := map[string]string{"notes.txt": "hello world\nsecond line\n", "src/a.go": "package a\n\nfunc A() int { return 1 }\n"}
		args := []string{"--skip-trust", "--yolo", "-m", "gemini-2.5-flash", "--fake-responses", script, "-p", "Change the greeting"}
		// Each run starts from the same files, because a script that edits them would not
		// find the same content twice.
		measure(b, func() (home, run) { return newHome(b, files), run{Args: args} })
	})
	b.Run("one-round-over-http", func(b *testing.B) {
		server := startFakeAPI(b, textAnswers(b, "Hello there.", 10_000))
		h := newHome(b, nil)
		r := run{Args: []string{"--skip-trust", "-m", "gemini-2.5-flash", "-p", "hi"}, Env: server.env()}
		measure(b, func() (home, run) { return h, r })
	})
	b.Run("yardstick-bash", func(b *testing.B) { measureBash(b, "", ":", 1) })
}

// BenchmarkCases measures 200 cases with one hook each, and for comparison the start of
// the 200 hooks alone.
//
//	go test -run '^$' -bench Cases -benchtime 10x ./e2e/
func BenchmarkCases(b *testing.B) {
	files := map[string]string{
		"settings.json": `{"hooks": {"BeforeTool": [{"matcher": "write_file", "hooks": [{"command": "$GEMINI_PROJECT_DIR/guard.sh", "name": "guard", "type": "command"}]}]}}`,
		"guard.sh":      "#!/bin/sh\necho '{\"decision\": \"deny\", \"reason\": \"no notes\"}'\n",
	}
	for i := range 200 {
		files[fmt.Sprintf("tests/c%d.txtar", i)] = `use ../settings.json .gemini/settings.json
use ../guard.sh guard.sh
prompt Write the notes
fired BeforeTool guard decision=deny times=1
! exists notes.txt
-- model --
call write_file {"file_path": "notes.txt", "content": "hello"}

text I may not.
`
	}
	h := newHome(b, files)
	b.Run("200-cases", func(b *testing.B) {
		measure(b, func() (home, run) { return h, run{Args: []string{"hooks", "test", "tests"}} })
	})
	b.Run("yardstick-200-hooks", func(b *testing.B) { measureBash(b, h.workspace, "./guard.sh", 200) })
}

// measureBash runs a line as hooks are run, times times.
func measureBash(b *testing.B, dir, line string, times int) {
	b.Helper()
	best, cpu := time.Duration(1<<62), time.Duration(0)
	for b.Loop() {
		start := time.Now()
		for range times {
			cmd := exec.Command("bash", "-c", line)
			cmd.Dir = dir
			require.NoError(b, cmd.Run())
			cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		}
		best = min(best, time.Since(start))
	}
	reportTimes(b, best, cpu)
}

// measure runs what next returns, as often as b requires.
func measure(b *testing.B, next func() (home, run)) {
	b.Helper()
	best, cpu, peak := time.Duration(1<<62), time.Duration(0), int64(0)
	for b.Loop() {
		b.StopTimer()
		h, r := next()
		b.StartTimer()
		o := h.run(b, r)
		require.Equal(b, 0, o.Code, o.Stderr)
		best, cpu, peak = min(best, o.Elapsed), cpu+o.CPU, max(peak, o.MaxRSS)
	}
	reportTimes(b, best, cpu)
	b.ReportMetric(float64(peak)/(1<<20), "peak-MiB")
}

func reportTimes(b *testing.B, best, cpu time.Duration) {
	b.Helper()
	b.ReportMetric(best.Seconds()*1e3, "best-ms")
	b.ReportMetric(cpu.Seconds()*1e3/float64(b.N), "cpu-ms/op")
}
