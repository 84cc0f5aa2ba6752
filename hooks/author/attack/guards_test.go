package attack

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hookcommand "minigem/hooks/command"
)

// TestGuardsAsPeopleWriteThem attacks five guards in the style of those that
// people publish, and the project's own: docs/TESTBED.md has their rates.
func TestGuardsAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	if os.Getenv("MINIGEM_THOROUGH") == "" {
		t.Skip("it runs guards 8,000 times: MINIGEM_THOROUGH=1")
	}
	for _, program := range []string{"jq", "python3"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program + " is not installed")
		}
	}
	page, err := os.ReadFile("../../../docs/TESTBED.md")
	require.NoError(t, err)
	for _, guard := range []string{"testdata/guards/grep.sh", "testdata/guards/regex.sh", "testdata/guards/jq.sh", "testdata/guards/split.py", "testdata/guards/case.sh"} {
		path, err := filepath.Abs(guard)
		require.NoError(t, err)
		var row strings.Builder
		fmt.Fprintf(&row, "| [%s](../hooks/author/attack/%s) |", filepath.Base(guard), guard)
		for _, line := range []string{"git push --force", "rm -rf build"} {
			r := attackedCommand(t, hookcommand.Runner{Dir: t.TempDir(), Env: os.Environ()}, path, Goal{Kind: Command, Value: line})
			fmt.Fprintf(&row, " %d%% | %d of %d |", r.Percent(), len(r.FalseAlarms()), r.Of(true))
		}
		assert.True(t, strings.Contains(string(page), row.String()), row.String())
	}
}
