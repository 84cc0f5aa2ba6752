package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
)

func TestLoadExtension(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "ext")
	write(t, filepath.Join(dir, "gemini-extension.json"), `{"name": "lint", "version": "1", "settings": [{"name": "Key", "envVar": "LINT_KEY"}, {"name": "URL", "envVar": "LINT_URL"}]}`)
	write(t, filepath.Join(dir, ".env"), "LINT_KEY=\"from $file\"\nLINT_URL=http://x\nOTHER=no\n")
	write(t, filepath.Join(dir, "hooks", "hooks.json"), `{
  "hooks": { // as in the manual
    "BeforeTool": [{"matcher": "write_file", "hooks": [
      {"name": "at ${workspacePath}", "type": "command",
       "command": "node \"${extensionPath}${/}dist${/}h.js\" $extensionPath ${LINT_KEY} ${pathSeparator}",
       "env": {"WS": "${workspacePath}", "LINT_KEY": "hook"}}]}]
  }
}`)
	s, err := config.LoadExtension(config.Extension{Dir: dir}, "/my ws", map[string]string{"LINT_URL": "http://y", "OTHER": "no"})
	require.NoError(t, err)
	assert.Empty(t, s.Problems)
	assert.Equal(t, []string{"2: a comment: Gemini CLI cannot read an extension's hooks with one"}, lines(s.Notes))
	assert.Equal(t, []hooks.Hook{{
		Event: protocol.BeforeTool, Name: "at /my ws", Matcher: "write_file",
		Command: `node "` + dir + `/dist/h.js" $extensionPath ${LINT_KEY} /`,
		Env:     map[string]string{"WS": "/my ws", "LINT_KEY": "from $file", "LINT_URL": "http://y"},
		Source:  hooks.Source{Layer: hooks.LayerExtension, File: filepath.Join(dir, "hooks", "hooks.json"), Line: 4, Extension: "lint"},
	}}, s.Hooks)
}

func TestAFoldersNameIsNeverACommand(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "ext")
	write(t, filepath.Join(dir, "gemini-extension.json"), `{"name": "x"}`)
	write(t, filepath.Join(dir, "hooks", "hooks.json"), `{"hooks": {"BeforeAgent": [{"hooks": [{"type": "command", "command": "ls \"${workspacePath}${/}a\""}]}]}}`)
	s, err := config.LoadExtension(config.Extension{Dir: dir}, "/tmp/$(touch owned)", nil)
	require.NoError(t, err)
	assert.Equal(t, `ls "${workspacePath}/a"`, s.Hooks[0].Command)
	assert.Equal(t, map[string]string{"workspacePath": "/tmp/$(touch owned)"}, s.Hooks[0].Env, "the shell fills it in")
}

func TestExtensionsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := config.LoadExtension(config.Extension{Dir: dir}, "/w", nil)
	require.ErrorIs(t, err, os.ErrNotExist)

	write(t, filepath.Join(dir, "gemini-extension.json"), `{"name": "a b"}`)
	_, err = config.LoadExtension(config.Extension{Dir: dir}, "/w", nil)
	require.ErrorContains(t, err, `"a b" is not a name for an extension`)

	write(t, filepath.Join(dir, "gemini-extension.json"), `{"name": "ok"}`)
	s, err := config.LoadExtension(config.Extension{Dir: dir}, "/w", nil)
	require.NoError(t, err)
	assert.Equal(t, config.Section{Layer: hooks.LayerExtension, File: filepath.Join(dir, "hooks", "hooks.json"), Extension: "ok"}, s)

	write(t, filepath.Join(dir, "hooks", "hooks.json"), "{\n]")
	_, err = config.LoadExtension(config.Extension{Dir: dir}, "/w", nil)
	require.ErrorContains(t, err, "hooks.json:2:1: ")
}

func TestFindExtensions(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	user, project, source := filepath.Join(base, "user"), filepath.Join(base, "project"), filepath.Join(base, "source")
	named := func(dir, name string) { write(t, filepath.Join(dir, "gemini-extension.json"), `{"name": "`+name+`"}`) }
	named(filepath.Join(user, "b"), "b")
	named(filepath.Join(user, "a"), "a")
	write(t, filepath.Join(source, "gemini-extension.json"), `{"name": "linked", "contextFileName": ["A.md", "B.md"]}`)
	write(t, filepath.Join(user, "c", ".gemini-extension-install.json"), `{"type": "link", "source": "`+source+`"}`)
	write(t, filepath.Join(user, "stray.txt"), "")
	write(t, filepath.Join(user, "broken", "gemini-extension.json"), "{")
	named(filepath.Join(project, "again"), "b")
	write(t, filepath.Join(user, "extension-enablement.json"), `{"a": {"overrides": ["/w/*", "!/w/secret/", "/other"]}}`)

	found, problems := config.FindExtensions("/w/secret", config.ExtensionRoots{User: user, Project: project, ProjectDir: filepath.Join(base, "none")})
	assert.Equal(t, []config.Extension{
		{Name: "a", Dir: filepath.Join(user, "a"), Off: "turned off in " + filepath.Join(user, "extension-enablement.json")},
		{Name: "b", Dir: filepath.Join(user, "b")},
		{Name: "linked", Dir: source, Context: []string{"A.md", "B.md"}, Source: source, SourceType: "link"},
		{Name: "b", Dir: filepath.Join(project, "again"), InProject: true, Off: "an extension of the same name is in " + filepath.Join(user, "b")},
	}, found)
	require.Len(t, problems, 1)
	assert.Contains(t, problems[0].Text, "gemini-extension.json:")

	for _, c := range []struct {
		rules, workspace string
		off              bool
	}{
		{`"!/w/*"`, "/w", true}, {`"!/w/*"`, "/w/deep/er", true}, {`"!/w/*"`, "/ww", false}, {`"!/w"`, "/w/x", false},
		{`"!/w/"`, "/w", true}, {`"!/*"`, "/w", true}, {`"!/*", "/w/*"`, "/w/x", false}, {`"/w/*", "!/w/*"`, "/w", true},
	} {
		write(t, filepath.Join(user, "extension-enablement.json"), `{"a": {"overrides": [`+c.rules+`]}}`)
		found, _ := config.FindExtensions(c.workspace, config.ExtensionRoots{User: user})
		assert.Equal(t, c.off, found[0].Off != "", "%s at %s", c.rules, c.workspace)
	}
}

