package attack

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzAttack checks that every goal has spellings or an error, and that AddTo adds to
// an existing file or leaves it unchanged.
func FuzzAttack(f *testing.F) {
	f.Add("git push --force", "")
	f.Add("rm -rf 'a b'", "prompt x\n-- model --\ncall a {}\n")
	f.Add("x\xff \\", "-- model --\ncall")
	f.Add(`\`, "") // a program without a name
	f.Add(`'' x`, "")
	f.Fuzz(func(t *testing.T, command, text string) {
		all, err := Goal{Kind: Command, Value: command, Find: find}.Spellings()
		if err == nil {
			assert.NotEmpty(t, all)
		}
		file := filepath.Join(t.TempDir(), "a.txtar")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		r := Report{Hook: "guard", Results: []Result{{Spelling: Spelling{Tool: "t", Args: map[string]any{"a": command}}}}}
		if AddTo(file, r) != nil {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Equal(t, text, string(data))
		}
	})
}
