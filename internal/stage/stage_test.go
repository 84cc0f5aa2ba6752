package stage

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/filelock"
)

// TestChange checks that, after a kill at each step, there is only the old entry, or
// only the new one if the change was committed.
func TestChange(t *testing.T) {
	t.Parallel()
	steps := []struct {
		name string
		do   func(t *testing.T, c *Change)
	}{
		{"begun", func(*testing.T, *Change) {}},
		{"made", func(t *testing.T, c *Change) { require.NoError(t, os.Mkdir(c.Made(), 0o755)) }},
		{"written", func(t *testing.T, c *Change) {
			require.NoError(t, os.WriteFile(filepath.Join(c.Made(), "f"), []byte("new"), 0o600))
		}},
		{"old moved", func(t *testing.T, c *Change) {
			if err := os.Rename(filepath.Join(c.dir, "x"), filepath.Join(c.stage, "old", "x")); err != nil {
				require.NoError(t, os.Mkdir(filepath.Join(c.stage, "free", "x"), 0o755))
			}
		}},
		{"new moved", func(t *testing.T, c *Change) { require.NoError(t, os.Rename(c.Made(), filepath.Join(c.dir, "x"))) }},
		{"committed", func(t *testing.T, c *Change) { require.NoError(t, c.Commit()) }},
	}
	for _, there := range []bool{true, false} {
		for last := range steps {
			dir := t.TempDir()
			if there {
				require.NoError(t, os.Mkdir(filepath.Join(dir, "x"), 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(dir, "x", "f"), []byte("old"), 0o600))
			}
			c, err := Begin(dir)
			require.NoError(t, err)
			for _, s := range steps[:last+1] {
				s.do(t, c)
			}
			before := names(t, dir)
			Settle(dir)
			assert.Equal(t, before, names(t, dir), "%s: its process lives", steps[last].name)
			c.release() // simulates a kill
			Settle(dir)
			want, found := "old", []string{"x"}
			switch {
			case steps[last].name == "committed":
				want = "new"
			case !there:
				found = nil
			}
			require.Equal(t, found, names(t, dir), "%s, %v", steps[last].name, there)
			if found != nil {
				data, err := os.ReadFile(filepath.Join(dir, "x", "f"))
				require.NoError(t, err)
				assert.Equal(t, want, string(data), steps[last].name)
			}
		}
	}
}

// TestChangeEnds checks that what was put but not committed is undone, and that what
// was committed stays.
func TestChangeEnds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, commit := range []bool{false, true} {
		c, err := Begin(dir)
		require.NoError(t, err)
		require.NoError(t, os.Mkdir(c.Made(), 0o755))
		require.NoError(t, c.Put("x"))
		if commit {
			require.NoError(t, c.Commit())
		}
		c.End()
		assert.Len(t, names(t, dir), map[bool]int{false: 0, true: 1}[commit])
	}
}

// TestDropEnds checks that what was dropped but not committed is restored, unless
// something took its place after the kill.
func TestDropEnds(t *testing.T) {
	t.Parallel()
	for _, taken := range []bool{false, true} {
		dir := t.TempDir()
		file := filepath.Join(dir, "x", "f")
		require.NoError(t, os.Mkdir(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte("old"), 0o600))
		c, err := Begin(dir)
		require.NoError(t, err)
		require.NoError(t, c.Drop("x"))
		assert.NoFileExists(t, file)
		c.release()
		want := "old"
		if taken {
			want = "theirs"
			require.NoError(t, os.Mkdir(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, []byte(want), 0o600))
		}
		Settle(dir)
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, want, string(data))
		if taken {
			assert.FileExists(t, filepath.Join(c.stage, "old", "x", "f"), "the old one is kept, too")
		}
	}
}

// TestTemp checks that a process's folder stays while it lives, whatever else starts,
// and is removed once it is dead, and that locks of files in it are available.
func TestTemp(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	settle := func() { SettleNotes(parent, func(string) error { return nil }) }
	for _, other := range []string{"minigem-notes", "minigem-ABCDEFGHIJK1", "other-ABCDEFGHIJKL"} {
		require.NoError(t, os.Mkdir(filepath.Join(parent, other), 0o700))
	}
	require.NoError(t, os.WriteFile(filepath.Join(parent, "minigem-ABCDEFGHIJKL"), nil, 0o600))
	dir, remove, err := Note(parent, "t")
	require.NoError(t, err)
	lock := filelock.New(filepath.Join(dir, "settings.json"))
	free, err := lock.TryLock()
	require.NoError(t, err)
	assert.True(t, free)
	require.NoError(t, lock.Close())
	settle()
	assert.DirExists(t, dir, "its process lives")
	remove()
	assert.Len(t, names(t, parent), 4)

	require.NoError(t, os.MkdirAll(filepath.Join(parent, "minigem-QRSTUVWXYZ27", "t", "deep"), 0o700)) // of a dead process
	SettleNotes(parent, func(string) error { return os.ErrPermission })
	assert.Len(t, names(t, parent), 5, "what cannot be undone yet stays noted")
	settle()
	assert.Len(t, names(t, parent), 4)
}

// TestTempWhileSettling checks that no folder is removed while it is being made.
func TestTempWhileSettling(t *testing.T) {
	t.Parallel()
	parent, done := t.TempDir(), make(chan struct{})
	settle := func() { SettleNotes(parent, func(string) error { return nil }) }
	var settling sync.WaitGroup
	settling.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				settle()
			}
		}
	})
	for range 200 {
		dir, remove, err := Note(parent, "t")
		if err == nil { // otherwise five were settled in a row
			require.DirExists(t, dir)
			remove()
		}
	}
	close(done)
	settling.Wait()
}

// A name that someone else took after a kill stays theirs.
func TestSettleKeepsWhatIsNotItsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, err := Begin(dir)
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(c.Made(), 0o755))
	require.NoError(t, os.Mkdir(filepath.Join(c.stage, "free", "x"), 0o755))
	c.release()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "x"), 0o755))
	Settle(dir)
	assert.Equal(t, []string{"x"}, names(t, dir))
}

func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
