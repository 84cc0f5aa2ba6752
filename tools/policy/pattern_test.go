package policy

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestPatternsThatDeny checks that unknown words may be what a pattern denies, and that
// a known other program is not.
func TestPatternsThatDeny(t *testing.T) {
	t.Parallel()
	const push, anywhere, args = "git push", ".*git push.*", "npm (.* )?publish"
	for _, c := range []struct {
		pattern, command string
		held             bool
	}{
		{push, "git push", true}, {push, "git pu''sh", true}, {push, "git $x", true}, {push, "git -C . $x", true}, {push, "/bin/git $x", true},
		{push, "git status $x", false}, {push, "ls $x", false}, {push, "for f in *.go; do gofmt -l $f; done", false}, {push, "python3 a.py", false},
		{push, `python3 -c 'run(["git", "push"])'`, true}, {push, "python3 -c 'print(1)'", false},
		{anywhere, "true && git push", true}, {anywhere, "git $x", true}, {anywhere, "ls $x", false}, {anywhere, "python3 a.py $x", false},
		{args, "npm --silent $x", true}, {args, "npm ci", false}, {args, "yarn $x", false},
		{".*--force.*", "ls $x", true}, {".*--force.*", "ls x", false}, {"(?i)NPM publish", "npm $x", true}, {"[a-z]+ publish", "npm $x", true}, {"[a-z]+ publish", "npm ci", false},
		{"npm publish|yarn publish", "yarn $x", true}, {"(npm|yarn) publish", "pnpm $x", false}, {"np(m|x)", `sh -c "$(printf npm)"`, true},
	} {
		e := engineWith(t, "[[rule]]\ntoolName = \"run_shell_command\"\ncommandRegex = '"+c.pattern+"'\ndecision = \"deny\"\npriority = 900", Options{Mode: ModeYolo})
		assert.Equal(t, c.held, e.Check(Call{Tool: "run_shell_command", Args: map[string]any{"command": c.command}}).Decision != Allow, "%s: %s", c.pattern, c.command)
	}
}
