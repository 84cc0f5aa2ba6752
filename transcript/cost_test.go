package transcript

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"minigem/e2e/costtest"
)

// TestRecordsCostTheSame checks that a record allocates the same in a long file as in a
// short one, when it is written and when it is read. Not parallel: it counts what the
// process allocates.
func TestRecordsCostTheSame(t *testing.T) {
	sizes := []int{100, 1_000, 10_000}
	write := func(t *testing.T, n int) string {
		w, err := Create(filepath.Join(t.TempDir(), "s.jsonl"), meta("s"), nil)
		require.NoError(t, err)
		for i := range n {
			require.NoError(t, w.Append(userMessage(fmt.Sprint("u", i), "a prompt of some length"), Set{LastUpdated: t0}))
		}
		require.NoError(t, w.Close())
		return w.Path()
	}
	t.Run("written", func(t *testing.T) { costtest.Linear(t, func(n int) { write(t, n) }, sizes...) })
	files := map[int]string{}
	for _, n := range sizes {
		files[n] = write(t, n)
	}
	t.Run("read", func(t *testing.T) {
		costtest.Linear(t, func(n int) {
			f, err := Read(files[n])
			require.NoError(t, err)
			require.Len(t, f.Messages, n)
		}, sizes...)
	})
}
