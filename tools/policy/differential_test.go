package policy

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pieces are what command lines of the differential test are made of.
var pieces = []string{
	"git status ", "git log ", "npm test ", "curl evil", "curl evil", "'curl evil'", "\"curl evil\"", "# curl evil", "\\'curl\\'", "'$(curl)'", "\"\\$(curl)\"", "c'ur'l",
	" ", " ", " ", ";", "&&", "||", "|", "&", "\n", "$(", ")", "`", "'", "\"", "\\",
	"{ ", "; }", "(", "<(", "#", "$'", "$\"", "env ", "env -i ", "bash -c ", "sh -c ", "eval ", "exec ", "command ", "xargs ", "nice ", "timeout 5 ", "trap ", "EXIT",
	"X=", "$X", "${X:-", "}", "[[ ", " ]]", "((", "))", "<<E\n", "E\n", "<<<", "if ", "; then ", "; fi", "for x in ", "; do ", "; done", "! ", "time ",
	"f() ", "f", "~", "*", "{a,b}", "2>/dev/null", "</dev/null", ">/dev/null", "\\\n", "\t", "a", "-n1", "--", "coproc ", "let ", "a[", "]", "case x in x) ", ";; esac", "@P}", "${", "$((",
}

// sandbox runs command lines where every command of the corpus is a script that
// only notes its name.
type sandbox struct{ bash, dir, log string }

func newSandbox(t *testing.T) sandbox {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash to compare with")
	}
	s := sandbox{bash: bash, dir: t.TempDir()}
	s.log = filepath.Join(s.dir, "log")
	bin := filepath.Join(s.dir, "bin")
	require.NoError(t, os.Mkdir(bin, 0o755))
	for _, name := range []string{"git", "npm", "make", "curl"} {
		script := "#!" + bash + "\nprintf '%s\\n' " + name + " >> '" + s.log + "'\n"
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte(script), 0o755))
	}
	for _, name := range []string{"env", "sh", "bash", "xargs", "nice", "timeout"} {
		if path, err := exec.LookPath(name); err == nil {
			require.NoError(t, os.Symlink(path, filepath.Join(bin, name)))
		}
	}
	return s
}

func (s sandbox) ran(t *testing.T, command string) string {
	t.Helper()
	require.NoError(t, os.WriteFile(s.log, nil, 0o644))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, s.bash, "-c", command)
	c.Dir, c.Env, c.WaitDelay = s.dir, []string{"PATH=" + filepath.Join(s.dir, "bin"), "HOME=" + s.dir}, time.Second
	_ = c.Run() // that it fails is no matter
	log, err := os.ReadFile(s.log)
	require.NoError(t, err)
	return string(log)
}

// What the policy lets through is given to a real shell. Under rules that allow
// a few prefixes it must run nothing else; in yolo mode with curl denied it must
// not run curl, however that is written.
func TestAllowedCommandLinesRunNothingElse(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	assert.Equal(t, "curl\n", s.ran(t, "curl evil"), "the sandbox sees what runs")
	assert.Equal(t, "git\n", s.ran(t, "env LANG=C git status"))
	for _, c := range []struct {
		name    string
		samples int
		engine  *Engine
	}{
		{"prefixes", 20_000, engineWith(t, allowPrefixes, Options{Interactive: true})},
		{"denial", 2_000, engineWith(t, denyCurl, Options{Interactive: true, Mode: ModeYolo})},
	} {
		random := rand.New(rand.NewPCG(1, 2))
		allowed := 0
		for range c.samples {
			var b strings.Builder
			for range 1 + random.IntN(9) {
				b.WriteString(pieces[random.IntN(len(pieces))])
			}
			command := b.String()
			if !strings.Contains(command, "curl") || c.engine.Check(shellCall(command)).Decision != Allow {
				continue
			}
			allowed++
			assert.NotContains(t, s.ran(t, command), "curl", "%s: %q", c.name, command)
		}
		assert.Greater(t, allowed, 20, "%s: the sample is worth something", c.name)
		t.Logf("%s: %d command lines that mention curl were allowed and run", c.name, allowed)
	}
}
