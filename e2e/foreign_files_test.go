//go:build linux

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"minigem/internal/waittest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// foreignFiles are files that somebody else may have written, below the folder
// that holds home and project.
var foreignFiles = []string{
	"home/.gemini/settings.json", "project/.gemini/settings.json", "project/.geminiignore", "project/.gitignore", "project/.env", "project/.gemini/.env",
	"home/.gemini/policies/p.toml", "project/GEMINI.md", "home/.gemini/trustedFolders.json", "home/.gemini/projects.json",
	"home/.gemini/installation_id", "home/.gemini/extensions/x/gemini-extension.json", "home/.gemini/extensions/extension-enablement.json",
}

// oddFiles are things that may lie in a file's place.
var oddFiles = map[string]func(t *testing.T, path string) error{
	"named pipe": func(_ *testing.T, p string) error { return syscall.Mkfifo(p, 0o600) },
	"/dev/zero":  func(_ *testing.T, p string) error { return os.Symlink("/dev/zero", p) },
	"directory":  func(_ *testing.T, p string) error { return os.Mkdir(p, 0o700) },
	"1 GB": func(t *testing.T, p string) error {
		require.NoError(t, os.WriteFile(p, nil, 0o600))
		return os.Truncate(p, 1<<30)
	},
	"deep":    fileOf(strings.Repeat(`{"a":[`, 30_000)),
	"50,000":  fileOf("{" + strings.Repeat(`"k":1,`, 50_000) + `"k":1}`),
	"UTF-8":   fileOf("{\"a\": \"\xff\xfe\xc3\"}"),
	"BOM":     fileOf("\xef\xbb\xbf{}"),
	"nothing": fileOf(""),
	"NULs":    fileOf(strings.Repeat("\x00", 5000)),
	"null":    fileOf("null"),
}

func fileOf(s string) func(*testing.T, string) error {
	return func(_ *testing.T, p string) error { return os.WriteFile(p, []byte(s), 0o600) }
}

// TestOddFilesTakeNoMachine: whatever lies in the place of a file that others
// write, the program ends by itself, never by a panic, and its memory stays
// below 100 MiB.
func TestOddFilesTakeNoMachine(t *testing.T) {
	t.Parallel()
	for _, file := range foreignFiles {
		t.Run(strings.ReplaceAll(file, "/", "_"), func(t *testing.T) {
			t.Parallel()
			for name, put := range oddFiles {
				runBesideOddFile(t, file, name, put)
			}
		})
	}
}

func runBesideOddFile(t *testing.T, file, name string, put func(*testing.T, string) error) {
	dir := t.TempDir()
	for _, sub := range []string{"home/.gemini", "project/.git", filepath.Dir(file)} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, sub), 0o700))
	}
	require.NoError(t, put(t, filepath.Join(dir, file)))
	answers := filepath.Join(dir, "answers")
	require.NoError(t, os.WriteFile(answers, []byte(`{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"text":"Hi"}]},"finishReason":"STOP"}]}]}`+"\n"), 0o600))
	out := runBounded(t, dir, file+" as "+name, []int{0, 52}, "--fake-responses", answers, "-p", "hello")
	if !strings.Contains(out, "Hi") {
		assert.Contains(t, out, filepath.Base(file), "%s as %s: the sentence names the file", file, name)
	}
}

// TestOddSessionFiles: what the user names as a session is bounded as well.
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
			out := runBounded(t, dir, name, []int{42}, "--session-file", filepath.Join(dir, "session.jsonl"), "-p", "hello")
			assert.Contains(t, out, "session.jsonl")
		})
	}
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "home/.gemini"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "project"), 0o700))
	assert.Contains(t, runBounded(t, dir, "/dev/zero", []int{42}, "--session-file", "/dev/zero", "-p", "hello"), "/dev/zero: is a device, not a file")
}

// runBounded runs the program in the project below dir, and returns all that it
// printed.
func runBounded(t *testing.T, dir, what string, codes []int, args ...string) string {
	t.Helper()
	ctx := waittest.Context(t)
	// ulimit: where memory has no bound, the machine of who runs this is safe.
	peak := filepath.Join(t.TempDir(), "peak")
	cmd := exec.CommandContext(ctx, os.Args[0], append([]string{"bash", "-c", `ulimit -v 4000000; exec "$0" "$@"`, binary}, args...)...)
	cmd.Dir = filepath.Join(dir, "project")
	cmd.Env = []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + os.Getenv("PATH"), "GEMINI_API_KEY=not-a-real-key", "GEMINI_CLI_TRUST_WORKSPACE=true", measureEnv + "=" + peak}
	out, _ := cmd.CombinedOutput()
	require.NoError(t, ctx.Err(), "%s: it hangs", what)
	assert.Contains(t, codes, cmd.ProcessState.ExitCode(), "%s: %s", what, out)
	assert.NotContains(t, string(out), "goroutine ", what)
	measured, err := os.ReadFile(peak)
	require.NoError(t, err)
	kilobytes, err := strconv.Atoi(string(measured))
	require.NoError(t, err)
	assert.Less(t, kilobytes>>10, 100, "%s: MiB at most", what)
	return string(out)
}
