package policy_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"minigem/tools/policy"
)

// FuzzParse checks that a policy file yields rules and problems with lines of the file,
// and that each [[rule]] of a valid TOML file is in force or reported.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = [\"git\", \"ls\"]\ndecision = \"allow\"\npriority = 10\n",
		"\ufeff[[rule]]\ntoolName=\"*\"\ndecision=\"deny\"\n[[safety_checker]]\n", "[[rule]]\ncommandRegex = \"(\"\ndecision = \"ask_user\"\n",
		"rule = 5\n", "[rule]\nx=1\n", "[[rule]]\ntoolName = 7\nmodes = [\"yolo\"]\nargsPattern = \"a\"\ndecision = \"no\"\npriority = 1e9\n", "a.b.c.d = 1\n[[rule.x]]\n", "[[", "rule = [[[[[]]]]]",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		rules, problems := policy.Parse("/p.toml", data, policy.TierUser)
		last := strings.Count(string(data), "\n") + 1
		for _, p := range problems {
			require.Equal(t, "/p.toml", p.Place.File)
			require.GreaterOrEqual(t, p.Place.Line, 0)
			require.LessOrEqual(t, p.Place.Line, last)
			require.NotEmpty(t, p.Text)
			require.True(t, strings.HasPrefix(p.String(), "/p.toml"))
		}
		for _, r := range rules {
			require.Equal(t, "/p.toml", r.Place.File)
			require.LessOrEqual(t, r.Place.Line, last)
		}
		again, _ := policy.Parse("/p.toml", data, policy.TierUser)
		require.Len(t, again, len(rules), "the same each time")
	})
}
