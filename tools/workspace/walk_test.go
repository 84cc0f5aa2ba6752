package workspace_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/tools/workspace"
	"minigem/tools/workspace/filetest"
)

// walked returns the paths of a walk, sorted.
func walked(t testing.TB, w *workspace.Workspace, dir string, how workspace.Walk) []string {
	t.Helper()
	var mu sync.Mutex
	paths := []string{}
	require.NoError(t, w.Walk(context.Background(), dir, how, func(e *workspace.Entry) error {
		mu.Lock()
		defer mu.Unlock()
		paths = append(paths, e.Path)
		return nil
	}))
	slices.Sort(paths)
	return paths
}

var forest = map[string]string{
	".git/config": "", ".gitignore": "*.log\nout/\n", ".env": "", "a": "", "b.log": "", "x/c": "", "x/y/d": "",
	"x/y/.gitignore": "e\n",
	"x/y/e":          "", "out/f": "", "node_modules/g": "", ".hidden/h": "", "vendor/i": "", "link": "-> a",
	"dirlink": "-> x", "away": "-> /",
}

func TestWalk(t *testing.T) {
	t.Parallel()
	w := open(t, filetest.Tree(t, forest))
	everyFile := []string{".gitignore", ".hidden/h", "a", "away", "b.log", "dirlink", "link", "out/f", "vendor/i", "x/c",
		"x/y/.gitignore", "x/y/d", "x/y/e"}
	for _, tt := range []struct {
		name string
		dir  string
		how  workspace.Walk
		want []string
	}{
		{"nothing ignored", "", workspace.Walk{}, everyFile},
		{"one worker", "", workspace.Walk{Workers: 1}, everyFile},
		{"many workers", "", workspace.Walk{Workers: 32}, everyFile},
		{"ignore files", "", workspace.Walk{Ignore: everything}, []string{".gitignore", ".hidden/h", "a", "away", "dirlink",
			"link", "vendor/i", "x/c", "x/y/.gitignore", "x/y/d"}},
		{"a subdirectory", "x/y", workspace.Walk{Ignore: everything}, []string{".gitignore", "d"}},
		{"an ignored directory", "out", workspace.Walk{Ignore: everything}, []string{}},
		{"skipped names", "", workspace.Walk{Ignore: everything, Skip: []string{"x", "vendor"}},
			[]string{".gitignore", ".hidden/h", "a", "away", "dirlink", "link"}},
		{"not entered", "", workspace.Walk{Enter: func(rel string) bool { return rel == "x" }},
			[]string{".gitignore", "a", "away", "b.log", "dirlink", "link", "x/c"}},
		{"through a link", "dirlink", workspace.Walk{Ignore: everything}, []string{"c", "y/.gitignore", "y/d"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, walked(t, w, tt.dir, tt.how))
		})
	}
}

func TestWalkTellsWhatIsIgnored(t *testing.T) {
	t.Parallel()
	w := open(t, filetest.Tree(t, forest))
	var mu sync.Mutex
	var got []string
	walked(t, w, "", workspace.Walk{Ignore: everything, Ignored: func(e *workspace.Entry) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, e.Path)
	}})
	assert.ElementsMatch(t, []string{"b.log", "x/y/e"}, got)
}

func TestWalkLargeFlatDirectory(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 500 {
		files[fmt.Sprintf("d/%03d", i)] = ""
	}
	assert.Len(t, walked(t, open(t, filetest.Tree(t, files)), "d", workspace.Walk{Workers: 4}), 500)
}

func TestWalkRefuses(t *testing.T) {
	t.Parallel()
	w := open(t, filetest.Tree(t, forest))
	visit := func(*workspace.Entry) error { t.Error("visited"); return nil }
	for dir, want := range map[string]error{"..": workspace.ErrOutside, "away": workspace.ErrOutside,
		".git": workspace.ErrOutside, "gone": fs.ErrNotExist} {
		assert.ErrorIs(t, w.Walk(context.Background(), dir, workspace.Walk{}, visit), want, dir)
	}
	assert.ErrorContains(t, w.Walk(context.Background(), "a", workspace.Walk{}, visit), "not a directory")
}

