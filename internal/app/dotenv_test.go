package app

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/command"
)

// interpreters lists variables that make shells, interpreters, loaders and common tools
// take code or settings from elsewhere.
var interpreters = strings.Fields(`
	PATH HOME IFS ENV BASH_ENV BASHOPTS SHELLOPTS PS4 CDPATH GLOBIGNORE TMPDIR LANG LC_ALL LOCPATH ZDOTDIR SHELL TERMINFO
	LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES GCONV_PATH NLSPATH HOSTALIASES RES_OPTIONS MALLOC_CHECK_
	PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONUSERBASE PYTHONPLATLIBDIR PYTHONWARNINGS PYTHONBREAKPOINT PYTHONINSPECT PYTHONEXECUTABLE PYTHONCASEOK PYTHONPYCACHEPREFIX VIRTUAL_ENV
	PERL5LIB PERLLIB PERL5OPT PERL5DB RUBYLIB RUBYOPT GEM_HOME GEM_PATH BUNDLE_GEMFILE NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_V8_COVERAGE DENO_DIR BUN_CONFIG
	JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH LUA_PATH LUA_CPATH LUA_INIT PHPRC PHP_INI_SCAN_DIR R_PROFILE TCLLIBPATH JQ_LIBRARY_PATH AWKPATH AWKLIBPATH DOTNET_STARTUP_HOOKS GOFLAGS
	GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_CONFIG_GLOBAL GIT_CONFIG_COUNT GIT_EXEC_PATH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_PAGER GIT_ALTERNATE_OBJECT_DIRECTORIES
	EDITOR VISUAL PAGER LESSOPEN MANPAGER BROWSER GREP_OPTIONS GREP_COLORS RIPGREP_CONFIG_PATH CURL_HOME WGETRC OPENSSL_CONF SSL_CERT_FILE HTTPS_PROXY MAKEFLAGS
	GITHUB_SHA SURFACE GUARD_OFF GUARD_TOKEN`)

// TestAProjectsEnvIsTheProjects checks that hooks of the user, the system and the
// user's extensions get the environment as it would be without the project's .env file
// and settings, whatever those set. The project's own hooks get the project's.
func TestAProjectsEnvIsTheProjects(t *testing.T) {
	t.Parallel()
	var lines string
	for _, name := range interpreters {
		lines += name + "=evil\n"
	}
	own := []string{"PATH=/usr/bin", "LANG=C", "GUARD_TOKEN=real", "BLOCKED_BY_PROJECT=1"}
	for _, c := range []struct {
		name  string
		files map[string]string // the project's files
	}{
		{"an empty .env", map[string]string{".env": ""}},
		{"every variable", map[string]string{".env": lines}},
		{"in .gemini", map[string]string{".gemini/.env": lines}},
		{"above the project's root", map[string]string{"../.env": lines}},
		{"settings that redact", map[string]string{".env": lines, ".gemini/settings.json": `{"security": {"environmentVariableRedaction": {"enabled": true, "blocked": ["PATH", "BLOCKED_BY_PROJECT"]}}}`}},
		{"settings that exclude", map[string]string{".gemini/settings.json": `{"advanced": {"excludedEnvVars": ["USERS"]}}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			home, project := filepath.Join(dir, "home"), filepath.Join(dir, "work", "p")
			put(t, filepath.Join(home, ".env"), "USERS=mine\n")
			put(t, filepath.Join(project, ".git", "HEAD"), "")
			env := append(slices.Clone(own), "HOME="+home)
			without := configured(t, project, env)
			for name, text := range c.files {
				put(t, filepath.Join(project, name), text)
			}
			with := configured(t, project, env)
			assert.Equal(t, without.Env, with.Env)
			assert.Contains(t, with.Env, "USERS=mine")
			if text := c.files[".env"]; text == lines && len(c.files) == 1 {
				assert.Contains(t, with.ProjectEnv, "TMPDIR=evil")
				assert.NotContains(t, with.ProjectEnv, "PATH=evil", "the environment wins")
			}
		})
	}
}

type environments struct{ Env, ProjectEnv []string }

func configured(t *testing.T, dir string, env []string) environments {
	t.Helper()
	sys := &System{Dir: dir, Env: env, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard}
	c, err := Configure(sys, &Options{SkipTrust: true})
	require.NoError(t, err)
	r := c.HookRunner(nil)["command"].(command.Runner)
	return environments{r.Env, r.ProjectEnv}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
}

func TestHooksThatNameAVariableOfTheProject(t *testing.T) {
	t.Parallel()
	names := []string{"TEAM", "OTHER"}
	assert.Equal(t, "TEAM", namedBy(hooks.Hook{Command: `x "${TEAM:-a}"`}, names))
	assert.Equal(t, "OTHER", namedBy(hooks.Hook{Command: "x", Env: map[string]string{"A": "$OTHER"}}, names))
	assert.Empty(t, namedBy(hooks.Hook{Command: "TEAM=1 x"}, names))
}

// TestWhatIsKeptFromHooksIsReported checks that a user's hook is named if it uses a
// variable of the project and does not get it.
func TestWhatIsKeptFromHooksIsReported(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	project := filepath.Join(dir, "p")
	put(t, filepath.Join(dir, "home", ".gemini", "settings.json"), `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "name": "guard", "command": "check $TEAM"}]}]}}`)
	put(t, filepath.Join(project, ".git", "HEAD"), "")
	put(t, filepath.Join(project, ".env"), "TEAM=x\n")
	sys := &System{Dir: project, Env: []string{"HOME=" + filepath.Join(dir, "home")}, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard}
	c, err := Configure(sys, &Options{SkipTrust: true})
	require.NoError(t, err)
	assert.Contains(t, strings.Join(c.Notices, "\n"), `the hook "guard" names TEAM, which the project's .env sets`)
}
