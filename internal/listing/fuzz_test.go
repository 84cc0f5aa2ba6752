package listing

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzPastRuns checks that no more runs are counted than a session's file has lines
// that report hooks.
func FuzzPastRuns(f *testing.F) {
	f.Add([]byte(`{"minigem":{"hook":{"event":"BeforeTool","ran":["a","b","a"],"effect":"deny","ms":5}}}` + "\n" + `{"minigem":{"hook":null}}` + "\n"))
	f.Add([]byte(`{"minigem":{"hook":{"hook":{"ran":5}}}}`))
	f.Add([]byte("\n\x00"))
	file := filepath.Join(f.TempDir(), "s.jsonl")
	f.Fuzz(func(t *testing.T, data []byte) {
		require.NoError(t, os.WriteFile(file, data, 0o600))
		past := map[ranHook]pastRun{}
		readPastRuns(file, past)
		runs := 0
		for _, p := range past {
			runs += p.Runs
			require.NotEmpty(t, p.Last)
		}
		require.LessOrEqual(t, runs, len(data))
		if !bytes.Contains(data, []byte(`{"minigem":{"hook":`)) {
			require.Empty(t, past)
		}
	})
}
