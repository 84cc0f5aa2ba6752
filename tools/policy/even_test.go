package policy

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestAskedEvenIfAllowed checks that some built-in rules ask although another rule
// allows, unless a user's rule outranks them.
func TestAskedEvenIfAllowed(t *testing.T) {
	t.Parallel()
	const allow = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = [\"rm\", \"git push\", \"tee\", " +
		"\"make\"]\ndecision = \"allow\"\npriority = 1\n"
	const outranked = allow +
		"[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"rm -rf build\"\ndecision = \"allow\"\n" +
		"priority = 1\nevenIfAllowed = true\n"
	for command, want := range map[string]Decision{
		"rm a": Allow, "rm -rf a": Ask, "rm -f -R a": Ask, "rm --recursive a": Ask, "rm --r a": Ask, "rm --rec -f a": Ask, "rm {-r,a}": Ask, "tee .gemin{i,x}/a": Ask,
		"rm $x": Ask, "git push --mir o": Ask, "git push --del o b": Ask, "git push --pru": Ask, "git push --force-if-includes": Ask,
		"make -sE x": Ask, "make -ksE'x:;touch a' x": Ask, "make -f - x": Ask, "make -f- x": Ask, "make -sf /dev/stdin": Ask, "make -f a.mk x": Allow,
		"make --file=- x": Ask, "make --makefile - x": Ask, "make --fi=- x": Ask, "make -k test-fast": Allow, "git push origin main": Allow,
		"git push -f": Ask, "git push origin +main": Ask, "git push --force-with-lease": Ask,
		"tee a": Allow, "tee .gemini/settings.json": Ask, "tee pkg/.gemini/x": Ask, "make all": Allow,
		"make all CC=evil": Ask, "make --eval=x": Ask, "rm -rf build": Ask,
	} {
		assert.Equal(t, want, engineWith(t, allow, Options{Interactive: true}).Check(shellCall(command)).Decision, command)
	}
	for command, want := range map[string]Decision{"rm -rf build": Allow, "rm -rf a": Ask} {
		assert.Equal(t, want, engineWith(t, outranked, Options{Interactive: true}).Check(shellCall(command)).Decision,
			command)
	}
	assert.Equal(t, Allow, engineWith(t, "", Options{Interactive: true, Mode: ModeYolo}).Check(
		shellCall("rm -rf a")).Decision, "yolo asks about nothing")
}

// TestHeadlessRefusalNamesTheFlag checks that, if the user cannot be asked, the refusal
// names the rule and what would allow the command.
func TestHeadlessRefusalNamesTheFlag(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"go test ./...": ", allowed by --allowed-tools 'run_shell_command(go test)'", "x=1 ls": "(no changes without a user)",
	} {
		v := engineWith(t, "", Options{}).Check(shellCall(command))
		assert.Equal(t, Deny, v.Decision, command)
		assert.Contains(t, v.Reason, "refused by built-in policy:", command)
		assert.Contains(t, v.Reason, want, command)
	}
}

// A rule that allows redirections does not allow a second expansion.
func TestRedirectionsAreNotExpandedTwice(t *testing.T) {
	t.Parallel()
	e := engineWith(t, `
[[rule]]
toolName = "run_shell_command"
commandPrefix = "git status"
allowRedirection = true
decision = "allow"
priority = 100`, Options{Interactive: true})
	for command, want := range map[string]Decision{
		"git status > $x": Ask, "git status >& file": Ask, "git status 2>&1": Allow,
		"git status >&$x": Ask, `git status >&"$x"`: Ask, "git status >&'b[$(curl)]'": Ask, "git status <&'b[`curl`]'": Ask,
	} {
		assert.Equal(t, want, e.Check(shellCall(command)).Decision, command)
	}
}

// A pattern that matches a file by which programs run later is asked about as its name is.
func TestPatternsAreJudgedByWhatTheyMatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{".husky", ".git/hooks", "src"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o755))
	}
	e := engineWith(t, "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"cp\"\ndecision = \"allow\"\npriority = 1\n",
		Options{Interactive: true, Sensitive: func(path string) bool {
			return strings.Contains(path, "/.husky") || strings.Contains(path, "/.git/")
		}})
	for command, want := range map[string]Decision{
		"cp a .husky": Ask, "cp a .hus*": Ask, "cp a .gi?/hooks": Ask, "cp a s*": Allow, "cp *.go src": Allow, "cp a .h*y": Ask,
	} {
		c := shellCall(command)
		c.Intent.Exec.Dir = dir
		assert.Equal(t, want, e.Check(c).Decision, command)
	}
}
