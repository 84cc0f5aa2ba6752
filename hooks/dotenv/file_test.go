package dotenv

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFindTakesTheFirstFile(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	home, work := filepath.Join(root, "home"), filepath.Join(root, "project", "sub")
	at := func(parts ...string) string { return filepath.Join(append([]string{root}, parts...)...) }
	set := map[string]string{"SET": "already"}
	options := Options{
		Home: home, Dir: work, Trusted: true, Excluded: []string{"DEBUG"},
		Lookup: func(k string) (string, bool) { v, ok := set[k]; return v, ok },
	}
	got, err := Find(options)
	require.NoError(t, err)
	assert.Equal(t, File{}, got)

	const text = "DEBUG=1\nSET=x\nK=v"
	all, project := []Var{{Name: "DEBUG", Value: "1"}, {Name: "K", Value: "v"}}, []Var{{Name: "K", Value: "v"}}
	for _, c := range []struct { // each comes before those above it
		file string
		vars []Var
	}{
		{at("home", ".env"), project},
		{at("home", ".gemini", ".env"), all},
		{at("project", ".env"), project},
		{at("project", ".gemini", ".env"), all},
		{at("project", "sub", ".env"), project},
		{at("project", "sub", ".gemini", ".env"), all},
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(c.file), 0o755))
		require.NoError(t, os.WriteFile(c.file, []byte(text), 0o644))
		got, err := Find(options)
		require.NoError(t, err)
		assert.Equal(t, File{c.file, c.vars}, got)
	}

	untrusted := options
	untrusted.Trusted = false
	local := options
	local.IgnoreLocal = true
	for _, o := range []Options{untrusted, local} {
		got, err := Find(o)
		require.NoError(t, err)
		assert.Equal(t, at("home", ".gemini", ".env"), got.Path)
	}

	require.NoError(t, os.Remove(at("project", "sub", ".gemini", ".env")))
	require.NoError(t, os.MkdirAll(at("project", "sub", ".gemini", ".env"), 0o755))
	got, err = Find(options)
	require.NoError(t, err)
	assert.Equal(t, at("project", "sub", ".env"), got.Path, "a folder of that name is passed over")
}
