//go:build linux

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"minigem/internal/thorough"
	"minigem/internal/waittest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A foreignFile is a file that others may have written, below the folder that holds home
// and project.
type foreignFile struct {
	path    string
	args    []string          // the command that reads it; nil: a prompt
	beside  map[string]string // other files, which make the program read it
	silent  bool              // it is read without a message
	env     string
	ordinal int // distinguishes several runs with the same file
}

// takes reports whether the ordinary run tries a file with this content. Content that is
// hard for a TOML decoder is only tried where one reads it. Content that all readers of a
// kind treat alike is only tried for a few files.
func (f foreignFile) takes(name string) bool {
	toml := strings.HasSuffix(f.path, ".toml") || strings.HasSuffix(f.path, ".txtar")
	few := f.args != nil || f.beside != nil || f.env != ""
	switch name {
	case "tables", "keys", "dotted keys", "lines":
		return toml
	case "UTF-8", "BOM", "nothing", "NULs", "null", "directory", "1 GB", "50,000":
		return !few
	}
	return true
}

const (
	sessionFile    = "home/.gemini/tmp/project/chats/session-2026-01-01T10-00-aaaaaaaa.jsonl"
	checkpointFile = "home/.gemini/tmp/project/checkpoints/2026-01-01T10-00-00_000Z-a.txt-write_file.json"
)

var foreignFiles = []foreignFile{
	{path: "home/.gemini/settings.json"}, {path: "project/.gemini/settings.json"}, {path: "project/.geminiignore"}, {path: "project/.gitignore"}, {path: "project/.git/info/exclude"},
	{path: "project/.env"}, {path: "project/.gemini/.env"}, {path: "home/.gemini/policies/p.toml"}, {path: "project/GEMINI.md"}, {path: "home/.gemini/trustedFolders.json"},
	{path: "home/.gemini/projects.json"}, {path: "home/.gemini/sandboxed_folders.json"}, {path: "home/.gemini/trusted_hooks.json"}, {path: "home/.gemini/installation_id"},
	{path: "home/.gemini/extensions/x/gemini-extension.json"}, {path: "home/.gemini/extensions/extension-enablement.json"},
	{path: "home/.gemini/extensions/x/hooks/hooks.json", beside: map[string]string{"home/.gemini/extensions/x/gemini-extension.json": `{"name": "x", "version": "1"}`}},
	{path: "home/.gemini/gemini-credentials.json", beside: map[string]string{"home/.gemini/extensions/x/gemini-extension.json": `{"name": "x", "version": "1", "settings": [{"name": "K", "envVar": "K", "sensitive": true}]}`}},
	{path: "project/hook.sh", beside: oneHook},
	{path: "project/.gemini/commands/x.toml", args: []string{"-p", "/x"}, silent: true},
	{path: "project/.gemini/system.md", env: "GEMINI_SYSTEM_MD=true"},
	{path: sessionFile, args: []string{"-r", "latest", "-p", "hello"}},
	{path: sessionFile, args: []string{"sessions", "list"}, ordinal: 1, silent: true},
	{path: sessionFile, args: []string{"sessions", "show", "1"}, ordinal: 2, silent: true},
	{path: checkpointFile, args: []string{"sessions", "restore", "2026-01-01T10-00-00_000Z-a.txt-write_file"}, silent: true},
	{path: "project/.claude/settings.json", args: []string{"hooks", "migrate", "--from-claude", "--dry-run"}, silent: true},
	{path: "project/plugin/hooks/hooks.json", args: []string{"hooks", "migrate", "--from-claude", "plugin", "--dry-run"}, beside: map[string]string{"project/plugin/.claude-plugin/plugin.json": `{"name": "x"}`}, silent: true},
	{path: "project/cases/x.txtar", args: []string{"hooks", "test", "cases"}, silent: true},
	{path: "project/cases/data", args: []string{"hooks", "test", "cases"}, beside: map[string]string{"project/cases/x.txtar": "use data\nprompt hello\n"}, silent: true},
	{path: "project/cases/answer.txt", args: []string{"hooks", "test", "cases"}, beside: map[string]string{"project/cases/x.txtar": "use answer.txt\nprompt hello\nfile answer.txt ~x\n"}, silent: true},

	{path: "home/.gemini/mcp-oauth-tokens.json", args: []string{"mcp", "list"}, beside: map[string]string{"home/.gemini/settings.json": `{"mcpServers": {"docs": {"httpUrl": "http://127.0.0.1:1/mcp"}}}`}, silent: true},
	{path: "home/.gemini/mcp-server-enablement.json", silent: true}, {path: "home/.gemini/skills/x/SKILL.md", silent: true}, {path: "home/.gemini/agents/x.md", silent: true},
	{path: "home/.gemini/acknowledgments/agents.json", beside: map[string]string{"project/.gemini/agents/x.md": "---\nname: x\ndescription: y\n---\nz\n"}, silent: true},
	{path: "project/.git", silent: true}, {path: "project/GEMINI.md", args: []string{"hooks", "explain"}, silent: true},
	{path: "project/part.md", beside: map[string]string{"project/GEMINI.md": "@part.md\n"}, silent: true},
	{path: "project/sub/.gitignore", args: []string{"-p", "@sub"}, beside: map[string]string{"project/sub/a.txt": "a"}, silent: true},
	{path: "project/notes.txt", args: []string{"-p", "look at @notes.txt"}, silent: true},
	{path: "project/rules.toml", args: []string{"--policy", "rules.toml", "-p", "hello"}},
	{path: "home/.gemini/extensions/x/.env", beside: map[string]string{"home/.gemini/extensions/x/gemini-extension.json": `{"name": "x", "version": "1", "settings": [{"name": "K", "envVar": "K"}]}`}},
	{path: "home/.gemini/tmp/project/.project_root", silent: true}, {path: "home/.gemini/.minigem-1.writing", silent: true},
	{path: sessionFile, args: []string{"hooks", "list"}, beside: oneHook, ordinal: 3, silent: true},

	{path: "project/payload.json", args: []string{"hooks", "fire", "BeforeTool", "--input", "payload.json"}},
	{path: "project/past.jsonl", args: []string{"hooks", "payload", "BeforeTool", "--from-transcript", "past.jsonl"}},
	{path: "project/past.jsonl", args: []string{"hooks", "replay", "past.jsonl"}, ordinal: 1},
	{path: "project/past/x.jsonl", args: []string{"hooks", "replay", "past"}, silent: true},
	{path: "project/trace.jsonl", args: []string{"hooks", "view", "trace.jsonl"}},
	{path: "project/hook.sh", args: []string{"hooks", "lint"}, beside: oneHook, ordinal: 1, silent: true},
	{path: "project/.codex/hooks.json", args: []string{"hooks", "migrate", "--to", "codex", "--dry-run"}, beside: oneHook, silent: true},
	{path: "project/.codex/config.toml", args: []string{"hooks", "migrate", "--to", "codex", "--dry-run"}, beside: oneHook, silent: true},
	{path: "project/answers.jsonl", args: []string{"--fake-responses", "answers.jsonl", "-p", "hello"}},
	{path: "project/script.txt", args: []string{"fake-api", "--addr", "256.256.256.256:1", "script.txt"}, silent: true}, // read before it listens
}

