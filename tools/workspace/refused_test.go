package workspace

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRefused(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{
		"src/a.go": "a", "src/deep/b.go": "b", "src/.hidden": "h", "secret/.env.production": "S=1", "shown/.env.example": "S=", "kept/private.txt": "p", "kept/open.txt": "o",
		".geminiignore": "private.txt\n", "plain/.git/config": "[core]\n", "token/.git/config": "[http]\n\textraheader = x\n", "url/.git/config": "url = https://u:p@h/x\n",
		"modules/.git/modules/m/config": "", "packages/node_modules/m/.env": "S=1", "linked/a": "a", "odd/-x": "x", "odd/y": "y",
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
	}
	require.NoError(t, os.Symlink("/etc", filepath.Join(root, "linked/out")))
	require.NoError(t, os.Symlink("../kept/open.txt", filepath.Join(root, "linked/in")))
	require.NoError(t, os.Mkdir(filepath.Join(root, "many"), 0o755))
	w, err := New(root)
	require.NoError(t, err)
	for _, c := range []struct {
		path string
		r    Reach
		want string
	}{
		{"src/a.go", Reach{}, ""}, {"new", Reach{}, ""}, {"/etc/passwd", Reach{}, "/etc/passwd"}, {"linked/out/passwd", Reach{}, "linked/out/passwd"}, {"linked/in", Reach{}, ""},
		{"secret/.env.production", Reach{}, "secret/.env.production"}, {"shown/.env.example", Reach{}, ""}, {"kept/private.txt", Reach{}, "kept/private.txt"}, {"plain/.git/config", Reach{}, "plain/.git/config"},
		{"secret", Reach{Names: true}, ""}, {"linked/out", Reach{Names: true}, "linked/out"}, {"packages/node_modules", Reach{Names: true}, ""},
		{"src", Reach{Below: true}, ""}, {"secret", Reach{Below: true}, "secret/.env.production"}, {"secret", Reach{Below: true, Visible: true}, ""}, {"shown", Reach{Below: true}, ""},
		{"kept", Reach{Below: true}, "kept/private.txt"}, {"kept", Reach{Below: true, Visible: true}, "kept/private.txt"}, {"plain", Reach{Below: true}, ""}, {"token", Reach{Below: true}, "token/.git"},
		{"url", Reach{Below: true}, "url/.git"}, {"modules", Reach{Below: true}, "modules/.git"}, {"packages", Reach{Below: true}, ""}, {"linked", Reach{Below: true}, ""},
		{"linked", Reach{Below: true, Links: true}, "linked/out"},
		{"src/*", Reach{Pattern: true}, ""}, {"src/*.go", Reach{Pattern: true}, ""}, {"secret/*", Reach{Pattern: true}, ""}, {"secret/.e*", Reach{Pattern: true}, "secret/.env.production"},
		{"secret/.e[n]v*", Reach{Pattern: true}, "secret/.env.production"}, {"*/private.txt", Reach{Pattern: true}, "kept/private.txt"}, {"li*/ou?/passwd", Reach{Pattern: true}, "linked/out/passwd"},
		{"odd/*", Reach{Pattern: true}, "-x, which looks like an option"}, {"nothing*", Reach{Pattern: true}, ""}, {"*", Reach{Pattern: true, Below: true}, "kept/private.txt"},
	} {
		path := c.path
		if !filepath.IsAbs(path) {
			path = filepath.Join(root, path)
		}
		assert.Equal(t, c.want, w.Refused(path, c.r, Ignore{Gemini: true}), "%s %+v", c.path, c.r)
	}
	for i := range maxEntries/10 + 1 {
		require.NoError(t, os.WriteFile(filepath.Join(root, "many", fmt.Sprint(i)), nil, 0o644))
	}
	assert.Equal(t, tooMany, w.Refused(filepath.Join(root, "many"), Reach{Below: true}, Ignore{Gemini: true}))
	assert.Empty(t, w.Refused(filepath.Join(root, "many"), Reach{Below: true}, Ignore{}))
}
