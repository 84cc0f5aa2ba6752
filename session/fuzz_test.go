package session_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"minigem/session"
)

// FuzzRegistry checks that, for any projects.json, a project gets a folder under
// .gemini, the same one again, and that another project gets another one.
func FuzzRegistry(f *testing.F) {
	for _, text := range []string{`{"projects":{"/a":"a","/b":"a"}}`, `null`, `{"projects":null}`, `{"projects":[]}`, `{"projects":{"/p":"../../x"}}`, `{"projects":{"/p":""},"more":[1]}`, `{`, ``, `{"projects":{"/p":"a/b","/q":"\u0000"}}`, `{"Projects":{"/p":".."}}`} {
		f.Add([]byte(text), "/p")
	}
	f.Fuzz(func(t *testing.T, data []byte, root string) {
		dir := t.TempDir()
		file := filepath.Join(dir, "projects.json")
		require.NoError(t, os.WriteFile(file, data, 0o600))
		root = filepath.Join("/", root)
		one, _ := session.OpenProject(dir, root) // the error names the file
		for _, path := range []string{one.Temp, one.History, one.Chats()} {
			rel, err := filepath.Rel(dir, path)
			require.NoError(t, err)
			require.True(t, filepath.IsLocal(rel), "%q", path)
		}
		require.Equal(t, one.Slug, filepath.Base(one.Temp), "one folder, not a way of several")
		again, err := session.OpenProject(dir, root)
		require.NoError(t, err)
		require.Equal(t, one, again)
		other, err := session.OpenProject(dir, root+"/x")
		require.NoError(t, err)
		require.NotEqual(t, one.Temp, other.Temp)
		now, err := os.ReadFile(file)
		require.NoError(t, err)
		require.True(t, json.Valid(now))
	})
}