var oneHook = map[string]string{"project/.gemini/settings.json": `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "sh hook.sh"}]}]}}`}

// oddFiles are the contents, or kinds of files, that are tried.
var oddFiles = map[string]func(t *testing.T, path string) error{
	"named pipe": func(_ *testing.T, p string) error { return syscall.Mkfifo(p, 0o600) },
	"/dev/zero":  func(_ *testing.T, p string) error { return os.Symlink("/dev/zero", p) },
	"directory":  func(_ *testing.T, p string) error { return os.Mkdir(p, 0o700) },
	"1 GB":       sparse(1 << 30),
	"deep":       fileOf(strings.Repeat(`{"a":[`, 30_000)),
	"50,000":     fileOf("{" + strings.Repeat(`"k":1,`, 50_000) + `"k":1}`),
	"UTF-8":      fileOf("{\"a\": \"\xff\xfe\xc3\"}"),
	"BOM":        fileOf("\xef\xbb\xbf{}"),
	"nothing":    fileOf(""),
	"NULs":       fileOf(strings.Repeat("\x00", 5000)),
	"null":       fileOf("null"),
	// Within the limits for kept and recorded files.
	"200 MB": sparse(200 << 20),
	"15 MB":  sparse(15 << 20),
	"lines":  fileOf(strings.Repeat("{}\n", 200_000)),
	// Slow or memory-hungry for a TOML decoder.
	"tables":      fileOf(strings.Repeat("[[rule]]\n", 100_000)),
	"keys":        fileOf(numberedKeys(60_000)),
	"dotted keys": fileOf(strings.Repeat("a.", 300_000) + "b = 1"),
}

func numberedKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d = 1\n", i)
	}
	return b.String()
}

