package attack

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/tools/policy"
)

// TestDenyRulesHold checks that no spelling of a command gets past a rule that denies it,
// by name or by pattern, even though everything else runs without asking.
func TestDenyRulesHold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ command, rule string }{
		{"git push --force", `commandPrefix = ["git push", "git send-pack"]`},
		{"git push --force", `commandRegex = '(\S*/)?git\s(.*\s)?(push|send-pack)\b'`},
		{"git push --force", `commandRegex = '.*git (push|send-pack).*'`},
		{"rm -rf build", `commandPrefix = "rm"`},
		{"rm -rf build", `commandRegex = '(\S*/)?rm\b'`},
		{"npm publish", `commandPrefix = "npm publish"`},
		{"npm publish", `commandRegex = 'npm publish'`},
		{"npm publish", `commandRegex = 'npm\s+(--[a-z]+\s+)*publish( |$)'`},
		{"npm publish", `commandRegex = '(?=.*publish)npm .*'`}, // Go cannot parse this expression
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			own, problems := policy.Parse("rules", []byte("[[rule]]\ntoolName = \"run_shell_command\"\ndecision = \"deny\"\npriority = 900\n"+c.rule), policy.TierUser)
			require.Empty(t, problems)
			e, err := policy.New(policy.Options{Mode: policy.ModeYolo, Rules: append(policy.Builtin(), own...)})
			require.NoError(t, err)
			var through []string
			for _, s := range spell(t, Command, c.command) {
				other := s.Harmless || s.Tool != "run_shell_command" || s.Class == "others" // another program with the same effect
				if !other && e.Check(policy.Call{Tool: s.Tool, Args: s.Args}).Decision == policy.Allow {
					through = append(through, s.Class+": "+s.Text)
				}
			}
			assert.Empty(t, through)
		})
	}
}
