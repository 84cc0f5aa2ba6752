package hooktest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/hooktest"
	"minigem/e2e/testbed"
	"minigem/hooks"
	"minigem/hooks/protocol"
)

func TestHooks(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, "testdata/*.txtar")
}

func TestPlayedAgents(t *testing.T) {
	t.Parallel()
	hooktest.Run(t, "testdata/agents/*.txtar", hooktest.As("claude", "codex"))
}

// TestFunc: a function of the test runs instead of the hook's command.
func TestFunc(t *testing.T) {
	t.Parallel()
	var ran atomic.Int32
	noForce := hooks.Func(func(in protocol.BeforeToolInput) protocol.Output {
		ran.Add(1)
		if strings.Contains(fmt.Sprint(in.ToolInput["command"]), "--force") {
			return protocol.DenyBecause("Use --force-with-lease.")
		}
		return protocol.Output{}
	})
	t.Run("cases", func(t *testing.T) { hooktest.Run(t, "testdata/*.txtar", hooktest.Func("no-force", noForce)) })
	assert.Positive(t, ran.Load())
}

// foreign is another module with a case that passes, one that fails, a pattern that
// matches nothing, and a case on played agents.
const foreign = `package guard

import (
	"testing"

	"minigem/e2e/hooktest"
)

func TestGood(t *testing.T)    { hooktest.Run(t, "good/*.txtar") }
func TestBad(t *testing.T)     { hooktest.Run(t, "bad/*.txtar") }
func TestNothing(t *testing.T) { hooktest.Run(t, "none/*.txtar") }
func TestPlayed(t *testing.T)  { hooktest.Run(t, "agents/*.txtar", hooktest.As("claude")) }
`

// TestForeignModule: another module runs cases with go test and sees the complete failure.
func TestForeignModule(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	sum, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	good, err := os.ReadFile("testdata/no-force.txtar")
	require.NoError(t, err)
	portable, err := os.ReadFile("testdata/agents/no-force.txtar")
	require.NoError(t, err)
	dir := t.TempDir()
	requires := strings.Replace(string(mod), "module minigem\n", "module guard\n", 1)
	for name, text := range map[string]string{
		"go.mod":                requires + "\nrequire minigem v0.0.0\n\nreplace minigem => " + root + "\n",
		"go.sum":                string(sum),
		"guard_test.go":         foreign,
		"good/no-force.txtar":   string(good),
		"agents/no-force.txtar": string(portable),
		"bad/no-force.txtar":    strings.Replace(string(good), "exit 2", "exit 0", 1),
	} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-tags", "grpcnotrace", "-v", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod -buildvcs=false", "GOPROXY=off", "CI=")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "PASS: TestGood/no-force")
	assert.Contains(t, string(out), "PASS: TestPlayed/no-force/claude_(played)")
	assert.Contains(t, string(out), "FAIL: TestBad/no-force")
	assert.Contains(t, string(out), "no-force.txtar:3", "the line of the assertion")
	assert.Contains(t, string(out), "no case matches none/*.txtar")
}

// TestNoDriver: using the testbed's types without a driver is an error.
func TestNoDriver(t *testing.T) {
	t.Parallel()
	tc, err := testbed.ReadFile("testdata/no-force.txtar")
	require.NoError(t, err)
	assert.ErrorContains(t, testbed.Run(t.Context(), tc, testbed.Options{}).Broken, "Options.Driver")
	assert.ErrorContains(t, testbed.Run(t.Context(), nil, testbed.Options{}).Broken, "Options.Driver")
}
