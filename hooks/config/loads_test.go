package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	hookconfig "minigem/hooks/config"
)

// TestLoadedFiles: a change of what a script is seen to load withholds its hook,
// and so does a file that takes the place of one; other edits do not.
func TestLoadedFiles(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"tools/guard.py": "import json\nimport lib, sys\nfrom pkg.deep import rule\nmain()\n", "tools/lib.py": "import more\n", "tools/more.py": "",
		"tools/pkg/__init__.py": "", "tools/pkg/deep.py": "", "tools/other.py": "", "main.py": "",
		"guard.sh": ". lib/common.sh\npython3 tools/guard.py\n", "lib/common.sh": "", "lib/notes.txt": "",
		"package.json":   `{"main": "index.js", "scripts": {"guard": "node tools/guard.js", "build": "node build.js"}}`,
		"tools/guard.js": "const r = require('./rules')\n", "tools/rules.js": "", "index.js": "", "build.js": "",
	}
	for _, c := range []struct{ command, change, want string }{
		{"python3 tools/guard.py", "tools/guard.py", "tools/guard.py"}, {"python3 tools/guard.py", "tools/lib.py", "tools/lib.py"},
		{"python3 tools/guard.py", "tools/more.py", "tools/more.py"}, {"python3 tools/guard.py", "tools/pkg/deep.py", "tools/pkg/deep.py"},
		{"python3 tools/guard.py", "tools/json.py", "tools/json.py"},
		{"python3 tools/guard.py", "tools/other.py", ""}, {"python3 tools/guard.py", "main.py", ""},
		{"python3 -m tools.guard", "tools/lib.py", "tools/lib.py"},
		{"sh guard.sh", "lib/common.sh", "lib/common.sh"}, {"sh guard.sh", "tools/lib.py", "tools/lib.py"}, {"sh guard.sh", "lib/notes.txt", ""},
		{"npm run -s guard", "tools/rules.js", "tools/rules.js"}, {"npm run -s guard", "package.json", "package.json"},
		{"npm run -s guard", "index.js", ""}, {"npm run -s guard", "build.js", ""}, {"[ -e seen ] || touch seen", "seen", ""},
	} {
		root := t.TempDir()
		for name, text := range files {
			write(t, filepath.Join(root, filepath.FromSlash(name)), text)
		}
		h := projectHook(c.command)
		w := hookconfig.NewWatch(root, hooks.Config{Hooks: []hooks.Hook{h}})
		require.Empty(t, w.Changed(h), c.command)
		write(t, filepath.Join(root, filepath.FromSlash(c.change)), "changed")
		var want []string
		if c.want != "" {
			want = []string{c.want}
		}
		assert.Equal(t, want, w.Changed(h), "%s, %s", c.command, c.change)
		w.Agreed = func(hooks.Hook) bool { return true }
		assert.Empty(t, w.Changed(h))
	}
}

// FuzzLoaded: whatever a script or package.json holds, what it loads is in the
// project, and reading that ends.
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
