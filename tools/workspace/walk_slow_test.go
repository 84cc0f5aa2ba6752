package workspace_test

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/thorough"
	"minigem/tools/workspace"
	"minigem/tools/workspace/filetest"
)

// slowly returns what a walk should visit, and what it should leave out because of
// ignore files, by checking each path separately.
func slowly(t *testing.T, w *workspace.Workspace, dir string, ig workspace.Ignore) (visited, ignored []string) {
	start := filepath.Join(w.Root(), dir)
	require.NoError(t, filepath.WalkDir(start, func(file string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		if file == start {
			return nil
		}
		ign, err := w.Ignorer(filepath.Dir(file), ig)
		require.NoError(t, err)
		out := ign.Ignored(d.Name(), d.IsDir())
		rel, err := filepath.Rel(start, file)
		require.NoError(t, err)
		switch {
		case d.IsDir() && (out || workspace.Protected(d.Name()) != ""):
			return fs.SkipDir
		case d.IsDir(), workspace.Protected(d.Name()) != "":
		case out:
			ignored = append(ignored, filepath.ToSlash(rel))
		default:
			visited = append(visited, filepath.ToSlash(rel))
		}
		return nil
	}))
	slices.Sort(visited)
	slices.Sort(ignored)
	return visited, ignored
}

// randomForest makes a tree with everything that is difficult for walks: ignore files
// at every depth, links instead of files, directories and ignore files, nested
// repositories, protected and hidden names, and names that are not UTF-8.
func randomForest(rnd *rand.Rand) map[string]string {
	pick := func(from ...string) string { return from[rnd.IntN(len(from))] }
	files := map[string]string{}
	if rnd.IntN(4) > 0 {
		files[".git/info/exclude"] = pick("", "a\n", "/d/b\n", "*.go\n")
	}
	for range 60 {
		dir := ""
		for range rnd.IntN(4) {
			dir += pick("d", "e", "f.d", ".h", "node_modules", "G", "\u00e4", "x\xff") + "/"
		}
		rules := ""
		for range rnd.IntN(4) {
			rules += pick("", "!", "/") + pick("a", "*.go", "d/", "d/*", "**/e", "d/**", ".h", "[ab]", "e/a", "ob*") + "\n"
		}
		switch rnd.IntN(12) {
		case 0:
			files[dir+".gitignore"] = rules
		case 1:
			files[dir+"rules"], files[dir+".gitignore"] = rules, "-> rules"
		case 2:
			files[dir+".gitignore"] = "-> /etc/passwd"
		case 3:
			files[dir+".git/HEAD"] = ""
		case 4:
			files[".geminiignore"] = rules
		case 5:
			files[dir+"l"+pick("1", "2")] = "-> " + pick("a", "../d", "/etc", "nowhere")
		default:
			files[dir+pick("a", "b", "c.go", "object", ".env", ".ENV", "gha-creds-1.json", "go\u200c.go", ".gi\u200ct", "\xfe",
				"Z", "_")] = ""
		}
	}
	return files
}

func TestWalkAgreesWithAskingForEachPath(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(5, 6))
	for round := range thorough.Times(5, 15) {
		files := randomForest(rnd)
		dir, err := filepath.EvalSymlinks(t.TempDir())
		require.NoError(t, err)
		plant(dir, files)
		roots := []string{dir}
		for _, sub := range []string{"d", "d/e"} {
			if info, err := os.Lstat(filepath.Join(dir, sub)); err == nil && info.IsDir() {
				roots = append(roots, filepath.Join(dir, sub)) // a workspace below the repository
			}
		}
		for _, root := range roots {
			w := open(t, root)
			for _, ig := range []workspace.Ignore{everything, {}, {Git: true}, {Gemini: true, Custom: []string{"a", "d/b"}}} {
				for _, start := range []string{"", "d", "e/d"} {
					if info, err := w.Stat(start); err != nil || !info.IsDir() {
						continue
					}
					want, wantIgnored := slowly(t, w, start, ig)
					var gotIgnored []string
					got := walked(t, w, start, workspace.Walk{Ignore: ig, Workers: 1, Ignored: func(e *workspace.Entry) {
						gotIgnored = append(gotIgnored, e.Path)
					}})
					slices.Sort(gotIgnored)
					about := fmt.Sprintf("round %d, %s, start %q, %+v", round, strings.TrimPrefix(root, dir), start, ig)
					require.Equal(t, append([]string{}, want...), got, about)
					require.Equal(t, wantIgnored, gotIgnored, about)
				}
			}
		}
	}
}

// plant writes files in dir. Existing files that are in the way stay.
func plant(dir string, files map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		content := files[name]
		file := filepath.Join(dir, filepath.FromSlash(name))
		_ = os.MkdirAll(filepath.Dir(file), 0o777)
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			_ = os.Symlink(target, file)
		} else {
			_ = os.WriteFile(file, []byte(content), 0o666)
		}
	}
}

func TestEntryModTime(t *testing.T) {
	t.Parallel()
	dir := filetest.Tree(t, map[string]string{"file": "x", "link": "-> file", "gone": ""})
	seen := 0
	require.NoError(t, open(t, dir).Walk(t.Context(), "", workspace.Walk{Workers: 1}, func(e *workspace.Entry) error {
		seen++
		if e.Path == "gone" {
			require.NoError(t, os.Remove(filepath.Join(dir, e.Path)))
			_, err := e.ModTime()
			assert.EqualError(t, err, "stat gone: no such file or directory")
			return nil
		}
		info, err := os.Lstat(filepath.Join(dir, e.Path))
		require.NoError(t, err)
		got, err := e.ModTime()
		assert.True(t, info.ModTime().Equal(got), e.Path)
		return err
	}))
	assert.Equal(t, 3, seen)
}
