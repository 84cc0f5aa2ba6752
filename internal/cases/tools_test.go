package cases

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/agents/played"
	"minigem/e2e/testbed"
)

// TestToolsThatAreNotThere checks that on every played agent, an assertion about a tool
// that the agent does not have is an error: it is not fulfilled because no such tool ran.
func TestToolsThatAreNotThere(t *testing.T) {
	t.Parallel()
	all, err := played.Find([]string{"all"})
	require.NoError(t, err)
	for name, agents := range map[string][]string{
		"no_such": {}, "Bash": {"claude", "codex", "kimi"}, "Execute": {"droid"},
		"shell": nil, "search": nil, "grep_search": nil, "run_shell_command": nil, // every agent has a counterpart
	} {
		c, err := testbed.Parse("case.txtar", []byte("prompt Go\n! tool-ran "+name+
			"\n-- hooks --\nbefore-tool * 'exit 2'\n-- model --\nshell echo hi\n\ntext Done.\n"))
		require.NoError(t, err)
		for _, a := range all {
			res := testbed.Run(t.Context(), c, testbed.Options{Driver: As(a), Elsewhere: true})
			require.NoError(t, res.Broken)
			refused := slices.ContainsFunc(res.Failures, func(f testbed.Failure) bool {
				return strings.Contains(f.Actual, "there is no such tool")
			})
			assert.Equal(t, agents != nil && !slices.Contains(agents, a.ID), refused, "%s on %s", name, a.ID)
		}
	}
}
