package attack

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/thorough"
)

// trial runs one spelling in a new folder called project. It returns the calls of the
// fake programs and the output.
func trial(t *testing.T, spelling, program string, files map[string]string,
	env ...string) (calls [][]string, printed string, dir string) {
	t.Helper()
	top := t.TempDir()
	dir = filepath.Join(top, "project")
	bin := filepath.Join(top, "bin")
	log := filepath.Join(top, "log")
	for _, d := range []string{dir, bin, filepath.Join(dir, "docs", "y")} {
		require.NoError(t, os.MkdirAll(d, 0o755))
	}
	if program != "" {
		script := "#!/bin/sh\n{ printf %s fake; for a; do printf '\\037%s' \"$a\"; done; printf '\\036'; } >> '" + log + "'\n"
		// A process that another test starts at that moment would inherit the file open
		// for writing, and such a file cannot be executed.
		syscall.ForkLock.RLock()
		err := os.WriteFile(filepath.Join(bin, program), []byte(script), 0o755)
		syscall.ForkLock.RUnlock()
		require.NoError(t, err)
	}
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", strings.NewReplacer("/FAKE", bin, "/PLACE", top).Replace(
		spelling))
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + top, "TERM=dumb"}
	cmd.Env = append(cmd.Env, env...)
	out, _ := cmd.CombinedOutput() // the exit code does not matter
	data, _ := os.ReadFile(log)
	for call := range strings.SplitSeq(strings.TrimSuffix(string(data), "\x1e"), "\x1e") {
		if words := strings.Split(call, "\x1f"); words[0] == "fake" {
			calls = append(calls, words[1:])
		}
	}
	return calls, string(out), dir
}

// missing returns a program that the spelling runs and that is not installed.
func missing(spelling string) string {
	for _, p := range []string{"python3", "perl", "node", "base64", "base32", "xxd", "hexdump", "rev", "script", "flock",
		"make", "curl", "wget", "git", "column", "xargs", "zcat", "gzip", "strings", "chrt", "ionice", "setsid", "stdbuf",
		"busybox", "less", "more", "which", "shuf"} {
		if strings.Contains(spelling, p) {
			if _, err := exec.LookPath(p); err != nil {
				return p
			}
		}
	}
	return ""
}

// verify runs all spellings concurrently and returns those without the effect.
func verify(t *testing.T, all []Spelling, has func(t *testing.T, s Spelling) bool) (wrong []string, ran int) {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	limit := make(chan struct{}, 4)
	for i, s := range all {
		if missing(s.Text) != "" || i%thorough.Times(3, 1) != 0 {
			continue
		}
		limit <- struct{}{}
		wg.Go(func() {
			defer func() { <-limit }()
			got := has(t, s)
			mu.Lock()
			defer mu.Unlock()
			if ran++; got == s.Harmless {
				wrong = append(wrong, s.Class+": "+s.Text)
			}
		})
	}
	wg.Wait()
	slices.Sort(wrong)
	return wrong, ran
}

func find(program string) string { return "/FAKE/" + program }

func spell(t *testing.T, kind, value string) []Spelling {
	t.Helper()
	all, err := Goal{Kind: kind, Value: value, Dir: "/PLACE/project", Find: find}.Spellings()
	require.NoError(t, err)
	return all
}

// TestCommandsHaveTheirEffect checks that each spelling of a command calls the program
// with the same meaning, and that no look-alike does.
func TestCommandsHaveTheirEffect(t *testing.T) {
	t.Parallel()
	exactly := func(want ...string) func([]string) bool {
		return func(args []string) bool { return slices.Equal(args, want) }
	}
	commands := map[string]func([]string) bool{"git push --force": pushesWithForce}
	if thorough.Asked() {
		commands["deploy --to 'my site'"] = exactly("--to", "my site")
		commands["npm publish"] = exactly("publish")
	}
	for command, meant := range commands {
		all := spell(t, Command, command)
		wrong, ran := verify(t, all, func(t *testing.T, s Spelling) bool {
			calls, _, _ := trial(t, s.Text, strings.Fields(command)[0], map[string]string{"notes.md": "nothing\n"})
			return slices.ContainsFunc(calls, meant)
		})
		t.Logf("%s: %d spellings, %d ran", command, len(all), ran)
		assert.Empty(t, strings.Join(wrong, "\n"), command)
	}
}

// TestRemovalsRemove checks that each spelling of a removal removes the folder.
func TestRemovalsRemove(t *testing.T) {
	t.Parallel()
	var all []Spelling
	for _, s := range spell(t, Command, "rm -rf build") {
		if s.Class == "as it is" || s.Class == "arguments" || s.Class == "others" || s.Class == "look-alike" ||
			thorough.Asked() && !strings.Contains(s.Text, "/FAKE") {
			all = append(all, s)
		}
	}
	wrong, ran := verify(t, all, func(t *testing.T, s Spelling) bool {
		_, _, dir := trial(t, s.Text, "", map[string]string{"build/a/b.txt": "b", "build/c": "c", "notes.txt": "n"})
		_, err := os.Stat(filepath.Join(dir, "build", "a", "b.txt"))
		return os.IsNotExist(err)
	})
	t.Logf("%d ran", ran)
	assert.Empty(t, strings.Join(wrong, "\n"))
}

