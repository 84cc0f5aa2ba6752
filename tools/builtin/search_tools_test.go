package builtin_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/tools"
	"minigem/tools/builtin"
	"minigem/tools/workspace"
	"minigem/tools/workspace/filetest"
)

type args = map[string]any

var obey = workspace.Ignore{Git: true, Gemini: true}

// project makes a workspace of files. A name that ends in "/" is a directory, and the
// content "-> x" makes a symbolic link to x.
func project(t testing.TB, files map[string]string) *workspace.Workspace {
	t.Helper()
	ws, err := workspace.New(filetest.Tree(t, files))
	require.NoError(t, err)
	return ws
}

// outcome is the result of a call, with ROOT instead of the workspace's directory.
type outcome struct {
	text, display, desc, failure string
	kind                         tools.ErrorType
}

// use calls a tool with args.
func use(t testing.TB, ws *workspace.Workspace, tool tools.Tool, a args) outcome {
	t.Helper()
	plain := func(s string) string { return strings.ReplaceAll(s, ws.Root(), "ROOT") }
	var o outcome
	inv, err := tool.Prepare(a)
	if err == nil {
		o.desc = plain(inv.Intent().Description)
		var res tools.Result
		if res, err = inv.Run(context.Background()); err == nil {
			o.text = plain(llm.PartsText(res.Parts))
			b, err := json.Marshal(res.Display)
			require.NoError(t, err)
			o.display = plain(string(b))
			return o
		}
	}
	var e *tools.Error
	require.ErrorAs(t, err, &e)
	o.failure, o.kind = plain(e.Message), e.Type
	return o
}

var sample = map[string]string{
	".git/": "", ".gitignore": "dist/\n*.log\n", ".env": "SECRET=needle", "node_modules/m/i.js": "needle",
	"src/a.go": "package a\n\nfunc A() int { return 1 }\n", "src/b.go": "package b\nfunc B() {}\nfunc C() {}\n",
	"README.md": "Hello World\n", "a.log": "needle", "dist/x.js": "needle", "bin.dat": "needle\x00x", "empty/": "",
	"many.txt": strings.Repeat("needle\n", 150), "crlf.txt": "one\r\ntwo pin\r\n", "long.txt": "pinlong" +
		strings.Repeat("x", 3000) + "\n",
	"four.txt": "zip\nzap q\nzip\n1\n2\n3\n4\n5\n6\nzip\nzip\n", ".hid/h.txt": "hidden needle\n",
	"link.go": "-> src/a.go", "linkdir": "-> src", "broken": "-> nowhere", "out": "-> /etc/passwd", "log": "-> a.log",
}

func TestListDirectory(t *testing.T) {
	t.Parallel()
	ws := project(t, sample)
	tool := builtin.ListDirectory(ws, obey)
	const files = `".gitignore","bin.dat","crlf.txt","four.txt","link.go","long.txt","many.txt","README.md"`
	for _, tt := range []struct {
		name string
		args args
		want outcome
	}{
		{"root", args{"dir_path": "."}, outcome{desc: ".", display: `{"summary":"Found 12 item(s). (3 ` +
			`ignored)","files":["[DIR] .hid","[DIR] empty","[DIR] linkdir","[DIR] src",` + files + `]}`,
			text: "Directory listing for ROOT:\n[DIR] .hid\n[DIR] empty\n[DIR] linkdir\n[DIR] src\n.gitignore (12 bytes)\n" +
				"bin.dat (8 bytes)\ncrlf.txt (14 bytes)\nfour.txt (34 bytes)\nlink.go (37 bytes)\nlong.txt (3008 bytes)\n" +
				"many.txt (1050 bytes)\nREADME.md (12 bytes)\n\n(3 ignored)"}},
		{"empty path is the root", args{"dir_path": "", "ignore": []any{"*"}},
			outcome{desc: ".", text: "Directory ROOT is empty.", display: `"Directory is empty."`}},
		{"subdirectory", args{"dir_path": "src"},
			outcome{desc: "src", text: "Directory listing for ROOT/src:\na.go (37 bytes)\nb.go (34 bytes)",
				display: `{"summary":"Found 2 item(s).","files":["a.go","b.go"]}`}},
		{"patterns", args{"dir_path": "src", "ignore": []any{"a*", "[b].go"}},
			outcome{desc: "src", text: "Directory listing for ROOT/src:\nb.go (34 bytes)",
				display: `{"summary":"Found 1 item(s).","files":["b.go"]}`}},
		{"empty", args{"dir_path": "empty"}, outcome{desc: "empty", text: "Directory ROOT/empty is empty.",
			display: `"Directory is empty."`}},
		{"nothing ignored",
			args{"dir_path": ".", "ignore": []any{"[!x]*", "?[!x]*", "*.*", "src", "empty", "link*", "many.txt"},
				"file_filtering_options": args{"respect_git_ignore": false}},
			outcome{desc: ".", text: "Directory listing for ROOT:\n[DIR] dist\nlog (6 bytes)",
				display: `{"summary":"Found 2 item(s).","files":["[DIR] dist","log"]}`}},
		// Faults.
		{"missing", args{"dir_path": "nope"}, outcome{desc: "nope", failure: "Error listing directory: no such file or " +
			"directory: 'ROOT/nope'", kind: tools.ErrLs}},
		{"a file", args{"dir_path": "README.md"},
			outcome{desc: "README.md", failure: "Error: Path is not a directory: ROOT/README.md",
				kind: tools.ErrPathNotDirectory}},
		{"no path", args{}, outcome{failure: "params must have required property 'dir_path'", kind: tools.ErrInvalidParams}},
		{"wrong type", args{"dir_path": ".", "ignore": "x"},
			outcome{failure: "params/ignore must be array", kind: tools.ErrInvalidParams}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, use(t, ws, tool, tt.args))
		})
	}
	for _, dir := range []string{"..", "/etc", ".git", "node_modules/m", "out"} {
		got := use(t, ws, tool, args{"dir_path": dir})
		assert.Equal(t, tools.ErrInvalidParams, got.kind, dir)
		assert.Contains(t, got.failure, "Path not in workspace:", dir)
	}
}

