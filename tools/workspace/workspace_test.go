package workspace

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fixture is a workspace full of traps, and a directory next to it that must not be
// reachable.
func fixture(t testing.TB) (w *Workspace, root, outside string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("making symbolic links needs a privilege on Windows")
	}
	// The names are resolved, because a temporary directory may be a link itself.
	base, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	root, outside = filepath.Join(base, "project"), filepath.Join(base, "outside")
	for _, f := range []string{
		"project/a.txt", "project/sub/b.txt", "project/sub/deep/c.txt", "project/.git/config", "project/.env",
		"project/node_modules/m/index.js", "project/sub/node_modules/m.js", "project/gha-creds-1.json", "project/.env.example", "project/.env.local", "project/.gitignore",
		"outside/secret", "outside/dir/secret", "project-evil/secret",
	} {
		f = filepath.Join(base, f)
		require.NoError(t, os.MkdirAll(filepath.Dir(f), 0o755))
		require.NoError(t, os.WriteFile(f, []byte(filepath.Base(f)), 0o644))
	}
	for link, target := range map[string]string{
		"out": outside, "outfile": outside + "/secret", "dangling": outside + "/new", "danglingdir": outside + "/no/such/dir",
		"up": "..", "sub/upup": "../..", "relout": "../outside", "chain1": "chain2", "chain2": "sub/chain3", "sub/chain3": outside,
		"loop1": "loop2", "loop2": "loop1", "self": "self", "rootlink": "/", "proc": "/proc/self/root", "cwd": "/proc/self/cwd",
		"gitlink": ".git", "envlink": ".env", "modlink": "node_modules/m", "zigzag": "sub/../../outside", "viaup": "up/outside", "sub/.git": "deep",
		"here": "/proc/self/root" + root, "in": "sub/b.txt", "absin": root + "/sub", "dirin": "sub/deep", "sub/back": "../a.txt", "newin": "sub/new.txt", "zigzagin": "sub/../sub/deep",
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(root, link)))
	}
	w, err = New(root)
	require.NoError(t, err)
	return w, root, outside
}

// escapes are paths that leave the workspace or reach protected files in it. ROOT and
// OUT are replaced by the two directories.
var escapes = []string{
	// by name
	"..", "../", "../outside", "../outside/secret", "../project-evil/secret", "sub/../../outside/secret", "./../outside/secret",
	"sub/deep/../../../outside/secret", "../../../../../../../../etc/passwd", "..//outside/secret", "sub/./../.././outside/secret", "../project/../outside/secret",
	"a.txt/../../outside/secret", "nosuch/../../outside/secret",
	// absolute
	"/", "/etc/passwd", "OUT", "OUT/secret", "OUT/new", "ROOT/..", "ROOT/../outside/secret", "ROOT-evil/secret", "//etc/passwd", "/proc/self/environ", "/dev/null", "/tmp",
	// by links
	"out", "out/secret", "out/new", "out/dir/secret", "outfile", "dangling", "danglingdir", "danglingdir/x", "up", "up/outside/secret", "sub/upup", "sub/upup/outside/secret",
	"relout/secret", "chain1", "chain1/secret", "chain2/secret", "sub/chain3/secret", "rootlink/etc/passwd", "rootlink", "proc/etc/passwd", "zigzag/secret", "viaup/secret",
	"out/../outside/../../etc/passwd", "in/../../outside/secret",
	// dangling links
	"loop1", "loop2/x", "self",
	// protected
	".git", ".git/config", ".git/new", ".env", "node_modules", "node_modules/m/index.js", "sub/node_modules/m.js", "sub/../.git/config", "gha-creds-1.json", "gha-creds-new.json",
	".env.local", ".env.production", "sub/.env.test.local", ".env-old", ".env_ci", ".env~", ".env.bak", ".envrc", ".env.example.local", ".ENV.Local", "ENV~1.LOC", "ENVRC~1",
	"here/a.txt",
	"ROOT/.env", "sub/.git", "sub/.git/c.txt", "gitlink", "gitlink/config", "envlink", "modlink/index.js", "a/b/.git/c", "new/.env",
	// protected, spelled otherwise on some file system
	".GIT/config", ".Env", "Node_Modules/m/index.js", "GHA-CREDS-1.JSON", ".git./config", ".git /config", ".env.", ".env...", ".env ", ".env::$DATA", ".git:x/config", "git~1/config", "GIT~2/config", "env~1", "NODE_M~1/m", "GHA-CR~1.JSO", ".g\u200cit/config", "\ufeff.env", ".e\u200dnv",
	// not a name
	"a\x00b", "\x00", "out\x00/secret",
}

