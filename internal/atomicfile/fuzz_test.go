package atomicfile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzSweepJournals checks that, whatever a journal says, only files with a temporary
// name are removed.
func FuzzSweepJournals(f *testing.F) {
	for _, text := range []string{"files that are being written\nDIR/keep\nDIR/" + TempName() + "\n", "DIR/../x/" + TempName(), "\x00\n" + TempName() + "\nDIR\n", ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		temp := filepath.Join(dir, TempName())
		for _, name := range []string{filepath.Join(dir, "keep"), temp} {
			require.NoError(t, os.WriteFile(name, nil, 0o600))
		}
		text = strings.ReplaceAll(text, "DIR", dir) + "\n" + temp + "\n"
		journal := filepath.Join(dir, strings.TrimSuffix(TempName(), ".tmp")+journalSuffix)
		require.NoError(t, os.WriteFile(journal, []byte(text), 0o600))
		SweepJournals(dir)
		require.FileExists(t, filepath.Join(dir, "keep"))
		require.NoFileExists(t, temp)
		require.NoFileExists(t, journal)
	})
}
