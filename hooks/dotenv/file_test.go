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
	for _, c := range []struct { // each takes precedence over those above it
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
		assert.Equal(t, File{Path: c.file, Vars: c.vars}, got)
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

// TestWhatRunsCode checks that variables that make programs run code are accepted only
// from the home directory, and reported from elsewhere.
func TestWhatRunsCode(t *testing.T) {
	t.Parallel()
	home, project := t.TempDir(), t.TempDir()
	text := "PLAIN=1\n"
	var names []string
	for _, name := range []string{
		"BASH_ENV", "ENV", "NODE_OPTIONS", "PYTHONPATH", "PYTHONSTARTUP", "PERL5OPT", "PERL5LIB", "RUBYOPT", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES",
		"GIT_CONFIG_GLOBAL", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_SSH_COMMAND", "npm_config_script_shell", "BASH_FUNC_ls", "bash_env",
		"JAVA_TOOL_OPTIONS", "GOFLAGS", "PATH", "HOME",
	} {
		names, text = append(names, name), text+name+"=x\n"
	}
	for _, name := range []string{".env", ".gemini/.env"} {
		for _, dir := range []string{home, project} {
			file := filepath.Join(dir, filepath.FromSlash(name))
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		}
		got, err := Find(Options{Home: home, Dir: project, Trusted: true})
		require.NoError(t, err)
		assert.Equal(t, []Var{{"PLAIN", "1"}}, got.Vars, name)
		assert.Equal(t, names, got.Refused)
		got, err = Find(Options{Home: home, Dir: project})
		require.NoError(t, err)
		assert.Len(t, got.Vars, len(names)+1, name)
		assert.Empty(t, got.Refused)
	}
	for _, name := range []string{"ENVIRONMENT", "LDAP_URL", "NODE_ENV", "GITHUB_TOKEN", "GIT_AUTHOR_NAME", "PYTHONUNBUFFERED", "DOTNET_ENVIRONMENT", "DATABASE_URL", "#", ""} {
		assert.False(t, runsCode(name), name)
	}
}
