package builtin_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/tools"
	"minigem/tools/builtin"
	"minigem/tools/workspace"
)

func TestReadManyFiles(t *testing.T) {
	t.Parallel()
	ws := project(t, map[string]string{
		".git/": "", ".gitignore": "*.log\n", "a.txt": "A\n", "b.log": "B", "docs/c.md": "C", "docs/deep/d.md": "D", "dist/e.js": "E", "x.zip": "Z",
		"pic.png": "\x89PNG", "bin": "\x00\x01", ".env": "S", "[id].ts": "I", "empty.txt": "", "link.txt": "-> a.txt",
	})
	tool := builtin.ReadManyFiles(ws, obey)
	for _, tt := range []struct {
		name  string
		args  args
		files string
	}{
		{"a file", args{"include": []any{"a.txt"}}, "a.txt"},
		{"a directory", args{"include": []any{"docs"}}, "docs/c.md docs/deep/d.md"},
		{"its own files only", args{"include": []any{"docs/"}, "recursive": false}, "docs/c.md"},
		{"a pattern", args{"include": []any{"**/*.md", "a.*"}}, "a.txt docs/c.md docs/deep/d.md"},
		{"a name with brackets", args{"include": []any{"[id].ts"}}, "[id].ts"},
		{"absolute", args{"include": []any{ws.Root() + "/docs/*.md"}}, "docs/c.md"},
		{"excluded", args{"include": []any{"docs/**"}, "exclude": []any{"**/d.md"}}, "docs/c.md"},
		{"everything", args{"include": []any{"."}}, ".gitignore [id].ts a.txt docs/c.md docs/deep/d.md empty.txt"},
		{"ignored files too", args{"include": []any{"*.log", "dist"}, "file_filtering_options": args{"respect_git_ignore": false}}, "b.log"},
		{"no default excludes", args{"include": []any{"dist/**"}, "useDefaultExcludes": false}, "dist/e.js"},
		{"media by extension", args{"include": []any{"*.png"}}, "pic.png"},
		{"media by name", args{"include": []any{"pic.*"}}, "pic.png"},
		{"media not asked for", args{"include": []any{"p*"}}, ""},
		{"protected", args{"include": []any{".env"}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := use(t, ws, tool, tt.args)
			require.Empty(t, got.failure)
			var show tools.Listing
			require.NoError(t, json.Unmarshal([]byte(got.display), &show))
			assert.Equal(t, strings.Fields(tt.files), show.Files, got.text)
		})
	}
	got := use(t, ws, tool, args{"include": []any{"a.txt", "docs/c.md", "bin"}})
	assert.Equal(t, outcome{
		text:    "--- ROOT/a.txt ---\n\nA\n\n\n--- ROOT/docs/c.md ---\n\nC\n\n\n--- End of content ---",
		display: `{"summary":"Read 2 file(s), skipped 1: bin (binary or too large)","files":["a.txt","docs/c.md"]}`,
		desc:    "Will attempt to read and concatenate files using patterns: a.txt, docs/c.md, bin",
	}, got)
	assert.Equal(t, "No files matching the criteria were found or all were skipped.", use(t, ws, tool, args{"include": []any{"gone"}}).text)
}

func TestReadManyFilesRefuses(t *testing.T) {
	t.Parallel()
	ws := project(t, nil)
	tool := builtin.ReadManyFiles(ws, workspace.Ignore{})
	for want, a := range map[string]args{
		"params must have required property 'include'":           {},
		"params/include must NOT have fewer than 1 items":        {"include": []any{}},
		"params/include/0 must NOT have fewer than 1 characters": {"include": []any{""}},
		"This is not a valid glob: a[":                           {"include": []any{"a["}},
		"Path not in workspace:":                                 {"include": []any{"../*"}},
		"Path not in workspace: \"/etc":                          {"include": []any{"/etc/passwd"}},
	} {
		got := use(t, ws, tool, a)
		assert.Equal(t, tools.ErrInvalidParams, got.kind)
		assert.True(t, strings.HasPrefix(got.failure, want), got.failure)
	}
}