func TestGlob(t *testing.T) {
	t.Parallel()
	files := map[string]string{"app/[id]/page.tsx": "", "UPPER/x.Go": "", "a/b/c/d.md": ""}
	for name, content := range sample {
		files[name] = content
	}
	ws := project(t, files)
	now := time.Date(2026, 1, 10, 0, 0, 0, 0, time.UTC)
	age := func(name string, d time.Duration) {
		require.NoError(t, os.Chtimes(filepath.Join(ws.Root(), name), now, now.Add(-d)))
	}
	for name, content := range files {
		if !strings.HasSuffix(name, "/") && !strings.HasPrefix(content, "-> ") {
			age(name, 48*time.Hour)
		}
	}
	age("src/b.go", time.Hour)
	age("src/a.go", 2*time.Hour)
	tool := builtin.Glob(ws, obey, func() time.Time { return now })
	for _, tt := range []struct {
		name string
		args args
		want string // paths, or the text after "pattern within"
	}{
		{"new ones first", args{"pattern": "**/*.go"}, "src/b.go src/a.go UPPER/x.Go"},
		{"old ones by name", args{"pattern": "*.txt"}, "crlf.txt four.txt long.txt many.txt"},
		{"dot files", args{"pattern": "**/h*"}, ".hid/h.txt"},
		{"braces", args{"pattern": "*.{md,txt}", "dir_path": "."}, "crlf.txt four.txt long.txt many.txt README.md"},
		{"braces with slashes", args{"pattern": "{src/a,a/b/c/d}.*"}, "src/a.go a/b/c/d.md"},
		{"case", args{"pattern": "upper/*.GO"}, "UPPER/x.Go"},
		{"case matters", args{"pattern": "**/*.GO", "case_sensitive": true}, ""},
		{"a directory", args{"pattern": "a.go", "dir_path": "src"}, "src/a.go"},
		{"a name with brackets", args{"pattern": "app/[id]/page.tsx"}, "app/[id]/page.tsx"},
		{"everything below", args{"pattern": "a/**"}, "a/b/c/d.md"},
		{"no deeper than asked", args{"pattern": "a/*/*"}, ""},
		{"dot segments", args{"pattern": "./src/../src/a.go"}, "src/a.go"},
		{"up and down", args{"pattern": "../src/a.*", "dir_path": "a"}, "src/a.go"},
		{"absolute", args{"pattern": ws.Root() + "/src/*.go"}, "src/b.go src/a.go"},
		{"absolute, not there", args{"pattern": ws.Root() + "/gone/*.go"}, ""},
		{"no directories", args{"pattern": "src"}, ""},
		{"protected", args{"pattern": "**/{i.js,.env}"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := use(t, ws, tool, tt.args)
			require.Empty(t, got.failure)
			_, list, _ := strings.Cut(got.text, "(newest first):\n")
			assert.Equal(t, strings.Fields(tt.want), strings.Fields(strings.ReplaceAll(list, "ROOT/", "")), got.text)
		})
	}
	for _, tt := range []struct {
		args args
		want outcome
	}{
		{args{"pattern": "src/*.go"}, outcome{desc: "'src/*.go'", display: `"Found 2 matching file(s)"`,
			text: "Found 2 file(s) matching \"src/*.go\" within ROOT, sorted by modification time (newest first):\n" +
				"ROOT/src/b.go\nROOT/src/a.go"}},
		{args{"pattern": "R*", "dir_path": "src"}, outcome{desc: "'R*' within src", display: `"No files found"`,
			text: `No files found matching pattern "R*" within ROOT/src`}},
		{args{"pattern": "*.log"}, outcome{desc: "'*.log'", display: `"No files found"`, text: `No files found matching ` +
			`pattern "*.log" within ROOT (1 files were ignored)`}},
		{args{"pattern": "*.{log,md}"}, outcome{desc: "'*.{log,md}'", display: `"Found 1 matching file(s)"`,
			text: "Found 1 file(s) matching \"*.{log,md}\" within ROOT (1 additional files were ignored), sorted by " +
				"modification time (newest first):\nROOT/README.md"}},
		{args{"pattern": "*.log", "respect_git_ignore": false},
			outcome{desc: "'*.log'", display: `"Found 1 matching file(s)"`,
				text: "Found 1 file(s) matching \"*.log\" within ROOT, sorted by modification time (newest first):\nROOT/a.log"}},
		// Faults.
		{args{"pattern": " "}, outcome{failure: "The 'pattern' parameter cannot be empty.", kind: tools.ErrInvalidParams}},
		{args{"pattern": "a[", "dir_path": "src"}, outcome{failure: "The 'pattern' parameter is not a valid glob: a[",
			kind: tools.ErrInvalidParams}},
		{args{"pattern": "x", "dir_path": "nope"}, outcome{failure: "Search path does not exist ROOT/nope",
			kind: tools.ErrInvalidParams}},
		{args{"pattern": "x", "dir_path": "README.md"}, outcome{failure: "Search path is not a directory: ROOT/README.md",
			kind: tools.ErrInvalidParams}},
	} {
		assert.Equal(t, tt.want, use(t, ws, tool, tt.args), "%v", tt.args)
	}
	for _, a := range []args{{"pattern": "../*"}, {"pattern": "/etc/*"}, {"pattern": "x", "dir_path": "/etc"},
		{"pattern": "../../**", "dir_path": "src"}} {
		assert.Contains(t, use(t, ws, tool, a).failure, "Path not in workspace:", "%v", a)
	}
}

