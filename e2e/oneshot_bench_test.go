package e2e

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkOneShot measures the built binary from start to exit, beside what
// the machine takes to start a shell that does nothing.
//
//	go test -run '^$' -bench OneShot ./e2e/
func BenchmarkOneShot(b *testing.B) {
	b.Run("version", func(b *testing.B) { measure(b, nil, "--version") })
	b.Run("four-rounds-with-tools", func(b *testing.B) {
		script, err := filepath.Abs("testdata/reference/tools/model.responses")
		require.NoError(b, err)
		files := map[string]string{"notes.txt": "hello world\nsecond line\n", "src/a.go": "package a\n\nfunc A() int { return 1 }\n"}
		measure(b, files, "--skip-trust", "--yolo", "-m", "gemini-2.5-flash", "--fake-responses", script, "-p", "Change the greeting")
	})
	b.Run("one-round-over-http", func(b *testing.B) {
		server := startFakeAPI(b, textAnswers(b, "Hello there.", 10_000))
		h := newHome(b, nil)
		r := run{
			Args: []string{"--skip-trust", "-m", "gemini-2.5-flash", "-p", "hi"},
			Env:  server.env(),
		}
		repeat(b, h, r)
	})
	b.Run("yardstick-bash", func(b *testing.B) {
		for b.Loop() {
			require.NoError(b, exec.Command("bash", "-c", ":").Run())
		}
	})
}

func measure(b *testing.B, files map[string]string, args ...string) {
	b.Helper()
	// Each run starts from the same files: a script that edits them would not
	// find the second time what it found the first.
	var peak int64
	for b.Loop() {
		b.StopTimer()
		h := newHome(b, files)
		b.StartTimer()
		o := h.run(b, run{Args: args})
		require.Equal(b, 0, o.Code, o.Stderr)
		peak = max(peak, o.MaxRSS)
	}
	b.ReportMetric(float64(peak)/(1<<20), "peak-MiB")
}

func repeat(b *testing.B, h home, r run) {
	b.Helper()
	var peak int64
	for b.Loop() {
		o := h.run(b, r)
		require.Equal(b, 0, o.Code, o.Stderr)
		peak = max(peak, o.MaxRSS)
	}
	b.ReportMetric(float64(peak)/(1<<20), "peak-MiB")
}