func TestWalkEnds(t *testing.T) {
	t.Parallel()
	w := open(t, filetest.Tree(t, forest))
	boom := errors.New("boom")
	assert.ErrorIs(t, w.Walk(context.Background(), "", workspace.Walk{}, func(*workspace.Entry) error { return boom }),
		boom)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	assert.ErrorIs(t, w.Walk(ctx, "", workspace.Walk{}, func(*workspace.Entry) error { return nil }), context.Canceled)

	ctx, cancel = context.WithCancel(context.Background())
	var n atomic.Int32
	err := w.Walk(ctx, "", workspace.Walk{Workers: 1}, func(*workspace.Entry) error { n.Add(1); cancel(); return nil })
	assert.ErrorIs(t, err, context.Canceled)
	assert.EqualValues(t, 1, n.Load())
}

func TestWalkSkipsWhatItMayNotRead(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	dir := filetest.Tree(t, map[string]string{"a": "", "shut/b": ""})
	require.NoError(t, os.Chmod(filepath.Join(dir, "shut"), 0))
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "shut"), 0o700) })
	assert.Equal(t, []string{"a"}, walked(t, open(t, dir), "", workspace.Walk{}))
}

func TestEntryOpen(t *testing.T) {
	t.Parallel()
	dir := filetest.Tree(t, map[string]string{"file": "content", "link": "-> file", "swapped": "x"})
	require.NoError(
		t, open(t, dir).Walk(context.Background(), "", workspace.Walk{Workers: 1}, func(e *workspace.Entry) error {
			switch e.Path {
			case "swapped":
				// A former file is now a link to the outside.
				require.NoError(t, os.Remove(filepath.Join(dir, e.Path)))
				require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, e.Path)))
			}
			f, size, err := e.Open()
			if e.Path != "file" {
				assert.Error(t, err, e.Path)
				return nil
			}
			require.NoError(t, err)
			defer f.Close()
			data, err := io.ReadAll(f)
			assert.Equal(t, "content", string(data))
			assert.EqualValues(t, 7, size)
			return err
		}))
}

// A directory that becomes a link to the outside between listing and entering, over and
// over, never lets the walk escape.
func TestWalkRace(t *testing.T) {
	t.Parallel()
	outside := filetest.Tree(t, map[string]string{"secret": "s"})
	files := map[string]string{"d/plain": "p"}
	for i := range 50 {
		files[fmt.Sprintf("a%02d/x", i)] = ""
	}
	dir := filetest.Tree(t, files)
	w := open(t, dir)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		d, aside := filepath.Join(dir, "d"), filepath.Join(dir, ".aside")
		for {
			select {
			case <-stop:
				return
			default:
			}
			os.Rename(d, aside)
			os.Symlink(outside, d)
			os.Remove(d)
			os.Rename(aside, d)
		}
	}()
	for range 60 {
		for _, p := range walked(t, w, "", workspace.Walk{}) {
			assert.NotContains(t, p, "secret")
		}
	}
	close(stop)
	<-stopped
}

// openFiles counts this process's open files.
func openFiles(t *testing.T) int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("needs /proc")
	}
	return len(entries)
}

func TestWalkClosesWhatItOpened(t *testing.T) { // not parallel: it counts
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("a/%d/b/%d/c", i, i)] = ""
	}
	w := open(t, filetest.Tree(t, files))
	walked(t, w, "", workspace.Walk{})
	before := openFiles(t)
	boom := errors.New("boom")
	for range 10 {
		walked(t, w, "", workspace.Walk{})
		require.ErrorIs(t, w.Walk(context.Background(), "", workspace.Walk{}, func(*workspace.Entry) error { return boom }),
			boom)
	}
	assert.LessOrEqual(t, openFiles(t), before) // the collector may have closed files of earlier tests
}

// BenchmarkWalk lists Go's own source tree, in comparison with ripgrep.
func BenchmarkWalk(b *testing.B) {
	src := goSource(b)
	w := open(b, src)
	b.Run("minigem", func(b *testing.B) {
		for b.Loop() {
			require.NotEmpty(b, walked(b, w, "", workspace.Walk{Ignore: everything}))
		}
	})
	b.Run("rg", func(b *testing.B) {
		rg, err := exec.LookPath("rg")
		if err != nil {
			b.Skip("needs ripgrep")
		}
		for b.Loop() {
			require.NoError(b, exec.Command(rg, "--files", src).Run())
		}
	})
}

// goSource returns the directory of the Go distribution's sources.
func goSource(b testing.TB) string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Skip("needs the go command")
	}
	dir, err := filepath.EvalSymlinks(filepath.Join(string(out[:len(out)-1]), "src"))
	require.NoError(b, err)
	return dir
}