func TestGlobSeveralDirectories(t *testing.T) {
	t.Parallel()
	ws, other := project(t, map[string]string{"a.txt": ""}), project(t, map[string]string{"b.txt": ""})
	require.NoError(t, ws.Add(other.Root(), filepath.Join(other.Root(), "gone")))
	got := use(t, ws, builtin.Glob(ws, obey, func() time.Time {
		return time.Now().Add(100 * time.Hour)
	}), args{"pattern": "*.txt"})
	require.NoError(t, os.WriteFile(filepath.Join(other.Root(), ".geminiignore"), []byte("*.log\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(other.Root(), "b.log"), nil, 0o600))
	once := use(t, ws, builtin.Glob(ws, obey, time.Now), args{"pattern": other.Root() + "/b.*"})
	assert.Equal(t, fmt.Sprintf("Found 1 file(s) matching \"%s/b.*\" within %[1]s (1 additional files were ignored), "+
		"sorted by modification time (newest first):\n%[1]s/b.txt", other.Root()), once.text)
	head, list, _ := strings.Cut(got.text, "\n")
	assert.Equal(t, `Found 2 file(s) matching "*.txt" across 3 workspace directories, sorted by modification time `+
		`(newest first):`, head)
	assert.ElementsMatch(t, []string{"ROOT/a.txt", other.Root() + "/b.txt"}, strings.Split(strings.TrimSpace(list), "\n"))
}

func TestSearchesStop(t *testing.T) {
	t.Parallel()
	ws := project(t, sample)
	cause := errors.New("the user pressed ^C")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(cause)
	for _, tool := range []tools.Tool{builtin.Glob(ws, obey, time.Now), builtin.GrepSearch(ws, obey),
		builtin.ListDirectory(ws, obey)} {
		inv, err := tool.Prepare(args{"pattern": "zip", "dir_path": "."})
		require.NoError(t, err)
		_, err = inv.Run(ctx)
		assert.ErrorIs(t, err, cause, tool.Spec().Name)
	}
}

// BenchmarkGlob and BenchmarkGrepSearch measure whole calls in Go's own source tree, in
// comparison with ripgrep, which does not sort and, for glob, does not get each file's
// time.
func BenchmarkGlob(b *testing.B) {
	ws := goTree(b)
	tool := builtin.Glob(ws, obey, time.Now)
	builtin.BesideRipgrep(b, func() { call(b, tool, args{"pattern": "**/*.go"}) }, "--files", "-g", "*.go", ws.Root())
}

func BenchmarkGrepSearch(b *testing.B) {
	ws := goTree(b)
	tool := builtin.GrepSearch(ws, obey)
	for _, pattern := range []string{`xyzzyq`, `func \(.*\) ReadFromUDP`, `goroutine`, `err != nil|panic\(`, `the`,
		`[0-9]{4}-[0-9]{2}`, `\w+[0-9]{6}\w+`} {
		b.Run(pattern, func(b *testing.B) {
			builtin.BesideRipgrep(b, func() {
				call(b, tool, args{"pattern": pattern, "total_max_matches": 1000000})
			}, "-n", "-i", "--hidden", pattern, ws.Root())
		})
	}
}

func call(b *testing.B, tool tools.Tool, a args) {
	inv, err := tool.Prepare(a)
	require.NoError(b, err)
	_, err = inv.Run(context.Background())
	require.NoError(b, err)
}

// goTree returns the workspace of the Go distribution's sources.
func goTree(b *testing.B) *workspace.Workspace {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Skip("needs the go command")
	}
	ws, err := workspace.New(filepath.Join(strings.TrimSpace(string(out)), "src"))
	require.NoError(b, err)
	return ws
}
