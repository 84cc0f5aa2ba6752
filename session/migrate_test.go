package session

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Data that older releases of Gemini CLI kept under the hash of the root is copied when
// the project gets its name, and only then.
func TestProjectOfOldRelease(t *testing.T) {
	t.Parallel()
	const root = "/work/Old Project"
	dir := t.TempDir()
	hash := Project{Root: root}.Hash()
	put := func(text string, path ...string) string {
		file := filepath.Join(append([]string{dir}, path...)...)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	session := put("a session", "tmp", hash, "chats", "session-2025-01-02T03-04-abc.json")
	put("a snapshot", "history", hash, "objects", "x")
	put(root, "tmp", "old-project", markerName) // an existing name
	put("half", "tmp", ".migrating-old-project", "chats", "half.json")

	p, err := OpenProject(dir, root)
	require.NoError(t, err)
	assert.Equal(t, "old-project", p.Slug)
	found, err := filepath.Glob(filepath.Join(p.Chats(), "*"))
	require.NoError(t, err)
	assert.Equal(t, []string{filepath.Join(p.Chats(), filepath.Base(session))}, found)
	assert.FileExists(t, filepath.Join(p.History, "objects", "x"))
	assert.FileExists(t, filepath.Join(p.Temp, markerName))
	assert.FileExists(t, session, "the old release finds its own")
	assert.NoDirExists(t, filepath.Join(dir, "tmp", ".migrating-old-project"))

	put("a later one", "tmp", hash, "chats", "session-2025-02-02T03-04-def.json")
	_, err = OpenProject(dir, root)
	require.NoError(t, err)
	found, err = filepath.Glob(filepath.Join(p.Chats(), "*"))
	require.NoError(t, err)
	assert.Len(t, found, 1)
}