// TestEnablementThatCannotBeUnderstood checks that it is a problem of its file, with
// the line.
func TestEnablementThatCannotBeUnderstood(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a": {"overrides": []}}`:     "",
		`{}`:                           "",
		`{"a": {"overrides": ["!/*"]}`: ":1:29: ",
		`[]`:                           " must hold an object, not an array",
		"{\n\"a\": [\"!/*\"]}":         `:2: "a" must be {"overrides": [...]}, an array of strings`,
		`{"a": {"overrides": "!/*"}}`:  `:1: "a" must be`,
		`{"a": {"overrides": [1]}}`:    `:1: "a" must be`,
		`{"a": {"overides": ["!/*"]}}`: `:1: "a" must be`,
		`{"a": {}}`:                    `:1: "a" must be`,
		`{"a": {"overrides": ["!/*"], "disabled": 1}}`: `:1: "a" must be`,
	} {
		user := t.TempDir()
		file := filepath.Join(user, config.EnablementFile)
		write(t, file, text)
		_, problems := config.FindExtensions("/w", config.ExtensionRoots{User: user})
		if want == "" {
			assert.Empty(t, problems, text)
		} else if assert.Len(t, problems, 1, text) {
			assert.Equal(t, file, problems[0].File)
			assert.Contains(t, problems[0].Text, file+want)
		}
	}
}

// TestExtensionsInsideTheProject checks that the project's extensions, and the user's
// extensions that link into it, count as the project's, and so do their hooks.
func TestExtensionsInsideTheProject(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	user, project := filepath.Join(base, "home", ".gemini", "extensions"), filepath.Join(base, "home", "p")
	roots := config.ExtensionRoots{User: user, Project: filepath.Join(project, ".gemini", "extensions"), ProjectDir: project}
	extension := func(dir, name string) string {
		write(t, filepath.Join(dir, "gemini-extension.json"), `{"name": "`+name+`"}`)
		write(t, filepath.Join(dir, "hooks", "hooks.json"), `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "`+name+`"}]}]}}`)
		return dir
	}
	extension(filepath.Join(user, "installed"), "installed")
	extension(filepath.Join(roots.Project, "brought"), "brought")
	write(t, filepath.Join(user, "out", ".gemini-extension-install.json"), `{"type": "link", "source": "`+extension(filepath.Join(base, "elsewhere"), "out")+`"}`)
	write(t, filepath.Join(user, "in", ".gemini-extension-install.json"), `{"type": "link", "source": "`+extension(filepath.Join(project, "in"), "in")+`"}`)
	require.NoError(t, os.Symlink(extension(filepath.Join(project, "symbolic"), "symbolic"), filepath.Join(user, "symbolic")))
	write(t, filepath.Join(roots.Project, "away", ".gemini-extension-install.json"), `{"type": "link", "source": "`+extension(filepath.Join(base, "away"), "away")+`"}`)

	found, problems := config.FindExtensions(project, roots)
	require.Empty(t, problems)
	got := map[string]bool{}
	for _, e := range found {
		s, err := config.LoadExtension(e, project, nil)
		require.NoError(t, err)
		require.Len(t, s.Hooks, 1)
		assert.Equal(t, e.InProject, s.Hooks[0].Source.OfProject(), e.Name)
		got[e.Name] = e.InProject
	}
	assert.Equal(t, map[string]bool{"installed": false, "out": false, "in": true, "symbolic": true, "brought": true, "away": true}, got)

	merged := config.Merge(config.Section{Layer: hooks.LayerUser, Hooks: []hooks.Hook{{Command: "user"}}},
		config.Section{Layer: hooks.LayerExtension, Hooks: []hooks.Hook{{Command: "installed"}}},
		config.Section{Layer: hooks.LayerExtension, InProject: true, Hooks: []hooks.Hook{{Command: "brought"}}},
		config.Section{Layer: hooks.LayerProject, Hooks: []hooks.Hook{{Command: "project"}}})
	var order []string
	for _, h := range merged.Hooks {
		order = append(order, h.Command)
	}
	assert.Equal(t, []string{"project", "brought", "user", "installed"}, order)
}