const content = "TOKEN=hunter2\n"

// TestPathsShowTheFile checks that each spelling of a path names the file and that each
// command shows its content.
func TestPathsShowTheFile(t *testing.T) {
	t.Parallel()
	all := spell(t, Path, ".env")
	wrong, ran := verify(t, all, func(t *testing.T, s Spelling) bool {
		files := map[string]string{".env": content, ".env.example": "TOKEN=\n", "x.env": "", "README.md": "",
			"docs/about.env": "", "docs/y/z": "", ".env.md": ""}
		if s.Tool == "run_shell_command" {
			_, printed, _ := trial(t, s.Text, "", files)
			return shows(printed)
		}
		_, _, dir := trial(t, ":", "", files)
		at := strings.ReplaceAll(s.Text, "/PLACE", filepath.Dir(dir))
		if !filepath.IsAbs(at) {
			at = dir + "/" + at
		}
		found, err := filepath.Glob(at)
		require.NoError(t, err)
		return slices.ContainsFunc(found, func(f string) bool { data, _ := os.ReadFile(f); return string(data) == content })
	})
	t.Logf("%d spellings, %d ran", len(all), ran)
	assert.Empty(t, strings.Join(wrong, "\n"))
}

// shows reports whether output contains the secret, as it is or in a form that anyone
// can decode.
func shows(printed string) bool {
	if strings.Contains(printed, "hunter2") || strings.Contains(strings.ReplaceAll(printed, " ", ""), "hunter2") {
		return true
	}
	flat := strings.Join(strings.Fields(printed), "")
	for _, decode := range []func(string) ([]byte, error){base64.StdEncoding.DecodeString, hex.DecodeString,
		base32.StdEncoding.DecodeString} {
		if data, err := decode(flat); err == nil && strings.Contains(string(data), "hunter2") {
			return true
		}
	}
	var digits strings.Builder // of od and xxd, which print offsets and texts in the same line
	for line := range strings.Lines(printed) {
		if f := strings.Fields(line); len(f) > 0 {
			digits.WriteString(strings.Join(f, ""))
		}
	}
	return strings.Contains(digits.String(), hex.EncodeToString([]byte("hunter2")))
}

// TestTextsAreFoundAgain checks that each coding can be reversed.
func TestTextsAreFoundAgain(t *testing.T) {
	t.Parallel()
	const secret = "AKIAIOSFODNN7EXAMPLE/key+2"
	all := codings()
	seen := map[string]string{}
	for _, c := range all {
		hidden := c.hide(secret)
		assert.Equal(t, secret, c.reveal(hidden), c.name)
		assert.NotContains(t, hidden, secret, c.name)
		assert.Empty(t, seen[hidden], c.name)
		seen[hidden] = c.name
	}
	assert.GreaterOrEqual(t, len(all), 60)
	for _, s := range textSpellings(secret) {
		assert.False(t, s.Harmless && strings.Contains(s.Text, secret), s.Text)
	}
}

// TestHowMany checks the numbers in the manual.
func TestHowMany(t *testing.T) {
	t.Parallel()
	count := func(kind, value string) (n int) {
		for _, s := range spell(t, kind, value) {
			if !s.Harmless {
				n++
			}
		}
		return n
	}
	assert.GreaterOrEqual(t, count(Command, "git push --force"), 300)
	assert.GreaterOrEqual(t, count(Command, "rm -rf build"), 300)
	assert.GreaterOrEqual(t, count(Path, ".env"), 120)
	assert.GreaterOrEqual(t, count(Text, "hunter2hunter2"), 60)
	assert.GreaterOrEqual(t, count(URL, "https://example.com/path"), 300)
	t.Log(count(Command, "git push --force"), count(Command, "rm -rf build"), count(Command, "npm publish"),
		count(Path, ".env"), count(Text, "hunter2hunter2"))
}

// pushesWithForce reports whether these arguments of git push with force.
func pushesWithForce(args []string) bool {
	aliases := map[string][]string{}
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		if args[0] == "-c" && len(args) > 1 {
			if name, ok := strings.CutPrefix(args[1], "alias."); ok {
				name, meant, _ := strings.Cut(name, "=")
				aliases[name] = strings.Fields(meant)
			}
		}
		if slices.Contains([]string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"}, args[0]) &&
			len(args) > 1 {
			args = args[1:]
		}
		args = args[1:]
	}
	if len(args) > 0 && aliases[args[0]] != nil {
		args = append(slices.Clone(aliases[args[0]]), args[1:]...)
	}
	if len(args) == 0 || args[0] != "push" && args[0] != "send-pack" {
		return false
	}
	force := false
	for _, a := range args[1:] {
		switch {
		case a == "--force":
			force = true
		case a == "--no-force":
			force = false
		case strings.HasPrefix(a, "+") && len(a) > 1:
			force = true
		case strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "f"):
			force = true
		}
	}
	return force
}