func sparse(size int64) func(*testing.T, string) error {
	return func(t *testing.T, p string) error {
		require.NoError(t, os.WriteFile(p, nil, 0o600))
		return os.Truncate(p, size)
	}
}

func fileOf(s string) func(*testing.T, string) error {
	return func(_ *testing.T, p string) error { return os.WriteFile(p, []byte(s), 0o600) }
}

// TestOddFilesAreBounded: whatever is in a file that others write, the program exits by
// itself without a panic, and uses less than 100 MiB of memory.
func TestOddFilesAreBounded(t *testing.T) {
	t.Parallel()
	for _, file := range foreignFiles {
		t.Run(fmt.Sprintf("%s %d", strings.ReplaceAll(file.path, "/", "_"), file.ordinal), func(t *testing.T) {
			t.Parallel()
			for name, put := range oddFiles {
				if thorough.Asked() || file.takes(name) {
					runBesideOddFile(t, file, name, put)
				}
			}
		})
	}
}

func runBesideOddFile(t *testing.T, file foreignFile, name string, put func(*testing.T, string) error) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for _, sub := range []string{"home/.gemini", "project/.git", filepath.Dir(file.path)} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, sub), 0o700))
	}
	if !strings.HasSuffix(file.path, "projects.json") {
		write("home/.gemini/projects.json", fmt.Sprintf(`{"projects": {%q: "project"}}`, filepath.Join(dir, "project")))
	}
	for name, text := range file.beside {
		write(name, text)
	}
	if file.path == "project/.git" {
		require.NoError(t, os.Remove(filepath.Join(dir, file.path)))
	}
	require.NoError(t, put(t, filepath.Join(dir, file.path)))
	write("answers", `{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"text":"Hi"}]},"finishReason":"STOP"}]}]}`+"\n")
	args, codes := file.args, []int{0, 1, 42, 52}
	if args == nil {
		args, codes = []string{"-p", "hello"}, []int{0, 52}
	}
	if slices.Contains(args, "-p") && !slices.Contains(args, "--fake-responses") {
		args = append([]string{"--fake-responses", filepath.Join(dir, "answers")}, args...)
	}
	out := runBounded(t, dir, file.path+" as "+name, codes, []string{file.env}, args...)
	if !strings.Contains(out, "Hi") && !file.silent {
		assert.Contains(t, out, filepath.Base(file.path), "%s as %s: the sentence names the file", file.path, name)
	}
}

// TestOddSessionFiles: the same limits hold for files that the user names as sessions.
func TestOddSessionFiles(t *testing.T) {
	t.Parallel()
	for name, put := range oddFiles {
		t.Run(strings.ReplaceAll(name, "/", "_"), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, sub := range []string{"home/.gemini", "project/.git"} {
				require.NoError(t, os.MkdirAll(filepath.Join(dir, sub), 0o700))
			}
			require.NoError(t, put(t, filepath.Join(dir, "session.jsonl")))
			out := runBounded(t, dir, name, []int{42}, nil, "--session-file", filepath.Join(dir, "session.jsonl"), "-p", "hello")
			assert.Contains(t, out, "session.jsonl")
		})
	}
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "home/.gemini"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "project"), 0o700))
	assert.Contains(t, runBounded(t, dir, "/dev/zero", []int{42}, nil, "--session-file", "/dev/zero", "-p", "hello"), "/dev/zero: is a device, not a file")
}

// runBounded runs the program in the project below dir and returns its output.
func runBounded(t *testing.T, dir, what string, codes []int, env []string, args ...string) string {
	t.Helper()
	ctx := waittest.Context(t)
	// ulimit protects the developer's machine if memory is not bounded.
	cmd := exec.CommandContext(ctx, "bash", append([]string{"-c", `ulimit -v 4000000; exec "$0" "$@"`, binary}, args...)...)
	cmd.Dir = filepath.Join(dir, "project")
	cmd.Env = []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH"), "GEMINI_API_KEY=not-a-real-key", "GEMINI_CLI_TRUST_WORKSPACE=true"}
	cmd.Env = append(cmd.Env, env...)
	peak := measured(t, cmd)
	out, _ := cmd.CombinedOutput()
	require.NoError(t, ctx.Err(), "%s: it hangs", what)
	assert.Contains(t, codes, cmd.ProcessState.ExitCode(), "%s: %s", what, out)
	assert.NotContains(t, string(out), "goroutine ", what)
	assert.Less(t, peak(), 100, "%s: MiB at most", what)
	return string(out)
}
