package builtin_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/tools"
	"minigem/tools/builtin"
)

func TestGrepSearch(t *testing.T) {
	t.Parallel()
	ws := project(t, sample)
	tool := builtin.GrepSearch(ws, obey)
	const zips = "---\nFile: four.txt\nL1: zip\nL3: zip\nL10: zip\nL11: zip\n---"
	for _, tt := range []struct {
		name string
		args args
		want string
	}{
		// Wording.
		// The line after the last line end is one, as in Gemini CLI 0.61, which splits the file at line ends
		// (core/tools/grep-utils.ts).
		{"few matches come with context", args{"pattern": "func"}, "Found 3 matches for pattern \"func\" in the workspace directory:\n---\nFile: src/a.go\nL1- package a\nL2- \nL3: func A() int { return 1 }\nL4- \n---\nFile: src/b.go\nL1- package b\nL2: func B() {}\nL3: func C() {}\nL4- \n---"},
		{"a directory and a filter", args{"pattern": "func", "include_pattern": "b.*", "dir_path": "src"}, "Found 2 matches for pattern \"func\" in path \"src\" (filter: \"b.*\"):\n---\nFile: b.go\nL1- package b\nL2: func B() {}\nL3: func C() {}\nL4- \n---"},
		{"nothing", args{"pattern": "nosuch"}, `No matches found for pattern "nosuch" in the workspace directory.`},
		{"nothing with a filter", args{"pattern": "nosuch", "dir_path": "src", "include_pattern": "*.go"}, `No matches found for pattern "nosuch" in path "src" (filter: "*.go").`},
		{"more than a few", args{"pattern": "zip"}, "Found 4 matches for pattern \"zip\" in the workspace directory:\n" + zips},
		{"one", args{"pattern": "HELLO"}, "Found 1 match for pattern \"HELLO\" in the workspace directory:\n---\nFile: README.md\nL1: Hello World\nL2- \n---"},
		{"CRLF", args{"pattern": "pin$"}, "Found 1 match for pattern \"pin$\" in the workspace directory:\n---\nFile: crlf.txt\nL1- one\nL2: two pin\nL3- \n---"},
		// Context.
		{"context", args{"pattern": "zip", "context": 1}, "Found 4 matches for pattern \"zip\" in the workspace directory:\n---\nFile: four.txt\nL1: zip\nL2- zap q\nL3: zip\nL4- 1\nL9- 6\nL10: zip\nL11: zip\nL12- \n---"},
		{"after", args{"pattern": "zip", "after": 1}, "Found 4 matches for pattern \"zip\" in the workspace directory:\n---\nFile: four.txt\nL1: zip\nL2- zap q\nL3: zip\nL4- 1\nL10: zip\nL11: zip\nL12- \n---"},
		{"before", args{"pattern": "zip", "before": 1}, "Found 4 matches for pattern \"zip\" in the workspace directory:\n---\nFile: four.txt\nL1: zip\nL2- zap q\nL3: zip\nL9- 6\nL10: zip\nL11: zip\n---"},
		{"no context for one", args{"pattern": "HELLO", "context": 0}, "Found 1 match for pattern \"HELLO\" in the workspace directory:\n---\nFile: README.md\nL1: Hello World\n---"},
		// What is searched, and how.
		{"case matters", args{"pattern": "HELLO", "case_sensitive": true}, `No matches found for pattern "HELLO" in the workspace directory.`},
		{"plain text", args{"pattern": "B() {", "fixed_strings": true, "context": 0}, "Found 1 match for pattern \"B() {\" in the workspace directory:\n---\nFile: src/b.go\nL2: func B() {}\n---"},
		{"lines left out", args{"pattern": "func", "exclude_pattern": "[ab]\\(", "context": 0}, "Found 1 match for pattern \"func\" in the workspace directory:\n---\nFile: src/b.go\nL3: func C() {}\n---"},
		{"lookahead", args{"pattern": "func (?!A)\\w", "context": 0}, "Found 2 matches for pattern \"func (?!A)\\w\" in the workspace directory:\n---\nFile: src/b.go\nL2: func B() {}\nL3: func C() {}\n---"},
		{"a file", args{"pattern": "zip", "dir_path": "four.txt"}, "Found 4 matches for pattern \"zip\" in path \"four.txt\":\n" + zips},
		{"a path filter", args{"pattern": "func", "include_pattern": "src/**/a.go", "context": 0}, "Found 1 match for pattern \"func\" in the workspace directory (filter: \"src/**/a.go\"):\n---\nFile: src/a.go\nL3: func A() int { return 1 }\n---"},
		{"a negative filter", args{"pattern": "func", "include_pattern": "!b.go", "context": 0}, "Found 1 match for pattern \"func\" in the workspace directory (filter: \"!b.go\"):\n---\nFile: src/a.go\nL3: func A() int { return 1 }\n---"},
		// Limits. Neither ignored nor protected nor binary files count.
		{"of one file", args{"pattern": "needle", "max_matches_per_file": 2, "context": 0}, "Found 3 matches for pattern \"needle\" in the workspace directory:\n---\nFile: .hid/h.txt\nL1: hidden needle\n---\nFile: many.txt\nL1: needle\nL2: needle\n---"},
		{"in all", args{"pattern": "needle", "total_max_matches": 2, "context": 0}, "Found 2 matches for pattern \"needle\" in the workspace directory (results limited to 2 matches for performance):\n---\nFile: .hid/h.txt\nL1: hidden needle\n---\nFile: many.txt\nL1: needle\n---"},
		{"exactly as many", args{"pattern": "zip", "total_max_matches": 4}, "Found 4 matches for pattern \"zip\" in the workspace directory:\n" + zips},
		{"names", args{"pattern": "needle", "names_only": true}, "Found 2 files with matches for pattern \"needle\" in the workspace directory:\n.hid/h.txt\nmany.txt"},
		{"names, limited", args{"pattern": "needle", "names_only": true, "total_max_matches": 1}, "Found 1 files with matches for pattern \"needle\" in the workspace directory (results limited to 1 matches for performance):\n.hid/h.txt"},
		{"ignored files too", args{"pattern": "needle", "names_only": true, "no_ignore": true}, "Found 4 files with matches for pattern \"needle\" in the workspace directory:\n.hid/h.txt\na.log\ndist/x.js\nmany.txt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := use(t, ws, tool, tt.args)
			require.Empty(t, got.failure)
			assert.Equal(t, tt.want, got.text)
		})
	}
	hundred := use(t, ws, tool, args{"pattern": "needle", "include_pattern": "many.txt"})
	assert.True(t, strings.HasPrefix(hundred.text, `Found 100 matches for pattern "needle" in the workspace directory (filter: "many.txt") (results limited to 100 matches for performance):`), hundred.text)
	assert.True(t, strings.HasSuffix(hundred.text, "\nL100: needle\n---"), hundred.text)
	assert.Contains(t, hundred.display, `{"summary":"Found 100 matches (limited)","matches":[`)
	long := use(t, ws, tool, args{"pattern": "pinlong", "context": 0})
	assert.Equal(t, "Found 1 match for pattern \"pinlong\" in the workspace directory:\n---\nFile: long.txt\nL1: pinlong"+strings.Repeat("x", 1993)+"... [truncated]\n---", long.text)
}

