package shell

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHarmlessSed(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]bool{
		"p": true, "s/a/b/": true, "s/a/b/gp": true, "1,5p": true, "$d": true, "/x/,/y/d": true, "/x/I!d": true, "s|a|b|2g;p": true, "{p;p}": true, "/a/{s/b/c/;n;d}": true,
		":a;N;$!ba;s/\\n/ /g": true, "1i\\  text": true, "a text": true, "a\\\ntext": true, "0~3d": true, "2q": true, "y/abc/xyz/": true, "s/[^a]/b/": true, "s/[[:space:]]*$//": true,
		"s,a\\,b,c,": true, "1,+3p # w F": true, "s/a b/c d/": true, "": true, "1!G;h;$!d": true, "s/\\/w F/x/": true,
		"1etouch F": false, "e": false, "1e id": false, "s/.*/x/e": false, "s/.*/x/eg": false, "s/.*/x/ge": false, "s/a/b/wF": false, "s/a/b/w F": false, "s/a/b/gw F": false,
		"w F": false, "1wF": false, "1WF": false, "W F": false, "r F": false, "R F": false, "$r/etc/passwd": false, "{p;w F\n}": false, "/a/{w F\n}": false, "p;1eid": false,
		"s/[/]/w F/": false, "s/[/]/e/": false, "/[/]/w F/p": false, "a x\nw F": false, "a\\\nx\\\nw F": false, "s/a/b\\\nw F/": false, "s/a/b\nw F": false, "i\\\nx\n1eid": false,
		"s\na\nb\n": false, "sxaxbxe": false, "\\xax w F": false, "v 4.2\ne": false, "b a;w F": false, "#n\nw F": false, "y/a/b/;w F": false, "s/a/b/;;;w F": false, "1,2{e\n}": false, "pw F": false, "p e": false, "}": false, "{p": false,
	} {
		assert.Equal(t, want, harmlessSed(script), "%q", script)
	}
}

// What passes is given to a real sed: it neither makes a file nor changes one.
func TestHarmlessSedChangesNothing(t *testing.T) {
	t.Parallel()
	sed, err := exec.LookPath("sed")
	if err != nil {
		t.Skip("needs sed to compare with")
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in"), []byte("a\nb /x\n"), 0o644))
	pieces := []string{"s", "/", "|", "a", "[", "]", "^", "\\", "\n", ";", "{", "}", "w F", "e", "touch F", "1", "$", ",", "!", "p", "d", "i", "c", "y", "b", ":", " ", "#", "g", "W F", "s/a/b/", "/x/", "N", "~", "&", "q", "I", "M", "[:alpha:]"}
	random := rand.New(rand.NewPCG(3, 4))
	ran := 0
	for range 60_000 {
		var b strings.Builder
		for range 1 + random.IntN(8) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		script := b.String()
		if !strings.Contains(script, "F") && !strings.Contains(script, "e") || strings.ContainsAny(script, ":b") || !harmlessSed(script) {
			continue // loops have no end
		}
		ran++
		c := exec.Command(sed, "-n", script, "in")
		c.Dir, c.Env = dir, []string{"PATH=" + os.Getenv("PATH")}
		_ = c.Run() // that it fails is no matter
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, entries, 1, "%q", script)
		data, err := os.ReadFile(filepath.Join(dir, "in"))
		require.NoError(t, err)
		require.Equal(t, "a\nb /x\n", string(data), "%q", script)
	}
	assert.Greater(t, ran, 100)
	t.Logf("%d scripts that name a file or a command passed, and were run", ran)
}
