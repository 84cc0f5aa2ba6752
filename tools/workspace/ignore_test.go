package workspace_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/tools/workspace"
	"minigem/tools/workspace/filetest"
)

func open(t testing.TB, dir string, extra ...string) *workspace.Workspace {
	t.Helper()
	w, err := workspace.New(dir, extra...)
	require.NoError(t, err)
	return w
}

var everything = workspace.Ignore{Git: true, Gemini: true}

func TestIgnored(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		files map[string]string // in addition to the files that are asked about
		ig    workspace.Ignore
		want  string // the ignored ones of the paths
		kept  string
	}{
		// Which files count.
		{"gitignore in a repository", map[string]string{".git/": "", ".gitignore": "*.log\n"}, everything, "a.log x/b.log",
			"a.txt"},
		{"gitignore without a repository", map[string]string{".gitignore": "*.log\n"}, everything, "", "a.log"},
		{"gitignore switched off", map[string]string{".git/": "", ".gitignore": "*.log\n"}, workspace.Ignore{Gemini: true},
			"", "a.log"},
		{"info/exclude", map[string]string{".git/info/exclude": "a\n"}, everything, "a x/a", "b"},
		{"a .git file, as in worktrees", map[string]string{".git": "gitdir: w\n", "w/commondir": "../common\n",
			"common/info/exclude": "a\n"}, everything, "a", "b"},
		{"nested gitignore", map[string]string{".git/": "", "x/.gitignore": "a\n"}, everything, "x/a x/y/a", "a"},
		{"nested gitignore undoes", map[string]string{".git/": "", ".gitignore": "*.log\n", "x/.gitignore": "!a.log\n"},
			everything, "a.log x/b.log", "x/a.log"},
		{"a repository inside", map[string]string{"x/.git/": "", "x/.gitignore": "a\n"}, everything, "x/a", "a"},
		{"geminiignore needs no repository", map[string]string{".geminiignore": "*.log\n"}, everything, "a.log x/b.log",
			"a.txt"},
		{"geminiignore of the root only", map[string]string{"x/.geminiignore": "*.log\n"}, everything, "", "x/b.log"},
		{"geminiignore switched off", map[string]string{".geminiignore": "*.log\n"}, workspace.Ignore{Git: true}, "",
			"a.log"},
		{"geminiignore undoes gitignore", map[string]string{".git/": "", ".gitignore": "*.log\n",
			".geminiignore": "!a.log\n"}, everything, "b.log", "a.log"},
		{"custom files, the later wins", map[string]string{"one": "*.log\n", "two": "!a.log\n"},
			workspace.Ignore{Gemini: true, Custom: []string{"one", "two"}}, "b.log", "a.log"},
		{"a custom file that is missing", map[string]string{".geminiignore": "b\n"},
			workspace.Ignore{Gemini: true, Custom: []string{"gone"}}, "b", "a"},
		{"an ignore file that is a directory", map[string]string{".geminiignore/": ""}, everything, "", "a"},
		// Directories.
		{"inside an ignored directory", map[string]string{".git/": "", ".gitignore": "dist/\n!dist/keep\n"}, everything,
			"dist/ dist/keep dist/a/b", "dist2/"},
		{"a directory rule and a file", map[string]string{".git/": "", ".gitignore": "dist/\n"}, everything, "", "dist"},
		// Odd lines.
		{"comments, blanks, escapes", map[string]string{".geminiignore": "# a\n\n\\#b\n\\!c\n  \nd\\ \ne  \n"}, everything,
			"#b !c e", "a f"},
		{"CRLF and a byte order mark", map[string]string{".geminiignore": "\ufeffa\r\nb\r\n"}, everything, "a b", "c"},
		{"braces are letters", map[string]string{".geminiignore": "{a,b}\n"}, everything, "{a,b}", "a b"},
		{"an invalid class", map[string]string{".geminiignore": "a[\nb\n"}, everything, "b", "a["},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := open(t, filetest.Tree(t, tt.files))
			for _, path := range strings.Fields(tt.want) {
				assert.True(t, isIgnored(t, w, path, tt.ig), path)
			}
			for _, path := range strings.Fields(tt.kept) {
				assert.False(t, isIgnored(t, w, path, tt.ig), path)
			}
		})
	}
}

