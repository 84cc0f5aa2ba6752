package lint_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/agents"
	"minigem/hooks/author/lint"
	"minigem/hooks/protocol"
)

// TestElsewhere checks what lint says about other agents, from the tables.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	const sh = "#!/bin/sh\n"
	deny := sh + `echo '{"decision": "deny", "reason": "no"}'`
	exit2 := sh + "echo no >&2\nexit 2"
	universal := sh + `echo no >&2
echo '{"decision":"block","reason":"no","permissionDecision":"deny","permissionDecisionReason":"no","cancel":true,"errorMessage":"no"}'
exit 2`
	claudes := `, "dialect": "claude"`
	nested := func(name string) string {
		return sh + `echo '{"hookSpecificOutput": {` + name + `"permissionDecision": "deny", "permissionDecisionReason": "no"}}'`
	}
	for _, c := range []struct{ code, others, event, group, more, found, clean string }{
		{"HK070", "claude", "BeforeTool", "", "", deny, exit2},
		{"HK070", "codex", "BeforeTool", "", "", sh + "exit 2", exit2},
		{"HK070", "qwen", "BeforeTool", "", "", sh + "echo no\nexit 2", exit2},
		{"HK070", "cline", "BeforeTool", "", "", exit2, universal},
		{"HK070", "copilot", "BeforeAgent", "", "", exit2, sh + `echo '{"decision": "block", "reason": "no"}'`},
		{"HK070", "copilot,kimi,cline", "BeforeTool", "", "", deny, universal},
		{"HK070", "codex", "BeforeTool", "", claudes, nested(`"hookEventName": "PreToolUse", "x": 1, `), nested(`"hookEventName": "PreToolUse", `)},
		{"HK070", "copilot", "BeforeTool", "", claudes, nested(`"hookEventName": "PreToolUse", `), exit2},
	} {
		others, err := agents.List(c.others)
		require.NoError(t, err)
		run := func(text string) []string {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "x"), []byte(text), 0o755))
			w := load(t, dir, entry(c.event, c.group, `"command": "./x"`+c.more), hooks.LayerProject)
			w.input.For = others
			return codes(lint.Run(w.input))
		}
		assert.Contains(t, run(c.found), c.code, "%s: %s", c.others, c.found)
		assert.NotContains(t, run(c.clean), c.code, "%s: %s", c.others, c.clean)
	}
}

// TestFieldsElsewhere checks that a guard that reads a field with jq gets a finding if
// another agent's payload lacks that field.
func TestFieldsElsewhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ others, event, line, says string }{
		{"kimi", "BeforeTool", `file=$(jq -r .tool_input.file_path)`, ".tool_input.file_path at PreToolUse of Kimi Code"},
		{"kimi", "BeforeTool", `file=$(jq -r '.tool_input.file_path // .tool_input.path // empty')`, ""},
		{"kimi", "BeforeTool", `jq -e '.tool_input.command | test("rm")' >/dev/null && exit 2`, ""},
		{"claude,codex,qwen", "BeforeTool", `c=$(printf '%s' "$input" | jq -r '.tool_input.command // ""')`, ""},
		{"copilot", "BeforeTool", `c=$(printf '%s' "$input" | jq -r '.tool_input.command // ""')`, ".tool_input.command at preToolUse of Copilot CLI"},
		{"copilot", "BeforeTool", `c=$(jq -r '.toolArgs.command // .tool_input.command')`, ""},
		{"claude", "AfterAgent", `jq -r .prompt_response`, ".prompt_response at Stop of Claude Code"},
		{"claude", "AfterTool", `jq -r .tool_response.llmContent`, ""}, // the tables do not say what a result holds
		{"claude", "BeforeTool", `jq -r .whatever`, ""},                // not one of our fields: it may read something else
		{"kimi", "BeforeTool", `f = json.load(sys.stdin)["tool_input"]["file_path"]`, ".tool_input.file_path at PreToolUse of Kimi Code"},
		{"copilot", "BeforeTool", `c = data.get("tool_input", {}).get("command")`, ".tool_input.command at preToolUse of Copilot CLI"},
		{"copilot", "BeforeTool", `c = data["toolArgs"].get("command") or data["tool_input"]["command"]`, ""},
		{"codex", "BeforeAgent", `jq -r .timestamp`, ".timestamp at UserPromptSubmit of Codex CLI"},
		{"codex", "BeforeAgent", `jq -r .prompt`, ""},
		{"codex", "BeforeAgent", `jq -rn --arg x 1 .timestamp`, ""},
	} {
		others, err := agents.List(c.others)
		require.NoError(t, err)
		dir := t.TempDir()
		first := "#!/bin/sh\n"
		if strings.Contains(c.line, "data") || strings.Contains(c.line, "json.load") {
			first = "#!/usr/bin/env python3\n"
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "x"), []byte(first+c.line+"\n"), 0o755))
		w := load(t, dir, entry(c.event, "", `"command": "./x"`), hooks.LayerProject)
		w.input.For = others
		var says []string
		for _, f := range lint.Run(w.input) {
			if f.Code == "HK075" {
				says = append(says, f.Message)
			}
		}
		if c.says == "" {
			assert.Empty(t, says, c.line)
			continue
		}
		assert.Contains(t, strings.Join(says, "\n"), c.says, c.line)
	}
}

