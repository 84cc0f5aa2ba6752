package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/author/attack"
	"minigem/hooks/protocol"
)

func refuses(s attack.Spelling) bool {
	return guard(protocol.BeforeToolInput{ToolName: s.Tool, ToolInput: s.Args}).Decision == protocol.Deny
}

// TestHolds checks that every known spelling of a push with force is refused. Programs
// that only print such a command are refused too, because other languages are not
// parsed here.
func TestHolds(t *testing.T) {
	t.Parallel()
	all, err := attack.Goal{Kind: attack.Command, Value: "git push --force", Dir: "/p/project",
		Find: func(program string) string {
			return "/usr/bin/" + program
		}}.Spellings()
	require.NoError(t, err)
	var through, alarms []string
	for _, s := range all {
		switch refused := refuses(s); {
		case s.Harmless && refused:
			alarms = append(alarms, s.Text)
		case !s.Harmless && !refused:
			through = append(through, s.Class+": "+s.Text)
		}
	}
	assert.Greater(t, len(all), 600)
	assert.Empty(t, through)
	assert.Equal(t, []string{
		`printf '%s\n' 'git push --force'`, "cat <<E > notes.md\ngit push --force\nE", "cat <<'E'\ngit push --force\nE",
		"cat << E\nNever do this:\n  git push --force\nE",
		"x='git push --force'", `x='git push --force'; echo "$x"`,
		"test 'git push --force' = x", "[ 'git push --force' = x ]",
		`python3 -c 'print("git push --force")'`, `awk 'BEGIN{print "git push --force"}'`,
		"git commit -m 'never git push --force'",
	}, alarms)
}

// TestLeavesAlone checks that everyday commands go on.
func TestLeavesAlone(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"git push", "git push origin HEAD", "git push -u origin topic", "git push --tags", "git -C sub push origin main",
		"git status && git push",
		"git log --format='%h push --force'", "npm run push -- --force", "docker push -f x",
		"for f in *.go; do gofmt -l $f; done", "x=$(git rev-parse HEAD); echo $x",
		"git pull --force", "rm -f push", `git commit -m "push --force is refused"`,
	} {
		assert.False(t, refuses(attack.Spelling{Tool: "run_shell_command", Args: map[string]any{"command": command}}),
			command)
	}
	assert.False(t, refuses(attack.Spelling{Tool: "write_file", Args: map[string]any{"content": "git push --force"}}))
}
