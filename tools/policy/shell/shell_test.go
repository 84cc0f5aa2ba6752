package shell

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// render writes a command as "kind text", with the words that are not known as
// ? and marks for redirections and safety.
func render(c Command) string {
	words := make([]string, len(c.Words))
	for i, w := range c.Words {
		words[i] = w.Text
		if !w.Known {
			words[i] = "?"
		}
	}
	out := []string{[]string{"plain", "wrapper", "opaque", "effect"}[c.Kind]}
	if len(words) > 0 {
		out = append(out, strings.Join(words, "_"))
	}
	if c.Safe {
		out = append(out, "safe")
	}
	for _, r := range c.Redirects {
		out = append(out, ">"+r.Target.Text)
	}
	return strings.Join(out, " ")
}

func TestParseFindsWhatRuns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line string
		want []string
	}{
		{"a b", []string{"plain a_b"}},
		{"a; b && c | d &", []string{"plain a", "plain b", "plain c", "plain d"}},
		{"a $(b `c`)", []string{"plain a_?", "plain b_?", "plain c"}},
		{"a <(b) > f", []string{"plain a_? >f", "plain b >f"}},
		{"{ a; b >g; } >f; c", []string{"plain a >f", "plain b >f >g", "plain c"}},
		{"a 2>&1 >/dev/null", []string{"plain a"}},
		{"timeout 5 env LANG=C a b", []string{"wrapper timeout_5_env_LANG=C_a_b", "wrapper env_LANG=C_a_b", "plain a_b"}},
		{"env", []string{"plain env"}},
		{"env X=1 a", []string{"wrapper env_X=1_a", "effect", "plain a"}},
		{"X=1 a", []string{"effect", "plain a"}},
		{"x=1; a $x", []string{"plain a_?"}},
		{"bash -c 'a; b'", []string{"wrapper bash_-c_a; b", "plain a", "plain b"}},
		{"bash -c \"$x\"", []string{"wrapper bash_-c_?", "opaque"}},
		{"sh -c '((a))'", []string{"wrapper sh_-c_((a))", "effect", "plain a"}},
		{"$x a", []string{"opaque"}},
		{"eval \"a b\" c", []string{"wrapper eval_a b_c", "plain a_b_c"}},
		{"x | xargs -0 -I@ a @ b", []string{"plain x", "wrapper xargs_-0_-I@_a_@_b", "plain a_?_b_?"}},
		{"find . -exec a {} +", []string{"plain find_._-exec_a_{}_+", "plain a_?"}},
		{"find . -name x", []string{"plain find_._-name_x safe"}},
		{"f() { a; }", []string{"effect", "plain a"}},
		{"for i in 1; do a $i; done", []string{"plain a_?"}},
		{"trap 'a' EXIT", []string{"wrapper trap_a_EXIT", "plain a"}},
		{"cat <<E\n$(a)\nE", []string{"plain cat >", "plain a >"}},
		{"ls -l", []string{"plain ls_-l safe"}},
		{"cd x && ls", []string{"plain cd_x safe", "plain ls safe"}},
		{"cd x && a", []string{"plain cd_x", "plain a"}},
		{"# nothing", nil},
	} {
		line, err := Parse(c.line)
		require.NoError(t, err, c.line)
		var got []string
		for _, cmd := range line.Commands {
			got = append(got, render(cmd))
		}
		assert.Equal(t, c.want, got, c.line)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"a '", "a )", "if", "a\r\nb", "a\x00b", "a \xff", "$(", "a <<"} {
		_, err := Parse(line)
		assert.Error(t, err, "%q", line)
	}
}

func TestNestingHasAnEnd(t *testing.T) {
	t.Parallel()
	line, err := Parse(strings.Repeat("nohup ", 100) + "a")
	require.NoError(t, err)
	last := line.Commands[len(line.Commands)-1]
	assert.Equal(t, Opaque, last.Kind)
	assert.Less(t, len(line.Commands), 20)
}

func TestDanger(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line   string
		danger bool
	}{
		{"rm a", false}, {"rm -i a", false}, {"rm -rf a", true}, {"rm -- -rf", false}, {"rm $x", true}, {"/bin/rm -r a", true},
		{"sudo a", true}, {"su", true}, {"dd if=a of=b", true}, {"mkfs.ext4 /dev/x", true}, {"reboot", true}, {"chmod -R 0 .", true}, {"chmod +x a", false},
		{"kill -9 -1", true}, {"kill 12", false}, {"find . -delete", true}, {"rg --pre=x y", true},
		{"bash", true}, {"bash -s a", true}, {"bash a.sh", false}, {"bash --version", false}, {"bash /dev/fd/0", true},
		// git: what runs programs, what changes its settings, what is lost
		{"git status", false}, {"git commit -am x", false}, {"git push", false}, {"git reset a", false}, {"git config --get user.name", false}, {"git bisect start", false},
		{"git -c a=b status", true}, {"git --exec-path=x status", true}, {"git $x", true}, {"git reset --hard", true}, {"git clean -fd", true},
		{"git push -f", true}, {"git push --force-with-lease", true}, {"git push o :b", true}, {"git push o +b", true}, {"git config alias.x '!y'", true},
		{"git rebase -x y", true}, {"git bisect run y", true}, {"git submodule foreach y", true}, {"git fetch --upload-pack=y", true}, {"git grep -Oy z", true},
		{"git difftool", true}, {"git clone ext::y", true},
	} {
		line, err := Parse(c.line)
		require.NoError(t, err)
		assert.Equal(t, c.danger, line.Commands[0].Danger != "", "%s: %s", c.line, line.Commands[0].Danger)
	}
}
