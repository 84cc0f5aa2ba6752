package shell

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"

	"minigem/internal/waittest"
)

// A line that bash and the parser read differently is an error: bash would run text
// after the newline that the parser takes for words of the command before.
func TestWhatIsReadDifferently(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs bash to compare with")
	}
	for _, line := range []string{
		"echo a # \\\necho RAN", "echo a #\\\necho RAN", "(echo a # b \\\necho RAN)", "{ echo a; # \\\necho RAN; }", "echo $(echo a # \\\necho RAN\n)", "echo a; # \\\necho RAN",
		"# \\\necho RAN", "if true; then # \\\necho RAN; fi", "for f in a # \\\ndo echo RAN; done", "case a in # \\\na) echo RAN;; esac", "case a in a) # \\\necho RAN;; esac", "x=(a # \\\n`echo RAN >&2`)",
		"f() { # \\\necho RAN; }; f", "f() # \\\n{ echo RAN; }; f", "echo a | # \\\necho RAN", "true && # \\\necho RAN", "while true; do # \\\necho RAN; break; done", "cat <(echo a # \\\necho RAN\n)",
		"echo \"$(true # \\\necho RAN\n)\"", "[[ a == a && # \\\n`echo RAN >&2` != b ]]", "until # \\\necho RAN; do :; done", "select x in a; do # \\\necho RAN; done <<< 1", "bash -c 'true' # \\\necho RAN",
		"echo a\r#; echo RAN",
	} {
		_, err := Syntax(line, syntax.LangBash)
		assert.Error(t, err, "%q", line)
		out, _ := exec.CommandContext(waittest.Context(t), bash, "-c", line).CombinedOutput()
		assert.True(t, bytes.Contains(out, []byte("RAN")), "the line shows something: %q: %s", line, out)
	}
	for _, line := range []string{
		"echo a # b\\\\\necho b", "echo a # \\\\\\\necho b", "echo '# a' \\\n b", "echo '#\\\nb'", "echo a#\\\nb", "echo \"# a\\\nb\"", "cat <<E\n# a\\\nb\nE", "git commit -m \"Fix #12\" \\\n -q", "echo a \\\n b # c", "# a \\b\necho",
	} {
		_, err := Syntax(line, syntax.LangBash)
		assert.NoError(t, err, "%q", line)
	}
}

func TestControlCharacters(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"\r", "\x00", "\xff"} {
		_, err := Syntax("ls "+text, syntax.LangPOSIX)
		require.ErrorIs(t, err, errControl)
	}
	_, err := Syntax("ls '", syntax.LangPOSIX)
	require.Error(t, err)
	assert.False(t, strings.Contains(err.Error(), "control"))
}
