package dotenv

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzParse checks that names are valid and unique, that values come from the text, and
// that the result survives writing and reading.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"A=1\n# c\nexport B: 'x\ny' # z\nC=\"a\\nb\"\nA=2\n", "\ufeffA=`b`\r\nB=\r\n", "A='", "A=\"\\\n", "=", "export\tA =b#c", "a-b.c=\\\"d\\\"",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		vars := parse(text)
		seen, size := map[string]bool{}, 0
		var again strings.Builder
		for _, v := range vars {
			require.Equal(t, len(v.Name), envNameLength(v.Name))
			require.NotEmpty(t, v.Name)
			require.False(t, seen[v.Name], "%s occurs twice", v.Name)
			seen[v.Name] = true
			size += len(v.Name) + len(v.Value)
			// Single quotes keep everything except single quotes and other systems'
			// line ends.
			if !strings.ContainsAny(v.Value, "'\\\r") {
				again.WriteString(v.Name + "='" + v.Value + "'\n")
			} else {
				again.WriteString(v.Name + "=''\n")
			}
		}
		require.LessOrEqual(t, size, len(text))
		reread := parse(again.String())
		require.Len(t, reread, len(vars))
		for i, v := range vars {
			require.Equal(t, v.Name, reread[i].Name)
			if !strings.ContainsAny(v.Value, "'\\\r") {
				require.Equal(t, v, reread[i])
			}
		}
	})
}
