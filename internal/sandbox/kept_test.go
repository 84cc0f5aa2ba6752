package sandbox

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestProtectedFilesStay checks that a kept file does not change, and is not replaced by
// moving away a folder above it.
func TestProtectedFilesStay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "a", "b", "settings.json")
	s := open(t, Options{Writable: []string{dir}, Kept: func() []string { return []string{file} }})
	if s.Partial() != "" {
		t.Skip("only where there are namespaces: ", s.Partial())
	}
	for _, line := range []string{
		"mv a x; mkdir -p a/b; echo evil > a/b/settings.json", "mv a/b a/x; mkdir a/b; echo evil > a/b/settings.json", "mv a/b/settings.json x; echo evil > a/b/settings.json",
		"rm -rf a; mkdir -p a/b; echo evil > a/b/settings.json", "echo evil > x; mv -f x a/b/settings.json", "ln -f /etc/hostname a/b/settings.json", "mkdir y; mv -T y a", "mkdir -p y/b; echo evil > y/b/settings.json; mv --exchange y a",
		"ln -s . up; mv up/a x; mkdir -p a/b; echo evil > a/b/settings.json", "umount " + file + "; echo evil > " + file, "mount --bind x " + file + "; echo evil > " + file,
	} {
		for _, old := range []string{"a", "x", "y", "up"} {
			require.NoError(t, os.RemoveAll(filepath.Join(dir, old)))
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte("good"), 0o644))
		out, _ := run(t, s, false, dir, line)
		text, err := os.ReadFile(file)
		require.NoError(t, err, "%s: %s", line, out)
		assert.Equal(t, "good", string(text), "%s: %s", line, out)
		out, code := run(t, s, false, dir, "echo new > a/b/other && mv a/b/other a/b/third")
		assert.Zero(t, code, "beside it all may change: %s", out)
	}
}
