package atomicfile

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Files that a killed process was writing are found and removed, even those written
// during the kill. Files of a living process stay.
func TestJournalOfKilledProcess(t *testing.T) {
	if dir := os.Getenv("ATOMICFILE_TEST_CHILD"); dir != "" {
		t.Chdir(filepath.Join(dir, "project"))
		for _, name := range []string{TempName(), "notes.txt"} { // the second must not be removed by a sweep
			Announce(name)
			require.NoError(t, os.WriteFile(name, []byte("half"), 0o600))
		}
		_ = replace("relative.txt", 0o600, func(*os.File) error {
			self, err := os.FindProcess(os.Getpid())
			require.NoError(t, err)
			require.NoError(t, self.Kill())
			select {}
		})
	}
	t.Parallel()
	dir := t.TempDir()
	project, journals := filepath.Join(dir, "project"), filepath.Join(dir, "journals")
	require.NoError(t, os.Mkdir(project, 0o700))
	require.NoError(t, os.Mkdir(journals, 0o700))
	child := exec.Command(os.Args[0], "-test.run=^TestJournalOfKilledProcess$")
	child.Env = append(os.Environ(), "ATOMICFILE_TEST_CHILD="+dir, "TMPDIR="+journals, "TMP="+journals)
	require.Error(t, child.Run(), "the child kills itself")
	require.Len(t, names(t, project), 3)

	living := journal{dir: journals}
	mine := filepath.Join(project, TempName())
	done := living.add(mine)
	require.NoError(t, os.WriteFile(mine, nil, 0o600))

	SweepJournals(journals)
	assert.ElementsMatch(t, []string{"notes.txt", filepath.Base(mine)}, names(t, project))
	assert.Len(t, names(t, journals), 1)

	second := living.add(mine)
	done()
	assert.Len(t, names(t, journals), 1, "something is still being written")
	second()
	assert.Empty(t, names(t, journals))
	third := living.add(mine) // it begins again
	assert.Len(t, names(t, journals), 1)
	third()
	SweepJournals(journals)
	SweepJournals(filepath.Join(dir, "none"))
	assert.FileExists(t, mine)
}

// If there can be no journal, files are still written.
func TestJournalWhereNothingCanBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	j := journal{dir: filepath.Join(file, "journals")}
	j.add("/x/" + TempName())()
	assert.Nil(t, j.file)
}

// TestJournalWhileWriting: parallel sweeps and writers lose no file, and leave nothing
// behind.
func TestJournalWhileWriting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	journals := filepath.Join(dir, "journals")
	require.NoError(t, os.Mkdir(journals, 0o700))
	done := make(chan struct{})
	var sweeper, writers sync.WaitGroup
	sweeper.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				SweepJournals(journals)
			}
		}
	})
	for range 4 {
		j := &journal{dir: journals} // of a process
		for range 2 {
			writers.Go(func() {
				for range 20 {
					temp := filepath.Join(dir, TempName())
					end := j.add(temp)
					assert.NoError(t, os.WriteFile(temp, nil, 0o600))
					assert.NoError(t, os.Remove(temp), "it was swept while it was written")
					end()
				}
			})
		}
	}
	writers.Wait()
	close(done)
	sweeper.Wait()
	SweepJournals(journals)
	assert.Empty(t, names(t, journals))
	assert.Len(t, names(t, dir), 1)
}

// What a process adds to its journal and leaves after a sweep has looked at it is removed
// by that sweep, too: the journal is gone then, and no later one would find it.
func TestSweepOfWhatIsAddedMeanwhile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	temp, path := filepath.Join(dir, TempName()), filepath.Join(dir, ".minigem-1"+journalSuffix)
	require.NoError(t, os.WriteFile(path, []byte("files that are being written\n"), 0o600))
	sweep(path, func() {
		require.NoError(t, os.WriteFile(temp, []byte("half"), 0o600))
		require.NoError(t, os.WriteFile(path, []byte("files that are being written\n"+temp+"\n"), 0o600))
	})
	assert.Empty(t, names(t, dir))
}
