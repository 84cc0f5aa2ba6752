package shell

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPlainLines checks that a line is plain only if each of its nodes is known to be
// plain.
func TestPlainLines(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"ls": true, "ls -l | head && pwd; id || true": true, "! ls": true, `grep "a b" 'c $(d)' e\ f`: true,
		"ls $x ${y} $?": true, "ls *.go": true, "ls # $(x)": true, `grep "a$" b$`: true,
		"ls >/dev/null 2>&1 </dev/null": true, "ls >a 2>>b <c &>d >|e": true, "ls 2>&- 3>&1-": true,
		"": true, "ls &": false, "(ls)": false, "{ ls; }": false, "time ls": false, "x=1": false, "x=1 ls": false,
		"x=1 >f": false, ">f": false, "((1)) >f": false, "eval >f": true,
		"if ls; then ls; fi": false, "while ls; do ls; done": false, "for x in a; do ls; done": false,
		"case a in a) ls;; esac": false, "f() { ls; }": false, "[[ a ]]": false, "((1))": false, "let 1": false,
		"export x": false, "coproc ls": false, "ls $(id)": false, "ls `id`": false, "ls <(id)": false, "ls $((1))": false,
		"ls $[1]": false, `ls "$(id)"`: false,
		"ls ${x:-a}": false, "ls ${!x}": false, "ls ${x[1]}": false, "ls ${#x}": false, "ls ${x@P}": false,
		`ls "${x-'$(id)'}"`: false, "cat <<E\n${x-'$(id)'}\nE": false, "cat <<E\na\nE": false, "cat <<<a": false,
		"ls $'a'": false, `ls $"a"`: false, "ls {x}>a": false, "ls >&2026-11-23": false, "ls >&$x": false, "ls <>a": false,
		"ls >/dev/tcp/h/1": false, "ls @(a|b)": false,
		"{ ls; } >f": false, "(ls) >f": false, "ls | (cat) >f": false,
	} {
		parsed, err := Parse(line)
		require.NoError(t, err, line)
		assert.Equal(t, want, parsed.Plain, line)
	}
}

// TestCommands checks that all commands anywhere in a line are listed, with their known
// words.
func TestCommands(t *testing.T) {
	t.Parallel()
	line, err := Parse("if a \"b c\"; then d $(e f* {g,h}) ~/i >j; fi; k() { \"$l\" m; }")
	require.NoError(t, err)
	var names []string
	for _, c := range line.Commands {
		names = append(names, c.Name())
	}
	assert.Equal(t, []string{"a", "d", "e", ""}, names)
	assert.Equal(t, "a b c", line.Commands[0].Text())
	assert.Equal(t, []Word{{Text: "e", Known: true}, {Text: "f*", Glob: true}, {Text: "{g,h}"}}, line.Commands[2].Words)
	assert.True(t, line.Commands[3].Opaque())
	for text, opaque := range map[string]bool{"sh": true, "bash -s": true, "bash /dev/stdin": true, "bash x.sh": false,
		"eval $x": true, "eval x": false, "ls $x": false, "bash --version": true} {
		parsed, err := Parse(text)
		require.NoError(t, err)
		assert.Equal(t, opaque, parsed.Commands[0].Opaque(), text)
	}
}

// TestWhatIsMeantToWriteIsNotReading checks that a command that is meant to write needs
// approval, because it could only fail if confined.
func TestWhatIsMeantToWriteIsNotReading(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"sed -n p a": true, "sed -ni p a": false, "find . -name a": true, "find . -delete": false, "sort a": true,
		"sort -uo a a": false, "git branch -a": true, "git branch new": false,
		"git branch --list 'a*'": false, "git remote -v": true, "git tag v1": false, "git remote add a b": false, "git stash": false,
		"git log --output=a": false, "git -C a log": false, "git --no-pager log": true,
		"command -v a": true, "command rm a": false, "date +%s": true, "date -s 1": false, "hostname x": false,
		"tee a": false, "env": false, "xargs cat": false,
	} {
		parsed, err := Parse(text)
		require.NoError(t, err)
		assert.Equal(t, want, parsed.Commands[0].Reads(), text)
	}
}
