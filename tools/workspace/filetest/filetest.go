// Package filetest makes the files that tests need.
package filetest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Tree writes files, by their slash-separated paths, to a new temporary directory, and
// returns its path without symbolic links. A name that ends in "/" makes a directory,
// content "-> x" a symbolic link to x. The directory is removed after the test.
func Tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, content := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			require.NoError(t, os.MkdirAll(file, 0o777))
			continue
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			require.NoError(t, os.Symlink(target, file))
			continue
		}
		require.NoError(t, os.WriteFile(file, []byte(content), 0o666))
	}
	return dir
}
