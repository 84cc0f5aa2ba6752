package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/fakemodel"
	"minigem/e2e/testbed"
	"minigem/hooks/protocol"
	"minigem/internal/cases"
)

// TestCases runs testdata/cases, which show what hooks can do at each event, like minigem
// hooks test. In addition, the real API must accept every request, and in each session's
// file every call must have its result. What the testbed cannot express, because it is
// about the command line, the user's files or the network, is in testdata/script.
func TestCases(t *testing.T) {
	t.Parallel()
	runCases(t, "testdata/cases/*.txtar")
}

// TestSetups runs hooks written for Claude Code as an extension brings them, with one case
// for each reason why such hooks once failed.
func TestSetups(t *testing.T) {
	t.Parallel()
	needs(t, "bash")
	runCases(t, "testdata/setups/*.txtar")
}

func runCases(t *testing.T, pattern string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			c, err := testbed.ReadFile(file)
			require.NoError(t, err)
			res := testbed.Run(t.Context(), c, testbed.Options{Driver: cases.Open, Chat: cases.OpenChat, Timeout: time.Hour, Keep: t.TempDir()})
			require.NoError(t, res.Broken)
			if res.Skipped != "" {
				t.Skip(res.Skipped)
			}
			for _, f := range res.Failures {
				t.Error(f.String())
			}
			for i, r := range res.Record.Requests {
				assert.Empty(t, fakemodel.GeminiProblems(r.Request, nil), "request %d", i+1)
			}
			sessions := transcriptsIn(res.Record.Home)
			if len(res.Record.Requests) > 0 {
				assert.NotEmpty(t, sessions)
			}
			for _, session := range sessions {
				assert.NoError(t, checkTranscript(session))
			}
		})
	}
}

// TestEveryEventHasACase: for each event, a case or a script shows what hooks can do. It
// has a hook for the event, or looks at what a hook of the demo left.
func TestEveryEventHasACase(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, dir := range []string{"cases", "script"} {
		files, err := filepath.Glob("testdata/" + dir + "/*.txtar")
		require.NoError(t, err)
		for _, file := range files {
			data, err := os.ReadFile(file)
			require.NoError(t, err)
			all.Write(data)
		}
	}
	for _, e := range protocol.Events {
		assert.Regexp(t, fmt.Sprintf(`(?m)"%[1]s": \[|^grep .*\b%[1]s\b`, e), all.String(), "no case is about %s", e)
	}
}