func TestEscapes(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, len(escapes), 60)
	w, root, outside := fixture(t)
	before := listing(t, filepath.Dir(root))
	for _, path := range escapes {
		path = strings.Replace(strings.Replace(path, "ROOT", root, 1), "OUT", outside, 1)
		_, err := w.Resolve(path)
		assert.Error(t, err, "Resolve %q", path)
		_, err = w.Real(path)
		assert.Error(t, err, "Real %q", path)
		_, err = w.ReadFile(path)
		assert.Error(t, err, "ReadFile %q", path)
		_, err = w.Stat(path)
		assert.Error(t, err, "Stat %q", path)
		_, err = w.ReadDir(path)
		assert.Error(t, err, "ReadDir %q", path)
		_, err = w.Snapshot(path, 0)
		assert.Error(t, err, "Snapshot %q", path)
		assert.Error(t, w.WriteFile(path, []byte("evil")), "WriteFile %q", path)
		assert.Error(t, w.Replace(Snapshot{Path: w.Abs(path)}, []byte("evil")), "Replace %q", path)
		assert.Error(t, w.MkdirAll(path), "MkdirAll %q", path)
		assert.Error(t, w.MkdirAll(path+"/x"), "MkdirAll %q", path)
	}
	assert.Equal(t, before, listing(t, filepath.Dir(root)), "nothing was written anywhere")
}

func listing(t testing.TB, dir string) (all []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		line := path
		if e.Type().IsRegular() {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += "=" + string(b)
		}
		all = append(all, line)
		return nil
	}))
	return all
}

func TestInside(t *testing.T) {
	t.Parallel()
	w, root, _ := fixture(t)
	for _, tt := range []struct{ path, abs, real, content string }{
		{"a.txt", "a.txt", "a.txt", "a.txt"},
		{"./sub//b.txt", "sub/b.txt", "sub/b.txt", "b.txt"},
		{"sub/../a.txt", "a.txt", "a.txt", "a.txt"},
		{"ROOT/sub/deep/c.txt", "sub/deep/c.txt", "sub/deep/c.txt", "c.txt"},
		{"../project/a.txt", "a.txt", "a.txt", "a.txt"},
		// links that stay inside keep their names
		{"in", "in", "sub/b.txt", "b.txt"},
		{"absin/b.txt", "absin/b.txt", "sub/b.txt", "b.txt"},
		{"dirin/c.txt", "dirin/c.txt", "sub/deep/c.txt", "c.txt"},
		{"sub/back", "sub/back", "a.txt", "a.txt"},
		{"zigzagin/c.txt", "zigzagin/c.txt", "sub/deep/c.txt", "c.txt"},
		{"up/project/a.txt", "up/project/a.txt", "a.txt", "a.txt"},
		// names that only resemble protected ones
		{".env.example", ".env.example", ".env.example", ".env.example"},
		{".gitignore", ".gitignore", ".gitignore", ".gitignore"},
	} {
		abs, err := w.Resolve(strings.Replace(tt.path, "ROOT", root, 1))
		require.NoError(t, err, tt.path)
		assert.Equal(t, filepath.Join(root, tt.abs), abs)
		real, err := w.Real(tt.path)
		if !strings.HasPrefix(tt.path, "ROOT") {
			require.NoError(t, err)
			assert.Equal(t, filepath.Join(root, tt.real), real)
		}
		b, err := w.ReadFile(abs)
		require.NoError(t, err, tt.path)
		assert.Equal(t, tt.content, string(b))
		info, err := w.Stat(abs)
		require.NoError(t, err)
		assert.Equal(t, int64(len(tt.content)), info.Size())
	}
	entries, err := w.ReadDir("sub/deep")
	require.NoError(t, err)
	assert.Len(t, entries, 1)
	for _, path := range []string{"", ".", root} {
		abs, err := w.Resolve(path)
		require.NoError(t, err)
		assert.Equal(t, root, abs)
		info, err := w.Stat(path)
		require.NoError(t, err)
		assert.True(t, info.IsDir())
	}
}

// Files in a read-only directory are not written, and missing ones are not created,
// even if the directory around it may be written.
func TestWritable(t *testing.T) {
	t.Parallel()
	w, root, _ := fixture(t)
	temp := filepath.Join(filepath.Dir(root), "tmp")
	require.NoError(t, os.MkdirAll(filepath.Join(temp, "chats"), 0o755))
	require.NoError(t, w.AddReadable(filepath.Join(temp, "chats"), filepath.Join(temp, "later")))
	require.NoError(t, w.AddTemp(temp))
	require.NoError(t, os.Symlink(filepath.Join(temp, "chats"), filepath.Join(root, "link")))
	for path, want := range map[string]bool{
		"a.txt": true, "new/x": true, temp + "/plans/x.md": true, temp + "/chatsx": true, temp + "/laterx": true,
		temp + "/chats/x": false, temp + "/chats": false, "link/x": false, temp + "/later/x": false, temp + "/plans/../later/x": false,
		".git/config": false, "/etc/x": false, "/proc/self/cwd/x": false,
	} {
		assert.Equal(t, want, w.Writable(path), path)
		if filepath.Base(path) == "x" || want {
			assert.Equal(t, want, w.WriteFile(path, nil) == nil, path)
		}
	}
}

