package oauth

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzFile checks that a file of any content is either rejected and left as it is, or
// extended without losing others' entries.
func FuzzFile(f *testing.F) {
	f.Add([]byte(`[{"serverName": "docs", "token": {"accessToken": "a"}, "mcpServerUrl": "https://x"}]`))
	f.Add([]byte(`[{"serverName": "other", "token": {"accessToken": 1}}, null, 2, "x", [], {"serverName": {}}]`))
	f.Add([]byte(`{}`))
	f.Add([]byte(``))
	f.Fuzz(func(t *testing.T, data []byte) {
		store := Store{Path: filepath.Join(t.TempDir(), FileName)}
		require.NoError(t, os.WriteFile(store.Path, data, 0o600))
		c := credentials{ServerName: "docs", ServerURL: "https://x", Token: token{AccessToken: "new"}}
		others, broken := store.without("docs")
		if err := store.put(c); broken != nil {
			require.Error(t, err)
			after, err := os.ReadFile(store.Path)
			require.NoError(t, err)
			assert.Equal(t, data, after)
			return
		}
		found, err := store.find("docs", "https://x")
		require.NoError(t, err)
		require.Equal(t, &c, found)
		after, err := store.read()
		require.NoError(t, err)
		require.Len(t, after, len(others)+1)
		for i := range others {
			assert.JSONEq(t, string(others[i]), string(after[i]))
		}
		require.NoError(t, store.remove("docs"))
		again, err := store.without("docs")
		require.NoError(t, err)
		assert.Len(t, again, len(others))
		assert.True(t, len(others) == 0 || json.Valid(again[0]))
	})
}
