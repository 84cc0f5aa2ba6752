package attack

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	hookcommand "minigem/hooks/command"
	"minigem/hooks/protocol"
	"minigem/llm"
)

// TestGuardsAsPeopleWriteThem attacks five guards in the style of published ones, and
// the project's own. docs/GUARDS.md has their rates.
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
	page, err := os.ReadFile("../../../docs/GUARDS.md")
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

// TestTheExampleHolds checks that the guard in examples refuses to have a key written
// by any known path. Tools refuse what no hook can see of a path.
func TestTheExampleHolds(t *testing.T) {
	t.Parallel()
	script, err := filepath.Abs("../../../examples/guard/guard.sh")
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "g")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "docs", "y"), 0o755))
	paths := spelledPaths("deploy.pem", dir)
	assert.Greater(t, len(paths), 20)
	paths = append(paths, "deploy.pem/", "deploy.pem/.", "deploy.pem//", "deploy.pem/x/..", "DEPLOY.pem", "deploy.pem ", "no/such/../../deploy.pem", "-x.pem", ".ssh/id_rsa", "go.sum", "a/b/Cargo.lock")
	r := hookcommand.Runner{Dir: dir, Env: os.Environ()}
	e := &hooks.Engine{Runner: r, Config: hooks.Config{Hooks: []hooks.Hook{{Event: protocol.BeforeTool, Command: "sh " + script, Timeout: time.Hour}}}}
	for i, p := range append(paths, "deploy.pem.md", "pem", "go.sum/x", "src/lock.go") {
		v := e.BeforeTool(t.Context(), hooks.ToolUse{Call: llm.ToolCall{Name: "write_file", Args: map[string]any{"file_path": p, "content": "x"}}}).Verdict
		assert.Equal(t, i < len(paths), v.Denied(), "%q: %s", p, v.Reason)
	}
}
