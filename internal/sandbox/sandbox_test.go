package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/confine"
	"minigem/internal/proc"
)

// open skips the test if nothing can be confined.
func open(t testing.TB, o Options) *Sandbox {
	t.Helper()
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { assert.NoError(t, s.Close()) })
	return s
}

// run runs line in dir. If s is nil, it runs unconfined.
func run(t testing.TB, s *Sandbox, onlyReads bool, dir, line string, env ...string) (out string, code int) {
	t.Helper()
	c := proc.Command{Line: line, Dir: dir, Env: append(os.Environ(), env...), Merge: true, Out: proc.Limit{Head: 10_000}}
	switch {
	case s != nil && onlyReads:
		c.Rules = &confine.Rules{Write: []string{s.Temp()}}
	case s != nil:
		c.Confine = s.Confine
	}
	r, err := proc.Run(t.Context(), c)
	require.NoError(t, err)
	return string(r.Stdout.Bytes()), r.ExitCode
}

// folder makes a folder as described at ways.
func folder(t testing.TB, path string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(path, "sub"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(path, "old"), []byte("old"), 0o644))
	return path
}

// state describes a folder's contents, to compare folders, or before and after.
func state(t testing.TB, dir string) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := e.Info()
		require.NoError(t, err)
		fmt.Fprintln(&b, strings.TrimPrefix(path, dir), info.Mode(), attributes(path))
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			fmt.Fprintf(&b, "%s %q\n", info.ModTime(), text)
		}
		return nil
	}))
	return b.String()
}

// TestWaysOfWriting checks that each way changes files inside the writable folder and
// none outside, and that it does change files outside if it is not confined.
func TestWaysOfWriting(t *testing.T) {
	t.Parallel()
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			if _, err := proc.Look(w.needs); w.needs != "" && err != nil {
				t.Skip(err)
			}
			top := t.TempDir()
			root, extra, outside := filepath.Join(top, "root"), filepath.Join(top, "extra"),
				folder(t, filepath.Join(top, "outside"))
			kept := folder(t, filepath.Join(folder(t, root), "a", "kept"))
			s := open(t, Options{Writable: []string{folder(t, root), folder(t, extra)},
				Kept: func() []string { return []string{kept} }})
			temp := folder(t, filepath.Join(s.Temp(), "temp"))
			try := func(s *Sandbox, onlyReads bool, dir, in string) (changed bool, out string) {
				id := "new" + filepath.Base(t.TempDir())
				before := state(t, dir)
				out, _ = run(t, s, onlyReads, root, w.line, "D="+dir, "IN="+in, "ID="+id+filepath.Base(dir))
				return state(t, dir) != before, out
			}
			if s.Partial() == "" || !w.metadata() {
				for _, dir := range []string{outside, kept} {
					changed, out := try(s, false, dir, folder(t, extra))
					assert.False(t, changed, "%s was changed: %s", dir, out)
				}
			}
			changed, out := try(s, true, folder(t, extra), temp)
			assert.False(t, changed, "what only reads changed %s: %s", extra, out)
			for _, dir := range []string{folder(t, filepath.Join(root, "in")), folder(t, filepath.Join(extra, "in")), temp} {
				changed, out := try(s, false, dir, folder(t, extra))
				assert.Equal(t, !w.nowhere, changed, "%s: %s", dir, out)
			}
			changed, out = try(nil, false, outside, folder(t, extra))
			assert.True(t, changed, "without a sandbox %s is not changed either: %s", outside, out)
		})
	}
}

// metadata reports whether a way changes no contents and no names. Landlock alone does
// not check such changes.
func (w way) metadata() bool {
	return strings.HasPrefix(w.line, "chmod") || strings.HasPrefix(w.line, "setfattr") ||
		strings.HasPrefix(w.line, "touch -d")
}
