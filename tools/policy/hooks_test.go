package policy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/tools"
)

// TestHooksAreAsked checks that, in a session without a user, hooks decide where a user
// would be asked, and nowhere else.
func TestHooksAreAsked(t *testing.T) {
	t.Parallel()
	rules, problems := Parse("user", []byte("[[rule]]\ntoolName = \"replace\"\ndecision = \"deny\"\npriority = 5\ninteractive = false\n"+
		"[[rule]]\ntoolName = \"mcp_x_*\"\ndecision = \"ask_user\"\npriority = 5\n"), TierUser)
	require.Empty(t, problems)
	for _, c := range []struct {
		tool          string
		without, with Decision
	}{
		{"read_file", Allow, Allow}, {"write_file", Deny, Ask}, {"replace", Deny, Deny}, {"ask_user", Deny, Deny}, {"mcp_x_y", Deny, Ask}, {"unknown", Deny, Ask},
	} {
		for asked, want := range map[bool]Decision{false: c.without, true: c.with} {
			e, err := New(Options{Hooks: asked, Rules: rules})
			require.NoError(t, err)
			assert.Equal(t, want, e.Check(Call{Tool: c.tool, Info: tools.Info{}}).Decision, "%s, hooks: %t", c.tool, asked)
		}
	}
}
