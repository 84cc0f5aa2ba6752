package slash

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzCustom checks that a command's file yields a command or an error naming the file,
// that a prompt requests no more files and commands than it has placeholders, that
// arguments reach a shell quoted, and that inserted content is not scanned.
func FuzzCustom(f *testing.F) {
	for _, seed := range [][2]string{
		{"prompt = \"a {{args}} b\"\ndescription = \"d\"\n", "x"},
		{"prompt = '''@{a} !{ls {{args}}} {\n{{args}}'''\n", "it's $(id)"},
		{"prompt = \"!{\"\n", ""}, {"prompt = 5\n", ""}, {"description = \"d\"\n", ""}, {"[prompt\n", ""},
		{"prompt = \"@{{{args}}}\"\n", "}"},
	} {
		f.Add(seed[0], seed[1])
	}
	dir := f.TempDir()
	path := filepath.Join(dir, "a b", "c.toml")
	require.NoError(f, os.Mkdir(filepath.Dir(path), 0o700))
	f.Fuzz(func(t *testing.T, text, args string) {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		found, problems := LoadCustom(dir)
		require.Equal(t, 1, len(found)+len(problems))
		if len(problems) > 0 {
			require.ErrorContains(t, problems[0], path)
			return
		}
		require.Equal(t, "a_b:c", found[0].Name)
		asked := 0
		const given = "{{args}} !{id} @{x}"
		filled, err := found[0].Fill(t.Context(), Filler{
			File: func(context.Context, string) (string, error) { asked++; return given, nil },
			Shell: func(_ context.Context, command string) (string, error) {
				asked++
				require.NotContains(t, command, argsPlace+argsPlace)
				return given, nil
			},
		}, "/c "+args, args)
		require.LessOrEqual(t, asked, strings.Count(found[0].Prompt, "!{")+strings.Count(found[0].Prompt, "@{"))
		if err != nil {
			require.ErrorContains(t, err, path)
			return
		}
		places := strings.Count(found[0].Prompt, argsPlace)
		require.LessOrEqual(t, len(filled), len(found[0].Prompt)+asked*len(given)+(places+1)*(len(args)+8))
		if nextPlace(found[0].Prompt) < 0 && args == "" {
			require.Equal(t, found[0].Prompt, filled)
		}
	})
}
