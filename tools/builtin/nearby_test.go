package builtin

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/tools"
)

// TestNearby: the four tools that touch files tell what is near them, in what
// the model reads alone.
func TestNearby(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ws := project(t, dir, map[string]string{"sub/a.txt": "one\n", "sub/p.png": "\x89PNG"})
	var touched []string
	o := everything(t, ws)
	o.Nearby = func(path string) string {
		touched = append(touched, path)
		return "near " + filepath.Base(path)
	}
	var r tools.Registry
	r.Add(all(t, o)...)
	for _, tt := range []struct {
		tool string
		args args
		ends string // of what the model reads
		path string // asked about
	}{
		{"read_file", args{"file_path": "sub/a.txt"}, "one\n\n\nnear a.txt", "sub/a.txt"},
		{"list_directory", args{"dir_path": "sub"}, "\n\nnear sub", "sub"},
		{"replace", args{"file_path": "sub/a.txt", "old_string": "one", "new_string": "two", "instruction": "i"}, "two\n\n\nnear a.txt", "sub/a.txt"},
		{"write_file", args{"file_path": "sub/b.txt", "content": "b\n"}, "b\n\n\nnear b.txt", "sub/b.txt"},
		{"glob", args{"pattern": "**"}, "", ""},
		{"read_file", args{"file_path": "sub/none.txt"}, "", ""},
		{"read_file", args{"file_path": "sub/p.png"}, "", ""},
	} {
		touched = nil
		res, failed := call(t, r.Lookup(tt.tool), tt.args)
		if tt.path == "" {
			assert.Empty(t, touched, tt.tool)
			continue
		}
		require.Nil(t, failed, tt.tool)
		assert.Equal(t, []string{filepath.Join(dir, tt.path)}, touched, tt.tool)
		assert.Regexp(t, tt.ends+"$", llm.PartsText(res.Parts), tt.tool)
		assert.NotContains(t, fmt.Sprint(res.Display), "near", tt.tool)
	}
	inv, err := r.Lookup("write_file").Prepare(args{"file_path": "sub/a.txt", "content": "x"})
	require.NoError(t, err)
	require.Implements(t, (*tools.Modifiable)(nil), inv, "the user can still edit what is written")
}
