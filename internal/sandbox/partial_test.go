package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/proc"
)

// TestLandlockAlone checks that, without namespaces, everything is enforced that
// Partial does not name.
func TestLandlockAlone(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	s.partial = true
	dir := folder(t, t.TempDir())
	for _, w := range ways {
		if _, err := proc.Look(w.needs); w.needs != "" && err != nil || w.metadata() {
			continue
		}
		before := state(t, dir)
		out, _ := run(t, s, false, s.Temp(), w.line, "D="+dir, "IN="+folder(t, s.Temp()),
			"ID="+strings.ReplaceAll(w.name, "/", ""))
		assert.Equal(t, before, state(t, dir), "%s: %s", w.name, out)
	}
	out, code := run(t, s, false, dir, `chmod 711 sub && exec 3<> /dev/tcp/127.0.0.1/9`)
	assert.NotZero(t, code, out)
	assert.Contains(t, out, "Operation not permitted")
	assert.Contains(t, s.Partial(), "permissions")
}

// TestWhatCannotBeConfinedDoesNotRun checks that a command does not run if the program
// cannot restrict itself, or if its restrictions are missing.
func TestWhatCannotBeConfinedDoesNotRun(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	_, err := Open(t.Context(), Options{Writable: []string{string(filepath.Separator)}})
	assert.ErrorContains(t, err, "nothing is left to confine")
	for _, spoil := range []func(argv []string) []string{
		func(argv []string) []string {
			return append(argv[:2:2], append([]string{"w/is/not/there"}, argv[2:]...)...)
		},
		func(argv []string) []string { return append(argv[:2:2], append([]string{"x"}, argv[2:]...)...) },
	} {
		mark := filepath.Join(s.Temp(), "ran")
		r, err := proc.Run(t.Context(), proc.Command{Line: "touch " + mark, Dir: s.Temp(), Merge: true,
			Out: proc.Limit{Head: 1000},
			Confine: func(argv []string, attr *os.ProcAttr) ([]string, error) {
				argv, err := s.Confine(argv, attr)
				return spoil(argv), err
			}})
		require.NoError(t, err)
		assert.Equal(t, 126, r.ExitCode)
		assert.Contains(t, string(r.Stdout.Bytes()), "minigem: the command was not run, because it cannot be confined: ")
		assert.NoFileExists(t, mark)
	}
}

// TestEnvironment checks that a command gets its variables unchanged, and that none of
// them affects the program that starts it.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	out, code := run(t, s, false, s.Temp(), `echo "$LD_PRELOAD $_X $TMPDIR $0 $#"`, "LD_PRELOAD=/is/not/there.so", "_X=x")
	assert.Zero(t, code)
	assert.Contains(t, out, "/is/not/there.so x "+s.Temp()+" ")
	attr := os.ProcAttr{Env: []string{"LD_PRELOAD=x"}, Sys: nil}
	s.partial = true
	_, err := s.Confine([]string{"bash"}, &attr)
	require.NoError(t, err)
	for _, e := range attr.Env {
		assert.True(t, strings.HasPrefix(e, "_"), e)
	}
}

func TestProfile(t *testing.T) {
	t.Parallel()
	r := rules{writable: []string{"/tmp/t", `/w/a "b"`}, kept: []string{`/w/a "b"/c/k`}}
	assert.Equal(t, `(version 1)
(allow default)
(deny file-write*)
(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/ptmx") (regex #"^/dev/ttys[0-9]+$"))
(allow file-write* (subpath "/tmp/t"))
(allow file-write* (subpath "/w/a \"b\""))
(deny file-write* (subpath "/w/a \"b\"/c/k"))
(deny file-write-unlink (literal "/w/a \"b\"/c"))
(deny network*)
`, r.profile())
}

// BenchmarkCommand compares the cost of running a command with and without the sandbox.
func BenchmarkCommand(b *testing.B) {
	dir := b.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o755); err != nil {
		b.Fatal(err)
	}
	s := open(b, Options{Writable: []string{dir}, Kept: func() []string { return []string{filepath.Join(dir, ".git")} }})
	partial := *s
	partial.partial = true
	for _, c := range []struct {
		name string
		s    *Sandbox
	}{{"bare", nil}, {"confined", s}, {"landlock", &partial}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				run(b, c.s, false, dir, ":")
			}
		})
	}
}
