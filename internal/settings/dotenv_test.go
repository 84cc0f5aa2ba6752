package settings

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParseEnv(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []Var
	}{
		{"A=1", []Var{{"A", "1"}}},
		{"A=1\r\nB=2\rC=3\n", []Var{{"A", "1"}, {"B", "2"}, {"C", "3"}}},
		{"\xef\xbb\xbfA=1", []Var{{"A", "1"}}},
		{"  export A = 1  ", []Var{{"A", "1"}}},
		{"exportA=1", []Var{{"exportA", "1"}}},
		{"A: 1", []Var{{"A", "1"}}},
		{"A:1", nil},
		{"A=", []Var{{"A", ""}}},
		{"A.b-c=1", []Var{{"A.b-c", "1"}}},
		// Comments
		{"# A=1\nB=2 # two", []Var{{"B", "2"}}},
		{"A='x # y' # z", []Var{{"A", "x # y"}}},
		// Quotes
		{"A='a b'", []Var{{"A", "a b"}}},
		{`A="a\nb"`, []Var{{"A", "a\nb"}}},
		{`A='a\nb'`, []Var{{"A", `a\nb`}}},
		{"A=`it's \"so\"`", []Var{{"A", `it's "so"`}}},
		{"A=\"one\ntwo\"\nB=3", []Var{{"A", "one\ntwo"}, {"B", "3"}}},
		{"A=\"open\nB=3", []Var{{"A", `"open`}, {"B", "3"}}},
		{`A={"k":"v"}`, []Var{{"A", `{"k":"v"}`}}},
		// Nothing is expanded
		{"A=p$x${y}w", []Var{{"A", "p$x${y}w"}}},
		// Twice
		{"A=1\nB=2\nA=3", []Var{{"B", "2"}, {"A", "3"}}},
		// Nothing
		{"", nil}, {"just text", nil}, {"=1", nil}, {"A", nil},
	} {
		assert.Equal(t, c.want, ParseEnv(c.text), "%q", c.text)
	}
}

func TestLoadEnvTakesTheFirstFile(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	home, work := filepath.Join(root, "home"), filepath.Join(root, "project", "sub")
	at := func(parts ...string) string { return filepath.Join(append([]string{root}, parts...)...) }
	set := map[string]string{"SET": "already"}
	options := EnvOptions{
		Home: home, Dir: work, Trusted: true, Excluded: []string{"DEBUG"},
		Lookup: func(k string) (string, bool) { v, ok := set[k]; return v, ok },
	}
	got, err := LoadEnv(options)
	require.NoError(t, err)
	assert.Equal(t, EnvFile{}, got)

	const text = "DEBUG=1\nSET=x\nK=v"
	all, project := []Var{{"DEBUG", "1"}, {"K", "v"}}, []Var{{"K", "v"}}
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
		got, err := LoadEnv(options)
		require.NoError(t, err)
		assert.Equal(t, EnvFile{c.file, c.vars}, got)
	}

	untrusted := options
	untrusted.Trusted = false
	local := options
	local.IgnoreLocal = true
	for _, o := range []EnvOptions{untrusted, local} {
		got, err := LoadEnv(o)
		require.NoError(t, err)
		assert.Equal(t, at("home", ".gemini", ".env"), got.Path)
	}

	require.NoError(t, os.Remove(at("project", "sub", ".gemini", ".env")))
	require.NoError(t, os.MkdirAll(at("project", "sub", ".gemini", ".env"), 0o755))
	got, err = LoadEnv(options)
	require.NoError(t, err)
	assert.Equal(t, at("project", "sub", ".env"), got.Path, "a folder of that name is passed over")
}
