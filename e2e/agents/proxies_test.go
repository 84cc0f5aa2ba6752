package agents

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/testbed"
	"minigem/internal/waittest"
)

// TestWithoutNamespaces: on a system without namespaces cases still run. The requests that
// an agent sends to a proxy and the processes that it leaves running are noticed.
func TestWithoutNamespaces(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("what an agent leaves running is found by /proc")
	}
	for _, tt := range []struct{ how, want string }{
		{"well", ""},
		{"asks a proxy", "fake tried to reach telemetry.example"},
		{"daemon", "fake left a process running, which was ended: sleep 1000"},
	} {
		t.Run(tt.how, func(t *testing.T) {
			t.Parallel()
			i, self := fake(t, tt.how, "90")
			i.how = &Isolation{Why: "forbidden by this test"}
			cell := refuses(t, i, self)
			if tt.want == "" {
				assert.Equal(t, Pass, cell.State, "%s %v", cell.Why, cell.Result.Failures)
				return
			}
			require.Equal(t, Fail, cell.State, cell.Why)
			assert.Contains(t, cell.Result.Failures[0].Actual, tt.want)
			waittest.Until(t, func() bool { return len(withHome(cell.Result.Record.Home)) == 0 }, "something of it runs")
		})
	}
}

// TestRealAgentWithoutNamespaces does the same with an agent from the folder that
// MINIGEM_AGENTS names.
func TestRealAgentWithoutNamespaces(t *testing.T) {
	t.Parallel()
	from := os.Getenv("MINIGEM_AGENTS")
	if from == "" {
		t.Skip("MINIGEM_AGENTS names no folder with agents, such as that of: minigem agents install")
	}
	self, err := os.Executable()
	require.NoError(t, err)
	i := Search{From: filepath.SplitList(from), Path: os.Getenv("PATH")}.Find(t.Context(), findAdapter("claude"))
	require.Empty(t, i.Problem)
	i.how = &Isolation{Why: "forbidden by this test"}
	cell := refuses(t, i, self)
	assert.Equal(t, Pass, cell.State, "%s %v", cell.Why, cell.Result.Failures)
}

func refuses(t *testing.T, i Installed, self string) Cell {
	t.Helper()
	var cell Cell
	cell.judge(testbed.Run(t.Context(), guardCase(t, "fired before-tool guard decision=deny\n! exists f.txt", "cat >/dev/null\necho no >&2\nexit 2"),
		testbed.Options{Driver: i.Driver(self, t.TempDir(), nil), Elsewhere: true, Timeout: i.Adapter.Limit()}))
	return cell
}
