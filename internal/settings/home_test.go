package settings

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFindHome tests every form of HOME and GEMINI_CLI_HOME, with minigem working in a
// project that a stranger may have written.
func TestFindHome(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	path := func(name string) string { return filepath.Join(top, name) }
	for _, dir := range []string{"project/.git", "project/sub/deep", "project/other", "home", "account", "loose"} {
		require.NoError(t, os.MkdirAll(path(dir), 0o755))
	}
	require.NoError(t, os.WriteFile(path("file"), nil, 0o600))
	require.NoError(t, os.Symlink("project", path("link")))
	type env map[string]string
	for _, c := range []struct {
		dir  string // minigem's working directory; empty means project
		env  env
		want Home   // names below top
		err  string // part of it
	}{
		{"", env{"HOME": path("home")}, Home{"home", "home"}, ""},
		{"", env{"HOME": path("home") + "/"}, Home{"home", "home"}, ""},
		{"", env{}, Home{"account", "account"}, ""},
		{"", env{"HOME": ""}, Home{"account", "account"}, ""},
		{"", env{"HOME": "."}, Home{"account", "account"}, ""},
		{"", env{"HOME": "home"}, Home{"account", "account"}, ""},
		{"", env{"HOME": "~"}, Home{"account", "account"}, ""},
		{"", env{"HOME": path("file")}, Home{"account", "account"}, ""},
		{"", env{"HOME": path("none")}, Home{"account", "account"}, ""},
		{"", env{"HOME": path("project")}, Home{"account", "account"}, ""},
		{"", env{"HOME": path("project/../project/")}, Home{"account", "account"}, ""},
		{"", env{"HOME": path("link")}, Home{"account", "account"}, ""},
		{"project/sub", env{"HOME": path("project")}, Home{"account", "account"}, ""},
		{"project/sub", env{"HOME": path("project/sub")}, Home{"account", "account"}, ""},
		{"project/sub/deep", env{"HOME": path("project/sub")}, Home{"account", "account"}, ""},
		{"project/sub/deep", env{"HOME": path("project/other")}, Home{"project/other", "project/other"}, ""},
		{"loose", env{"HOME": path("loose")}, Home{"account", "account"}, ""},
		{"account", env{"HOME": path("account")}, Home{"account", "account"}, ""},
		{"account", env{}, Home{"account", "account"}, ""},
		{"", env{"USERPROFILE": path("home")}, Home{"home", "home"}, ""},
		{"", env{"HOME": path("home"), "GEMINI_CLI_HOME": path("loose")}, Home{"loose", "home"}, ""},
		{"", env{"HOME": ".", "GEMINI_CLI_HOME": path("loose")}, Home{"loose", "account"}, ""},
		{"", env{"HOME": path("home"), "GEMINI_CLI_HOME": path("none")}, Home{"none", "home"}, ""},
		{"", env{"HOME": path("home"), "GEMINI_CLI_HOME": ""}, Home{"home", "home"}, ""},
		{"", env{"HOME": path("home"), "GEMINI_CLI_HOME": "."}, Home{}, `GEMINI_CLI_HOME does not count: "." is not an absolute path`},
		{"", env{"HOME": path("home"), "GEMINI_CLI_HOME": path("file")}, Home{}, "is not a folder"},
		{"", env{"HOME": path("home"), "GEMINI_CLI_HOME": path("project")}, Home{}, "is the project's folder"},
		{"", env{"HOME": path("home"), "GEMINI_CLI_HOME": path("link")}, Home{}, "is the project's folder"},
	} {
		dir := path("project")
		if c.dir != "" {
			dir = path(c.dir)
		}
		got, err := FindHome(lookupIn(c.env), dir, func() (string, error) { return path("account"), nil })
		if c.err != "" {
			assert.ErrorContains(t, err, c.err, "%v", c.env)
			continue
		}
		require.NoError(t, err, "%v", c.env)
		assert.Equal(t, Home{path(c.want.Dir), path(c.want.User)}, got, "%s %v", c.dir, c.env)
	}
}

// TestNoHome checks that there is an error rather than a guess if there is no home.
func TestNoHome(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, account := range map[string]func() (string, error){
		"none": nil, "fails": func() (string, error) { return "", errors.New("unknown userid 7") },
		"relative": func() (string, error) { return ".", nil }, "missing": func() (string, error) { return "/nonexistent", nil },
	} {
		for _, home := range []string{"", ".", dir} {
			_, err := FindHome(lookupIn(map[string]string{"HOME": home}), dir, account)
			assert.ErrorContains(t, err, "Set HOME (or GEMINI_CLI_HOME) to the absolute path of a folder of yours", "%s %q", name, home)
		}
	}
	other := t.TempDir()
	h, err := FindHome(lookupIn(map[string]string{"GEMINI_CLI_HOME": other}), dir, nil)
	require.NoError(t, err)
	assert.Equal(t, Home{other, other}, h)
}

func lookupIn(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := env[name]; return v, ok }
}
