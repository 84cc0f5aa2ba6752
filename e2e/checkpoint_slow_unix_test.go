//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInterruptInACheckpoint: a git that never returns does not keep an interrupted run
// alive, and the edit that should follow the checkpoint is not made.
func TestInterruptInACheckpoint(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{".gemini/settings.json": `{"general": {"checkpointing": {"enabled": true}}}`})
	bin := filepath.Join(h.dir, "bin")
	require.NoError(t, os.Mkdir(bin, 0o755))
	slow := "#!/bin/sh\ntrap '' TERM\n: >'" + bin + "/started'\nwhile :; do sleep 1; echo tick >>'" + bin + "/ticks'; done\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "git"), []byte(slow), 0o755))
	args := append(h.answersFile(t, `call write_file {"file_path": "a.txt", "content": "new"}`, "say Never."), "--yolo", "-p", "do it")
	cmd, stdout, stderr := h.command(t, run{Args: args, Env: []string{"GEMINI_CLI_TRUST_WORKSPACE=true", "PATH=" + bin + ":" + os.Getenv("PATH")}})
	require.NoError(t, cmd.Start())
	waitFor(t, filepath.Join(bin, "started"))
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	_ = cmd.Wait() // the exit code is checked below
	assert.Equal(t, 130, cmd.ProcessState.ExitCode(), stderr.String())
	assert.NotContains(t, stderr.String(), "checkpoints are no longer taken", "it was git that was waited for")
	ticks, _ := os.ReadFile(filepath.Join(bin, "ticks")) // there may be none
	assert.Less(t, strings.Count(string(ticks), "tick"), 10, "git was waited for until its own time was over, which is 15 of them")
	assert.Empty(t, stdout.String())
	assert.NoFileExists(t, filepath.Join(h.workspace, "a.txt"))
	h.assertTidy(t, outcome{Stderr: stderr.String()})
	h.assertResumes(t)
}