func TestGrepSearchShows(t *testing.T) {
	t.Parallel()
	ws := project(t, sample)
	tool := builtin.GrepSearch(ws, obey)
	for _, tt := range []struct {
		args          args
		desc, display string
	}{
		{args{"pattern": "func A"}, "'func A'", `{"summary":"Found 1 match","matches":[{"filePath":"src/a.go","absolutePath":"ROOT/src/a.go","lineNumber":3,"line":"func A() int { return 1 }"}]}`},
		{args{"pattern": "x", "dir_path": "empty"}, "'x' within empty", `{"summary":"No matches found","matches":[]}`},
		{args{"pattern": "nosuch", "dir_path": ".", "include_pattern": "*.go"}, "'nosuch' in *.go within ./", `{"summary":"No matches found","matches":[]}`},
		{args{"pattern": "func", "dir_path": "src", "names_only": true}, "'func' within src", `{"summary":"Found 2 files","matches":[]}`},
	} {
		got := use(t, ws, tool, tt.args)
		assert.Equal(t, tt.desc, got.desc)
		assert.Equal(t, tt.display, got.display)
	}
}

func TestGrepSearchRefuses(t *testing.T) {
	t.Parallel()
	ws := project(t, sample)
	tool := builtin.GrepSearch(ws, obey)
	for want, a := range map[string]args{
		"params must have required property 'pattern'":            {},
		"params/pattern must be string":                           {"pattern": 3},
		"params/context must be >= 0":                             {"pattern": "x", "context": -1},
		"params/total_max_matches must be >= 1":                   {"pattern": "x", "total_max_matches": 0},
		"Path does not exist: ROOT/nope":                          {"pattern": "x", "dir_path": "nope"},
		"The 'include_pattern' parameter is not a valid glob: a[": {"pattern": "x", "include_pattern": "a["},
		"Invalid regular expression pattern provided: (. Error: ": {"pattern": "("},
		"Path not in workspace: ":                                 {"pattern": "x", "dir_path": "/etc"},
		"Invalid regular expression pattern provided: x. Error: ": {"pattern": "x", "exclude_pattern": "["},
	} {
		got := use(t, ws, tool, a)
		assert.Equal(t, tools.ErrInvalidParams, got.kind, want)
		assert.True(t, strings.HasPrefix(got.failure, want), got.failure)
	}
}

func TestGrepSearchSeveralDirectories(t *testing.T) {
	t.Parallel()
	ws, other := project(t, map[string]string{"a": "x\nx\n"}), project(t, map[string]string{"b": "x\nx\n", "c": "x\n"})
	require.NoError(t, ws.Add(other.Root()))
	first, second := base(ws.Root()), base(other.Root())
	tool := builtin.GrepSearch(ws, obey)
	got := use(t, ws, tool, args{"pattern": "x"})
	assert.Equal(t, "'x' across all workspace directories", got.desc)
	assert.Equal(t, fmt.Sprintf("Found 5 matches for pattern \"x\" across 2 workspace directories:\n---\nFile: %s/a\nL1: x\nL2: x\n---\nFile: %s/b\nL1: x\nL2: x\n---\nFile: %s/c\nL1: x\n---", first, second, second), got.text)
	got = use(t, ws, tool, args{"pattern": "x", "total_max_matches": 3, "context": 0})
	assert.Equal(t, fmt.Sprintf("Found 3 matches for pattern \"x\" across 2 workspace directories (results limited to 3 matches for performance):\n---\nFile: %s/a\nL1: x\nL2: x\n---\nFile: %s/b\nL1: x\n---", first, second), got.text)
}

func base(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
