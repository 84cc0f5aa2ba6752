package testbed

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGoCaches: a case that needs go gets the caches of this machine, unless it sets its
// own. Other cases do not see them.
func TestGoCaches(t *testing.T) {
	t.Parallel()
	cache := filepath.Join(t.TempDir(), "go build")
	lookup := func(name string) (string, bool) {
		switch name {
		case "GOCACHE":
			return cache, true
		case "GOMODCACHE":
			return "", false
		}
		return os.LookupEnv(name)
	}
	caches := goCaches(t.TempDir(), lookup)
	require.Len(t, caches, 2)
	assert.Equal(t, "GOCACHE="+cache, caches[0])
	assert.Regexp(t, `^GOMODCACHE=.`, caches[1])
	assert.Empty(t, goCaches(t.TempDir(), func(string) (string, bool) { return "", false }), "there is no go")

	env := func(setup string) []string {
		c, err := Parse("case.txtar", []byte(setup+"prompt Hello\nmodel-requests 1\n-- settings.json --\n{}\n-- model --\ntext Hi.\n"))
		require.NoError(t, err)
		r := newRunner(c, Options{Lookup: lookup})
		require.NoError(t, r.prepare())
		t.Cleanup(func() { r.cleanUp(&Result{}) })
		return r.env
	}
	assert.Equal(t, caches, env("needs go\n"))
	assert.Equal(t, append(caches[:2:2], "GOCACHE=mine"), env("env GOCACHE=mine\nneeds go\n"))
	assert.Empty(t, env("needs bash\n"))
}
