package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// repository makes the project a git repository with a commit of all files.
func (w hookWorld) repository() {
	w.t.Helper()
	for _, args := range []string{"init -q", "add .", "-c user.name=a -c user.email=a@b commit -qm first"} {
		cmd := exec.Command("git", strings.Fields(args)...)
		cmd.Dir, cmd.Env = w.project, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
		out, err := cmd.CombinedOutput()
		require.NoError(w.t, err, string(out))
	}
}

// TestWorktree checks that a session with --worktree uses the worktree's tools, hooks
// and settings, and resolves files on the command line where they were typed.
func TestWorktree(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{
		"~/.gemini/settings.json": `{"experimental": {"worktrees": true}}`,
		".gemini/settings.json":   `{"hooks": {"AfterTool": [{"hooks": [{"type": "command", "command": "pwd >> ~/at; echo $GEMINI_PROJECT_DIR >> ~/at"}]}]}}`,
		"model.responses":         writesOnce,
	})
	w.repository()
	for _, name := range []string{"fix", ""} {
		got := w.run("--yolo --fake-responses model.responses --hook-trace trace.jsonl -p write --worktree " + name)
		require.Equal(t, 0, got.code, got.err)
		assert.Equal(t, "Done.\n", got.out)
		assert.Contains(t, got.err, "This session works in ")
		made, err := filepath.Glob(w.path(".gemini/worktrees/[^.]*"))
		require.NoError(t, err)
		require.Len(t, made, 1)
		assert.Equal(t, name == "fix", filepath.Base(made[0]) == "fix", made[0])
		assert.Equal(t, strings.Repeat(made[0]+"\n", 2), w.read("~/at"))
		assert.FileExists(t, filepath.Join(made[0], "a.txt"))
		assert.NoFileExists(t, w.path("a.txt"))
		assert.FileExists(t, w.path("trace.jsonl"))
		require.NoError(t, os.RemoveAll(w.path(".gemini/worktrees")))
		require.NoError(t, os.Remove(w.path("~/at")))
	}
	assert.Equal(t, said{"", "minigem: --worktree checks out files in a folder that is not trusted (it has not been trusted yet): run minigem trust here first\n", 55},
		w.run("--worktree x -p hi", untrusted))
	assert.NoDirExists(t, w.path(".gemini/worktrees"))
	told := filepath.Join(t.TempDir(), "telemetry.log")
	for flag, active := range map[string]string{"": "false", " --worktree told": "true"} {
		got := w.run("-p hi --yolo --fake-responses "+w.path("model.responses")+flag, "GEMINI_TELEMETRY_ENABLED=true", "GEMINI_TELEMETRY_TARGET=local", "GEMINI_TELEMETRY_OUTFILE="+told)
		require.Equal(t, 0, got.code, got.err)
		log, err := os.ReadFile(told)
		require.NoError(t, err)
		assert.True(t, strings.Contains(string(log), `"worktree_active": `+active), flag)
		require.NoError(t, os.Remove(told))
	}
	got := w.run("--worktree a/b -p hi -o json")
	assert.Equal(t, 1, got.code)
	assert.Contains(t, got.err, `\"a/b\" is no name for a worktree`)
}
