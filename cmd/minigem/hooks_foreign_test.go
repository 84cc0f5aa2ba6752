package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/internal/exit"
)

// TestForeignHooks checks that hooks of other agents in a repository are reported, with
// what to do. Settings without hooks do not count.
func TestForeignHooks(t *testing.T) {
	t.Parallel()
	entry := `{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]}}`
	w := newHookWorld(t, map[string]string{".claude/settings.json": entry, ".codex/hooks.json": entry, ".qwen/settings.json": "{}"})
	for _, args := range []string{"hooks list", "hooks lint", "hooks explain", "hooks explain PreToolUse"} {
		got := w.run(args)
		assert.Contains(t, got.out, "Hooks of other agents, which minigem does not run:\n  .claude/settings.json  (Claude Code, Copilot CLI)\n  .codex/hooks.json  (Codex CLI)\n", args)
		assert.Contains(t, got.out, "minigem hooks test --from native --as claude,codex,copilot . CASE\n", args)
		assert.NotContains(t, got.out, ".qwen", args)
	}
	got := w.run("hooks lint .codex/hooks.json")
	assert.Equal(t, exit.Input, got.code)
	assert.Contains(t, got.err, ".codex/hooks.json configures no hooks of minigem's, and none runs it: minigem hooks list shows the files of hooks\n\nHooks of other agents, which minigem does not run:\n")
	assert.Contains(t, got.err, "minigem hooks test --from native --as claude,codex,copilot . CASE\n")
	got = w.run("hooks why guard.sh")
	assert.Contains(t, got.err, "there is no hook guard.sh: none has this name or command")
	assert.Contains(t, got.err, "\n\nHooks of other agents, which minigem does not run:\n  .claude/settings.json")
	assert.Contains(t, w.run("hooks explain PreToolUse").out, "PreToolUse is called BeforeTool here.\n")
	assert.NotContains(t, w.run("hooks list --json").out, "other agents")
	assert.NotContains(t, newHookWorld(t, nil).run("hooks list").out, "other agents")
}

// TestLintOfOneFile checks linting of one settings file or hook program. Any other file
// is refused with what to do.
func TestLintOfOneFile(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{
		".gemini/settings.json": `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "./guard.sh", "timeout": 5}]}]}}`,
		"guard.sh":              "#!/bin/sh\nexit 0\n", "other.sh": "exit 2\n",
	})
	assert.Contains(t, w.run("hooks lint .gemini/settings.json").out, ".gemini/settings.json:1: ")
	assert.Equal(t, said{"no findings; checked 1 hook in 1 file\n", "", 0}, w.run("hooks lint guard.sh"))
	got := w.run("hooks lint other.sh")
	assert.Equal(t, exit.Input, got.code)
	assert.Contains(t, got.err, "other.sh configures no hooks of minigem's, and none runs it: minigem hooks list shows the files of hooks")
}
