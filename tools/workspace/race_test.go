//go:build unix

package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNotRegular(t *testing.T) {
	t.Parallel()
	w, root, _ := fixture(t)
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "fifo"), 0o644))
	_, err := w.ReadFile("fifo")
	assert.ErrorIs(t, err, fs.ErrInvalid)
	assert.Error(t, w.WriteFile("fifo", nil))
}

// TestSwapRaces swaps files and directories for links to the outside, and to
// protected names, while they are being read and written.
func TestSwapRaces(t *testing.T) {
	t.Parallel()
	w, root, outside := fixture(t)
	at := func(name string) string { return filepath.Join(root, name) }
	for _, d := range []string{"d", "real"} {
		require.NoError(t, os.Mkdir(at(d), 0o755))
		require.NoError(t, os.WriteFile(at(d+"/secret"), []byte("inside"), 0o644))
	}
	require.NoError(t, os.WriteFile(at("f"), []byte("inside"), 0o644))
	require.NoError(t, os.WriteFile(at(".env"), []byte("secret"), 0o644))
	links := map[string]string{"d": outside, "f": outside + "/secret", "f2": at(".env"), "d2": at(".git")}
	require.NoError(t, os.Rename(at("real"), at("d2")))
	require.NoError(t, os.WriteFile(at("f2"), []byte("inside"), 0o644))
	require.NoError(t, os.WriteFile(at(".git/secret"), []byte("secret"), 0o644))
	before := [][]string{listing(t, outside), listing(t, at(".git"))}

	deadline := time.Now().Add(700 * time.Millisecond)
	var all sync.WaitGroup
	for name, target := range links {
		all.Go(func() { swap(t, at(name), target, deadline) })
	}
	reads := make([]int, 2)
	for i := range reads {
		all.Go(func() {
			for time.Now().Before(deadline) {
				for _, name := range []string{"d/secret", "f", "f2", "d2/secret"} {
					if b, err := w.ReadFile(name); err == nil {
						assert.NotEqual(t, "secret", string(b), name)
						reads[i]++
					}
					_ = w.WriteFile(name, []byte("inside"))
					_ = w.MkdirAll(name + "x/y")
				}
			}
		})
	}
	all.Wait()
	assert.Equal(t, before, [][]string{listing(t, outside), listing(t, at(".git"))})
	secret, err := os.ReadFile(at(".env"))
	require.NoError(t, err)
	assert.Equal(t, "secret", string(secret))
	assert.Positive(t, reads[0]+reads[1], "some reads succeeded in between")
}

// swap replaces name by a link and removes it again.
func swap(t *testing.T, name, target string, deadline time.Time) {
	link, aside := name+".link", name+".aside"
	// A writer may have created the name while it was free.
	take := func(from string) bool {
		err := os.Rename(from, name)
		for err != nil && time.Now().Before(deadline.Add(time.Second)) {
			os.RemoveAll(name)
			err = os.Rename(from, name)
		}
		return assert.NoError(t, err)
	}
	for time.Now().Before(deadline) {
		if !assert.NoError(t, os.Symlink(target, link)) || !assert.NoError(t, os.Rename(name, aside)) || !take(link) {
			return
		}
		if os.Remove(name) != nil {
			os.RemoveAll(name)
		}
		if !take(aside) {
			return
		}
	}
}

// TestKeptIsWhatIsOpened checks that a write is judged by the path that is opened, too:
// the name may lead elsewhere while it is asked about.
func TestKeptIsWhatIsOpened(t *testing.T) {
	t.Parallel()
	w, root, _ := fixture(t)
	kept := filepath.Join(root, "kept")
	require.NoError(t, os.Mkdir(kept, 0o755))
	require.NoError(t, os.Symlink("kept", filepath.Join(root, "d")))
	w.Keep(func(path string) bool { return path == filepath.Join(kept, "x") }) // follows no link
	assert.ErrorIs(t, w.WriteFile("d/x", []byte("evil")), ErrKept)
	assert.NoFileExists(t, filepath.Join(kept, "x"))
}