// TestKeep checks that kept files are written by no operation, whatever links lead
// there.
func TestKeep(t *testing.T) {
	t.Parallel()
	w, root, _ := fixture(t)
	require.NoError(t, os.MkdirAll(filepath.Join(root, "kept"), 0o755))
	require.NoError(t, w.WriteFile("kept/a", []byte("old")))
	before, err := w.Snapshot("kept/a", 0)
	require.NoError(t, err)
	w.Keep(func(path string) bool { return strings.Contains(path, "/kept") })
	for name, err := range map[string]error{
		"write": w.WriteFile("kept/a", nil), "create": w.WriteFile("kept/b", nil), "replace": w.Replace(before, nil),
		"remove": w.Remove(before), "mkdir": w.MkdirAll("kept/c"),
	} {
		assert.ErrorIs(t, err, ErrKept, name)
	}
	now, err := w.Snapshot("kept/a", 0)
	require.NoError(t, err)
	assert.Equal(t, "old", string(now.Data))
	require.NoError(t, w.WriteFile("other", nil))
	w.Keep(nil)
	require.NoError(t, w.WriteFile("kept/a", nil))
}

func TestOutsideError(t *testing.T) {
	t.Parallel()
	w, root, outside := fixture(t)
	require.NoError(t, w.AddTemp(filepath.Join(root, "..", "tmp")))
	_, err := w.Resolve(outside)
	require.ErrorIs(t, err, ErrOutside)
	tmp := filepath.Join(filepath.Dir(root), "tmp")
	assert.Equal(t, &OutsideError{Path: outside, Dirs: []string{root}, Temp: []string{tmp}}, err)
	assert.Equal(t, `Path not in workspace: "`+outside+`" is outside the allowed directories: `+root+" or the project temp directory: "+tmp, err.Error())
	_, err = w.Resolve("sub/.ENV")
	assert.Equal(t, `Path not in workspace: "`+root+`/sub/.ENV" is protected (.ENV); allowed are other paths in `+root+" or the project temp directory: "+tmp, err.Error())
}

func TestDirectories(t *testing.T) {
	t.Parallel()
	w, root, outside := fixture(t)
	base := filepath.Dir(root)
	later, tmp := filepath.Join(base, "later"), filepath.Join(base, "node_modules", "tmp")
	require.NoError(t, w.Add(later))
	require.NoError(t, w.AddTemp(tmp))
	require.NoError(t, w.AddReadable(outside))
	assert.Equal(t, []string{root, later}, w.Dirs())
	assert.Equal(t, root, w.Root())
	// a directory that does not exist yet
	_, err := w.ReadDir(later)
	assert.Error(t, err)
	require.NoError(t, os.Mkdir(later, 0o755))
	require.NoError(t, w.WriteFile(filepath.Join(later, "x/y"), []byte("1")))
	// a link from one directory to another
	b, err := w.ReadFile("outfile")
	require.NoError(t, err)
	assert.Equal(t, "secret", string(b))
	// components above a directory do not count as protected
	require.NoError(t, os.MkdirAll(tmp, 0o755))
	require.NoError(t, w.WriteFile(filepath.Join(tmp, "x"), []byte("1")))
	// read only
	assert.ErrorIs(t, w.WriteFile(filepath.Join(outside, "secret"), []byte("evil")), fs.ErrPermission)
	assert.ErrorIs(t, w.MkdirAll(filepath.Join(outside, "evil")), fs.ErrPermission)
	assert.NoDirExists(t, filepath.Join(outside, "evil"))
}

func TestNew(t *testing.T) {
	t.Parallel()
	_, err := New(filepath.Join(t.TempDir(), "nosuch"))
	assert.ErrorContains(t, err, "opening workspace ")
	assert.ErrorIs(t, err, fs.ErrNotExist)
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	_, err = New(file)
	assert.Error(t, err)
}

// TestRootIsALink checks that results have the names that the user knows, and that both
// names are accepted.
func TestRootIsALink(t *testing.T) {
	t.Parallel()
	_, root, _ := fixture(t)
	link := root + "-link"
	require.NoError(t, os.Symlink(root, link))
	w, err := New(link)
	require.NoError(t, err)
	assert.Equal(t, link, w.Root())
	for _, path := range []string{"sub/b.txt", link + "/sub/b.txt", root + "/sub/b.txt"} {
		abs, err := w.Resolve(path)
		require.NoError(t, err)
		assert.Equal(t, "sub/b.txt", w.Rel(abs))
	}
	assert.Equal(t, "/etc", w.Rel("/etc"))
	assert.Equal(t, ".", w.Rel(link))
	// the handle pins the directory, so a new target changes nothing
	require.NoError(t, os.Remove(link))
	require.NoError(t, os.Symlink("/etc", link))
	_, err = w.ReadFile(link + "/passwd")
	assert.ErrorIs(t, err, ErrOutside)
}