func TestSettingsElsewhere(t *testing.T) {
	t.Parallel()
	ok := `"command": "true"`
	for _, c := range []struct{ code, others, found, clean string }{
		{"HK071", "copilot", entry("BeforeTool", `"matcher": "Bash"`, ok+`, "dialect": "claude"`), entry("BeforeTool", "", ok+`, "dialect": "claude"`)},
		{"HK071", "claude", entry("BeforeTool", `"matcher": "^write_file$"`, ok), entry("BeforeTool", `"matcher": "^(write_file|Write)$"`, ok)},
		{"HK071", "kimi", entry("BeforeTool", `"matcher": "write_file"`, ok), entry("BeforeTool", `"matcher": ".*"`, ok)},
		{"HK072", "codex", entry("BeforeModel", "", ok), entry("BeforeTool", "", ok)},
		{"HK073", "codex", entry("BeforeTool", "", ok), entry("BeforeModel", "", ok)},
		{"HK074", "codex", entry("BeforeTool", "", `"command": "cat \"${GEMINI_PROJECT_DIR}\"/x"`), entry("BeforeTool", "", `"command": "cat x"`)},
		{"HK074", "copilot", entry("BeforeTool", "", `"command": "cat \"${GEMINI_PROJECT_DIR}\"/x"`), entry("BeforeTool", "", `"command": "cat \"${CLAUDE_PROJECT_DIR}\"/x"`)},
		{"HK071", "copilot", entry("BeforeTool", `"matcher": "Bash"`, ok+`, "dialect": "claude"`), entry("BeforeTool", `"matcher": "Bash"`, `"command": "true hooks run --portable", "dialect": "claude"`)},
	} {
		others, err := agents.List(c.others)
		require.NoError(t, err)
		found, clean := load(t, t.TempDir(), c.found, hooks.LayerProject), load(t, t.TempDir(), c.clean, hooks.LayerProject)
		assert.NotContains(t, codes(lint.Run(found.input)), c.code, "without --for nothing is said of other agents")
		found.input.For, clean.input.For = others, others
		assert.Contains(t, codes(lint.Run(found.input)), c.code, c.found)
		assert.NotContains(t, codes(lint.Run(clean.input)), c.code, c.clean)
	}
}

// TestFixKnowsNames checks that an unknown tool is renamed only if its meaning is
// certain. Spelling alone proves nothing: create_file is not read_file.
func TestFixKnowsNames(t *testing.T) {
	t.Parallel()
	for matcher, want := range map[string]string{
		"create_file": "write_file", "edit_file": "replace", "EditTool": "EditTool", "write_fil_": "write_fil_", "deploy_file": "deploy_file", "create_file|edit_file": "write_file|replace",
	} {
		w := load(t, t.TempDir(), entry("BeforeTool", `"matcher": "`+matcher+`"`, `"command": "true"`), hooks.LayerProject)
		found := lint.Run(w.input)
		require.NoError(t, lint.Fix(found, w.input.Setup.Files))
		data, err := os.ReadFile(w.settings)
		require.NoError(t, err)
		assert.Contains(t, string(data), `"matcher": "`+want+`"`, matcher)
	}
}

// TestGuardsThatAreRight checks that forty guards in common forms get neither errors
// nor warnings. A file's name is EVENT.DIALECT.NAME.
func TestGuardsThatAreRight(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/guards.txtar")
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(archive.Files), 40)
	matchers := map[string]string{"gemini": "^(write_file|replace|run_shell_command)$", "claude": "Bash|Write|Edit"}
	for _, f := range archive.Files {
		parts := strings.SplitN(f.Name, ".", 3)
		require.Len(t, parts, 3, f.Name)
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, parts[2]), f.Data, 0o755))
		group, more := "", ""
		if protocol.Event(parts[0]).IsTool() {
			group = `"matcher": "` + matchers[parts[1]] + `"`
		}
		if parts[1] == "claude" {
			more = `, "dialect": "claude"`
		}
		settings := entry(parts[0], group, `"timeout": 5000, "command": "\"${`+strings.ToUpper(parts[1])+`_PROJECT_DIR}/`+parts[2]+`\""`+more)
		for _, found := range lint.Run(load(t, dir, settings, hooks.LayerProject).input) {
			if found.Severity != lint.Note {
				t.Errorf("%s:%d: %s %s: %s", f.Name, found.Line, found.Severity, found.Code, found.Message)
			}
		}
	}
}