func isIgnored(t *testing.T, w *workspace.Workspace, path string, ig workspace.Ignore) bool {
	got, err := w.Ignored(path, strings.HasSuffix(path, "/"), ig)
	require.NoError(t, err)
	return got
}

func TestIgnoredAboveTheWorkspace(t *testing.T) {
	t.Parallel()
	dir := filetest.Tree(t, map[string]string{
		".git/info/exclude": "/sub/d/x\n", ".gitignore": "*.log\n/sub/a\n", "sub/.gitignore": "d/b\n", "sub/d/": "",
	})
	w := open(t, filepath.Join(dir, "sub", "d"))
	for path, want := range map[string]bool{"x": true, "y.log": true, "b": true, "a": false} {
		assert.Equal(t, want, isIgnored(t, w, path, everything), path)
	}
}

func TestIgnoredLinks(t *testing.T) {
	t.Parallel()
	w := open(t, filetest.Tree(t, map[string]string{".geminiignore": "secret\nlink2\n", "secret": "s", "plain": "p",
		"link": "-> secret", "link2": "-> plain"}))
	assert.True(t, isIgnored(t, w, "link", everything), "its target is ignored")
	assert.True(t, isIgnored(t, w, "link2", everything), "it is ignored itself")
	_, err := w.Ignored("../x", false, everything)
	require.ErrorIs(t, err, workspace.ErrOutside)
}

// Random rules and paths are compared with git itself.
func TestIgnoredAgreesWithGit(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	pick := func(from []string) string { return from[rnd.IntN(len(from))] }
	names := []string{"a", "b", "ab", "a.b", "c.go"}
	atoms := append([]string{"*", "?", "**", "a*", "*.go", "[ab]", "[!a]", "*b", "a**b", `\a`, "[a-c]*"}, names...)
	for round := range 40 {
		var rules strings.Builder
		for range 1 + rnd.IntN(4) {
			parts := make([]string, 1+rnd.IntN(3))
			for i := range parts {
				parts[i] = pick(atoms)
			}
			fmt.Fprintf(&rules, "%s%s%s%s\n", pick([]string{"", "", "!"}), pick([]string{"", "", "/"}), strings.Join(parts, "/"),
				pick([]string{"", "", "/"}))
		}
		files, paths := map[string]string{}, []string{}
		for range 30 {
			p := pick(names)
			for range rnd.IntN(3) {
				p += ".d/" + pick(names)
			}
			paths, files[p+"_/"] = append(paths, p), ""
		}
		files[".gitignore"] = rules.String()
		dir := filetest.Tree(t, files)
		require.NoError(t, exec.Command("git", "init", "-q", dir).Run())
		w := open(t, dir)
		want := checkIgnore(t, dir, paths)
		for _, p := range paths {
			assert.Equal(t, want[p], isIgnored(t, w, p, workspace.Ignore{Git: true}), "round %d, path %s, rules:\n%s", round, p,
				&rules)
		}
	}
}

// checkIgnore asks git which of paths are ignored.
func checkIgnore(t *testing.T, dir string, paths []string) map[string]bool {
	cmd := exec.Command("git", "-C", dir, "check-ignore", "--no-index", "--stdin")
	cmd.Stdin = strings.NewReader(strings.Join(paths, "\n"))
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, _ := cmd.Output() // exit code 1 means that none is
	require.Empty(t, errs.String())
	yes := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		yes[strings.TrimSpace(line)] = true
	}
	return yes
}

// TestIgnoreFaults checks that an ignore file that is not read, or not read whole, is
// reported.
func TestIgnoreFaults(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".git", "info", "exclude"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".geminiignore"), bytes.Repeat([]byte("x\n"), 1<<20), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("x\n"), 0o600))
	ws, err := workspace.New(dir)
	require.NoError(t, err)
	all := workspace.Ignore{Git: true, Gemini: true, Custom: []string{"none", "sub/none"}}
	faults := ws.IgnoreFaults(all)
	require.Len(t, faults, 2)
	assert.ErrorContains(t, faults[0], ".geminiignore: larger than 1 MiB")
	assert.ErrorContains(t, faults[1], "exclude")
	assert.Empty(t, ws.IgnoreFaults(workspace.Ignore{}))
}
