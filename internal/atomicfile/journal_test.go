package atomicfile

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a killed process was writing is found and removed. What a running one is writing
// stays.
func TestJournalOfKilledProcess(t *testing.T) {
	if dir := os.Getenv("ATOMICFILE_TEST_CHILD"); dir != "" {
		j := NewJournal(filepath.Join(dir, "journals"))
		for _, name := range []string{TempName(), "notes.txt"} { // the second must not be removed by a sweep
			path := filepath.Join(dir, "project", name)
			require.NoError(t, j.Add(path))
			require.NoError(t, os.WriteFile(path, []byte("half"), 0o600))
		}
		self, err := os.FindProcess(os.Getpid())
		require.NoError(t, err)
		require.NoError(t, self.Kill())
		select {}
	}
	t.Parallel()
	dir := t.TempDir()
	project, journals := filepath.Join(dir, "project"), filepath.Join(dir, "journals")
	require.NoError(t, os.Mkdir(project, 0o700))
	child := exec.Command(os.Args[0], "-test.run=^TestJournalOfKilledProcess$")
	child.Env = append(os.Environ(), "ATOMICFILE_TEST_CHILD="+dir)
	require.Error(t, child.Run(), "the child kills itself")
	require.Len(t, names(t, project), 2)

	living := NewJournal(journals)
	mine := filepath.Join(project, TempName())
	require.NoError(t, living.Add(mine))
	require.NoError(t, os.WriteFile(mine, nil, 0o600))

	SweepJournals(journals)
	assert.ElementsMatch(t, []string{"notes.txt", filepath.Base(mine)}, names(t, project))
	assert.Len(t, names(t, journals), 1)

	require.NoError(t, living.Close())
	assert.Empty(t, names(t, journals))
	require.NoError(t, living.Close(), "closing twice is harmless")
	require.NoError(t, living.Add(mine), "a closed one may be used again")
	require.NoError(t, living.Close())
	SweepJournals(journals)
	SweepJournals(filepath.Join(dir, "none"))
	assert.FileExists(t, mine)
}

func TestJournalWhereNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	j := NewJournal(filepath.Join(file, "journals"))
	require.ErrorContains(t, j.Add("/x/"+TempName()), "noting a file to be written")
	require.NoError(t, j.Close())
}
