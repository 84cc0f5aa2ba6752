package builtin

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/tools"
)

// TestNearby checks that the four tools that touch files report what is near them, only
// in the text for the model.
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
		ends string // the end of the text for the model
		path string // the path that was asked about
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
}

// TestNearbyHidesNothing checks that a wrapped call implements every optional interface
// of invocations that the original implements.
func TestNearbyHidesNothing(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../tools.go")
	require.NoError(t, err)
	is := map[string]func(tools.Invocation) bool{
		"Streamer":   func(i tools.Invocation) bool { _, ok := i.(tools.Streamer); return ok },
		"Modifiable": func(i tools.Invocation) bool { _, ok := i.(tools.Modifiable); return ok },
		"Checkable":  func(i tools.Invocation) bool { _, ok := i.(tools.Checkable); return ok },
		"Answerable": func(i tools.Invocation) bool { _, ok := i.(tools.Answerable); return ok },
		"Confinable": func(i tools.Invocation) bool { _, ok := i.(tools.Confinable); return ok },
	}
	var declared []string
	for _, m := range regexp.MustCompile(`(?m)^// (\w+) is an \[Invocation\]`).FindAllStringSubmatch(string(source), -1) {
		declared = append(declared, m[1])
	}
	assert.ElementsMatch(t, slices.Collect(maps.Keys(is)), declared)
	ws := project(t, t.TempDir(), map[string]string{"a.txt": "one\n"})
	plain := everything(t, ws)
	near := plain
	near.Nearby = func(string) string { return "" }
	var without, with tools.Registry
	without.Add(all(t, plain)...)
	with.Add(all(t, near)...)
	for tool, a := range map[string]args{
		"read_file": {"file_path": "a.txt"}, "list_directory": {"dir_path": "."}, "write_file": {"file_path": "a.txt", "content": "x"},
		"replace": {"file_path": "a.txt", "old_string": "one", "new_string": "two", "instruction": "i"},
	} {
		bare, err := without.Lookup(tool).Prepare(a)
		require.NoError(t, err)
		wrapped, err := with.Lookup(tool).Prepare(a)
		require.NoError(t, err)
		for name, is := range is {
			assert.Equal(t, is(bare), is(wrapped), "%s: %s", tool, name)
		}
	}
}
