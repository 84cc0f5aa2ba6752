package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/exit"
)

const claudeSession = `{"type":"user","sessionId":"c1","message":{"content":"write it"}}
{"type":"assistant","sessionId":"c1","message":{"content":[{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":".x"}}]}}
{"type":"user","sessionId":"c1","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}
{"type":"assistant","sessionId":"c1","message":{"content":[{"type":"text","text":"done"}]}}
`

func TestHooksReplay(t *testing.T) {
	t.Parallel()
	needsConfinement(t)
	w := newHookWorld(t, map[string]string{
		".gemini/settings.json": guarded, "guard.sh": guardScript, "past/s.jsonl": claudeSession, "past/other.json": "{}", "empty/x.txt": "",
	})
	got := w.run("hooks replay past")
	assert.Equal(t, exit.Failed, got.code, got.err)
	assert.Contains(t, got.out, "past/s.jsonl step 2, call write_file {\"file_path\":\".x\"}: was proceed, now deny by guard: dot files are mine\n")
	assert.Contains(t, got.out, "BeforeTool guard (.gemini/settings.json:4): 1 run, 1 deny, p50 ")
	assert.Contains(t, got.out, "skipped\n  past/other.json is not a session")

	asJSON := w.run("hooks replay past/s.jsonl --json")
	var r struct{ Decided []struct{ Now, Then string } }
	require.NoError(t, json.Unmarshal([]byte(asJSON.out), &r))
	assert.Equal(t, "deny", r.Decided[0].Now)

	untrusted := w.run("hooks replay past", "GEMINI_CLI_TRUST_WORKSPACE=false")
	assert.Equal(t, exit.Failed, untrusted.code, "what is not trusted does not run, so nothing is proved")
	assert.Equal(t, exit.Failed, w.run("hooks replay past --skip-trust", "GEMINI_CLI_TRUST_WORKSPACE=false").code)

	for args, want := range map[string]string{
		"hooks replay":                 "needs session files, or folders of them",
		"hooks replay none.jsonl":      "no such file",
		"hooks replay past/other.json": "is not a session",
		"hooks replay empty":           "there is no session in it",
		"hooks replay past --jsn":      "unknown flag: --jsn",
	} {
		bad := w.run(args)
		assert.Equal(t, exit.Input, bad.code, args)
		assert.Contains(t, bad.err, want, args)
		assert.Empty(t, bad.out, args)
	}
}

// TestHooksReplayWithoutRuns: a replay in which no hook ran proves nothing, and is no success.
func TestHooksReplayWithoutRuns(t *testing.T) {
	t.Parallel()
	needsConfinement(t)
	w := newHookWorld(t, map[string]string{
		".gemini/settings.json": `{"hooks": {"BeforeTool": [{"matcher": "glob", "hooks": [{"type": "command", "command": "exit 2"}]}]}}`,
		"past/s.jsonl":          claudeSession,
	})
	got := w.run("hooks replay past")
	assert.Equal(t, exit.Failed, got.code, got.out)
	assert.Contains(t, got.err, "nothing was proved: no hook ran")
}
