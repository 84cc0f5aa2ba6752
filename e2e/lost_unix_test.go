//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/waittest"
)

// TestAKilledCallMayHaveRun: after a kill, neither the user nor the model is told that a
// command did not run if it did.
func TestAKilledCallMayHaveRun(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	run := `call run_shell_command {"command": "touch side; sleep 30"}`
	c := h.startChat(t, nil, append(h.answersFile(t, run, "say Never."), "--yolo", "--skip-trust")...)
	c.say("Go")
	waittest.Until(t, func() bool {
		_, err := os.Stat(filepath.Join(h.workspace, "side"))
		return err == nil
	})
	require.NoError(t, c.cmd.Process.Kill())
	<-c.exited
	c = h.startChat(t, nil, append(h.answersFile(t, "say Looked."), "--skip-trust", "-r", "latest")...)
	c.waitFor("which may have run: check before you")
	c.say("Go on")
	c.waitFor("Looked.")
	c.quit()
	assert.Contains(t, h.lastTranscript(t), "it may have run; check before you repeat it")
}

// TestResumeOfAnOpenSessionStays: resuming a session that is open in another window keeps
// the current one.
func TestResumeOfAnOpenSessionStays(t *testing.T) {
	t.Parallel()
	h := newHome(t, nil)
	open := func() *chat {
		c := h.startChat(t, nil, append(h.answersFile(t, "say One.", "say Two."), "--skip-trust")...)
		c.say("Begin")
		c.waitFor("One.")
		return c
	}
	first := open()
	second := open()
	second.saySees("/resume 1", "open in another process; you stay in this one")
	second.say("Here")
	second.waitFor("Two.")
	require.NoError(t, first.cmd.Process.Kill())
	<-first.exited
	second.quit()
}
