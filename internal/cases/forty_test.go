//go:build unix

package cases

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/e2e/testbed"
)

// TestADayInTheChat types a session of more than 40 steps that uses what the chat
// offers, on a dark and a light background, in a dumb terminal, and without colours.
func TestADayInTheChat(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("testdata", "chat", "forty.txtar"))
	require.NoError(t, err)
	assert.GreaterOrEqual(t, strings.Count(string(text), "\nprompt "), 40)
	for subject := range 12 { // the table at its start says where each is used
		_, steps, found := strings.Cut(string(text), fmt.Sprintf("\n# %2d ", subject+1))
		require.True(t, found, subject+1)
		steps, _, _ = strings.Cut(steps, "\n")
		_, steps, _ = strings.Cut(steps, "  ") // after the subject
		for step := range strings.SplitSeq(steps, "|") {
			assert.True(t, strings.Contains(string(text), "\n"+strings.TrimSpace(step)+"\n"), "%d: %s", subject+1, step)
		}
	}
	for _, look := range []string{"COLORFGBG=15;0", "COLORFGBG=0;15", "TERM=dumb", "NO_COLOR=1"} {
		t.Run(look, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "forty.txtar")
			given := stepsFor(string(text), look == "TERM=dumb")
			given = strings.Replace(given, "\nterminal 100\n", "\nterminal 100\nenv '"+look+"'\n", 1)
			require.NoError(t, os.WriteFile(path, []byte(given), 0o600))
			passes(t, path)
		})
	}
}

func passes(t *testing.T, path string) {
	t.Helper()
	c, err := testbed.ReadFile(path)
	require.NoError(t, err)
	res := testbed.Run(t.Context(), c, testbed.Options{Driver: Open, Chat: OpenChat, Timeout: time.Hour})
	require.NoError(t, res.Broken)
	for _, f := range res.Failures {
		t.Error(f.String())
	}
}

// TestNamesThatWereMeant checks that commands suggest the name that was meant. A test
// in internal/chat checks that the case covers them all.
func TestNamesThatWereMeant(t *testing.T) {
	t.Parallel()
	passes(t, filepath.Join("testdata", "chat", "meant.txtar"))
}

// stepsFor leaves out the steps meant for the other kind of terminal, dumb or full.
func stepsFor(text string, dumb bool) string {
	own, other := "full: ", "dumb: "
	if dumb {
		own, other = other, own
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, other) {
			b.WriteString(strings.TrimPrefix(line, own))
		}
	}
	return b.String()
}
