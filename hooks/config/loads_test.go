package config_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	hookconfig "minigem/hooks/config"
)

// TestLoadedFiles checks that a hook is withheld if a file that its script loads
// changes, or if a new file takes precedence over one. Other edits do not withhold it.
func TestLoadedFiles(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"tools/guard.py": "import json\nimport lib, sys\nfrom pkg.deep import rule\nmain()\n",
		"tools/lib.py":   "import more\n", "tools/more.py": "",
		"tools/pkg/__init__.py": "", "tools/pkg/deep.py": "", "tools/other.py": "", "main.py": "",
		"guard.sh": ". lib/common.sh\npython3 tools/guard.py\n", "lib/common.sh": "", "lib/notes.txt": "",
		"package.json":   `{"main": "index.js", "scripts": {"guard": "node tools/guard.js", "build": "node build.js"}}`,
		"tools/guard.js": "const r = require('./rules')\n", "tools/rules.js": "", "index.js": "", "build.js": "",
	}
	for _, c := range []struct{ command, change, want string }{
		{"python3 tools/guard.py", "tools/guard.py", "tools/guard.py"},
		{"python3 tools/guard.py", "tools/lib.py", "tools/lib.py"},
		{"python3 tools/guard.py", "tools/more.py", "tools/more.py"},
		{"python3 tools/guard.py", "tools/pkg/deep.py", "tools/pkg/deep.py"},
		{"python3 tools/guard.py", "tools/json.py", "tools/json.py"},
		{"python3 tools/guard.py", "tools/other.py", ""}, {"python3 tools/guard.py", "main.py", ""},
		{"python3 -m tools.guard", "tools/lib.py", "tools/lib.py"},
		{"sh guard.sh", "lib/common.sh", "lib/common.sh"}, {"sh guard.sh", "tools/lib.py", "tools/lib.py"},
		{"sh guard.sh", "lib/notes.txt", ""},
		{"npm run -s guard", "tools/rules.js", "tools/rules.js"}, {"npm run -s guard", "package.json", "package.json"},
		{"npm run -s guard", "index.js", ""}, {"npm run -s guard", "build.js", ""}, {"[ -e seen ] || touch seen", "seen", ""},
	} {
		root := t.TempDir()
		for name, text := range files {
			write(t, filepath.Join(root, filepath.FromSlash(name)), text)
		}
		h := projectHook(c.command)
		w := hookconfig.NewWatch(root, hooks.Config{Hooks: []hooks.Hook{h}})
		require.Empty(t, w.Changed(t.Context(), h), c.command)
		write(t, filepath.Join(root, filepath.FromSlash(c.change)), "changed")
		var want []string
		if c.want != "" {
			want = []string{c.want}
		}
		assert.Equal(t, want, w.Changed(t.Context(), h), "%s, %s", c.command, c.change)
		w.Agreed = func(hooks.Hook) bool { return true }
		assert.Empty(t, w.Changed(t.Context(), h))
	}
}

// FuzzLoaded checks that the files loaded by any script or package.json are in the
// project, and that the search ends.
func FuzzLoaded(f *testing.F) {
	f.Add("import lib\n. ./lib.sh\nsource ../../x.py", `{"scripts": {"guard": "node a.js"}}`)
	f.Fuzz(func(t *testing.T, script, packages string) {
		root := t.TempDir()
		write(t, filepath.Join(root, "guard.py"), script)
		write(t, filepath.Join(root, "lib.py"), script)
		write(t, filepath.Join(root, "package.json"), packages)
		for _, command := range []string{"python3 guard.py", "npm run guard"} {
			for _, file := range hookconfig.Scripts(projectHook(command), root) {
				assert.True(t, strings.HasPrefix(file, root), file)
			}
		}
	})
}

// TestAskedOnceAboutAChange checks that an answer holds for the files as they were
// shown, and that without an answer the hook does not run.
func TestAskedOnceAboutAChange(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	guard, lib := filepath.Join(root, "guard.sh"), filepath.Join(root, "lib.sh")
	write(t, guard, "#!/bin/sh\n. ./lib.sh\n")
	write(t, lib, "one")
	h := projectHook("sh guard.sh")
	w := hookconfig.NewWatch(root, hooks.Config{Hooks: []hooks.Hook{h}})
	asked, answer, meanwhile := 0, false, ""
	w.Ask = func(_ context.Context, _ hooks.Hook, files []string) bool {
		asked++
		assert.Equal(t, []string{"lib.sh"}, files)
		if meanwhile != "" {
			write(t, lib, meanwhile)
		}
		return answer
	}
	changed := func() []string { return w.Changed(t.Context(), h) }
	assert.Empty(t, changed())
	write(t, lib, "two")
	assert.Equal(t, []string{"lib.sh"}, changed())
	assert.Equal(t, []string{"lib.sh"}, changed())
	assert.Equal(t, 1, asked, "a no holds")
	write(t, lib, "three")
	answer, meanwhile = true, "four"
	assert.Equal(t, []string{"lib.sh"}, changed(), "it is not what was shown any more")
	meanwhile = ""
	assert.Empty(t, changed())
	assert.Empty(t, changed())
	assert.Equal(t, 3, asked, "a yes holds")
	write(t, lib, "five")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	assert.Equal(t, []string{"lib.sh"}, w.Changed(ended, h))
	assert.Empty(t, changed(), "what was cancelled was no answer")
	assert.Equal(t, 5, asked)
}
