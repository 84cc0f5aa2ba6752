package listing

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/app"
	"minigem/internal/place"
	"minigem/session"
)

// TestPastRuns checks that hook runs are counted over the project's newest sessions,
// whatever else is in their files, and that nothing is written.
func TestPastRuns(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	c := &app.Configuration{
		Place: place.Place{DotGemini: filepath.Join(home, ".gemini"), Dir: filepath.Join(home, "project")}}
	assert.Empty(t, pastRuns(c))
	assert.NoDirExists(t, c.DotGemini)

	project, err := session.OpenProject(c.DotGemini, c.Dir)
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(project.Chats(), 0o755))
	write := func(name string, lines ...string) {
		require.NoError(t, os.WriteFile(filepath.Join(project.Chats(), name), []byte(strings.Join(lines, "\n")), 0o600))
	}
	write("session-2026-01-01T10-00-a.jsonl",
		`{"sessionId":"a"}`,
		`{"minigem":{"hook":{"hook":{"event":"BeforeTool","ran":["guard","audit"],"effect":"none","ms":3}}}}`,
		`{"minigem":{"hook":{"hook":{"event":"BeforeTool","ran":["guard"],"effect":"deny","ms":12}}}}`)
	write("session-2026-01-02T10-00-b.jsonl",
		`not JSON`,
		`{"minigem":{"hook":{"hook":{"event":"AfterAgent","ran":["guard"],"effect":"retry","ms":5}}}}`,
		`{"minigem":{"hook":{"hook":{"event":"BeforeTool","ran":["guard"],"effect":"none","ms":4}}}}`,
		`{"minigem":{"hook":{"hook":{"event":"BeforeTo`)
	assert.Equal(t, map[ranHook]pastRun{
		{"BeforeTool", "guard"}: {3, "pass, 4 ms"},
		{"BeforeTool", "audit"}: {1, "pass, 3 ms"},
		{"AfterAgent", "guard"}: {1, "retry, 5 ms"},
	}, pastRuns(c))
	assert.Equal(t, "never ran", ranText(ListedHook{}))
	assert.Equal(t, "ran once: pass, 3 ms", ranText(ListedHook{Runs: 1, Last: "pass, 3 ms"}))
	assert.Equal(t, "ran 3 times, last: pass, 4 ms", ranText(ListedHook{Runs: 3, Last: "pass, 4 ms"}))
}
