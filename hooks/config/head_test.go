package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
)

var (
	skill = hooks.Part{Skill: "review"}
	agent = hooks.Part{Agent: "reviewer"}
)

// TestHeads checks hooks in the front matter of skills and agents, in Claude Code's
// form and in Gemini CLI's.
func TestHeads(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, json string
		of         hooks.Part
		want       string // event, matcher, dialect, once, CLAUDE_PLUGIN_ROOT
		problem    string
	}{
		{"Claude Code's", `{"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./x", "once": true, "timeout": 5}]}]}`, skill,
			"BeforeTool run_shell_command claude once=true 5s /skill", ""},
		{"a name that both have is Claude Code's", `{"SessionStart": [{"hooks": [{"type": "command", "command": "./x"}]}]}`, skill, "SessionStart  claude once=false 10m0s /skill", ""},
		{"Gemini CLI's", `{"BeforeTool": [{"matcher": "write_file", "hooks": [{"type": "command", "command": "./x", "timeout": 5000}]}]}`, skill,
			"BeforeTool write_file  once=false 5s /skill", ""},
		{"the end of an agent", `{"Stop": [{"hooks": [{"type": "command", "command": "./x"}]}]}`, agent, "SubagentStop  claude once=false 10m0s ", ""},
		{"the end of a turn while a skill is active", `{"Stop": [{"hooks": [{"type": "command", "command": "./x"}]}]}`, skill, "AfterAgent  claude once=false 10m0s /skill", ""},
		{"an event of the main agent, in an agent", `{"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "./x"}]}]}`, agent, "", "its hook of BeforeAgent never runs: that is an event of the main agent"},
		{"no such event", `{"OnSave": []}`, skill, "", "OnSave has no counterpart"},
		{"not an object", `[]`, skill, "", "hooks is an array, not an object"},
	} {
		dir := ""
		if tt.of.Skill != "" {
			dir = "/skill"
		}
		s := config.LoadHead(config.Head{Of: tt.of, Source: hooks.Source{Layer: hooks.LayerUser, File: "/u/SKILL.md", Line: 4}, Dir: dir, Hooks: []byte(tt.json)})
		got := ""
		for _, h := range s.Hooks {
			assert.Equal(t, tt.of, h.Within, tt.name)
			assert.Equal(t, hooks.Source{Layer: hooks.LayerUser, File: "/u/SKILL.md", Line: 4}, h.Source, tt.name)
			once := "once=false"
			if h.Once {
				once = "once=true"
			}
			got += string(h.Event) + " " + h.Matcher + " " + h.Dialect + " " + once + " " + h.Timeout.String() + " " + h.Env["CLAUDE_PLUGIN_ROOT"]
		}
		assert.Equal(t, tt.want, got, tt.name)
		if tt.problem == "" {
			assert.Empty(t, s.Problems, tt.name)
			continue
		}
		require.Len(t, s.Problems, 1, tt.name)
		assert.Contains(t, s.Problems[0].Text, tt.problem, tt.name)
		assert.Equal(t, 4, s.Problems[0].Line, tt.name)
	}
}

// TestAHeadMayNotAllow checks that a hook of a skill or an agent allows no call unless
// the user names it.
func TestAHeadMayNotAllow(t *testing.T) {
	t.Parallel()
	head := config.LoadHead(config.Head{Of: skill, Source: hooks.Source{Layer: hooks.LayerUser, File: "/u/SKILL.md", Line: 4},
		Hooks: []byte(`{"PermissionRequest": [{"hooks": [{"type": "command", "name": "yes", "command": "./x"}]}]}`)})
	assert.False(t, config.Merge(head).Hooks[0].MayAllow)
	own, err := config.LoadSettings(hooks.LayerUser, "/u/settings.json", []byte(`{"hooksConfig": {"mayAllow": ["yes"]}}`))
	require.NoError(t, err)
	assert.True(t, config.Merge(head, own).Hooks[0].MayAllow)
}

// TestTrustOfHeads checks that a hook that moves into a skill counts as another hook.
func TestTrustOfHeads(t *testing.T) {
	t.Parallel()
	store, root := config.TrustStore{Dir: t.TempDir()}, t.TempDir()
	h := hooks.Hook{Event: protocol.BeforeTool, Name: "guard", Command: "true", Within: skill, Source: hooks.Source{Layer: hooks.LayerProject, File: root + "/SKILL.md"}}
	require.NoError(t, store.Trust(root, []hooks.Hook{h}))
	check := func(h hooks.Hook) config.TrustCheck {
		checks, err := store.Check(root, hooks.Config{Hooks: []hooks.Hook{h}})
		require.NoError(t, err)
		require.Len(t, checks, 1)
		return checks[0]
	}
	assert.Equal(t, config.TrustKnown, check(h).Status)
	h.Within = agent
	assert.Equal(t, config.TrustChanged, check(h).Status)
	assert.Equal(t, []string{"skill or agent"}, check(h).Changed)
}

// TestHeadOfAnExtension checks that its hooks may use the same variables as those in
// hooks.json. Without a shell, an unusual path is inserted as it is.
func TestHeadOfAnExtension(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "it's")
	require.NoError(t, os.Mkdir(dir, 0o755))
	manifest := filepath.Join(dir, "gemini-extension.json")
	require.NoError(t, os.WriteFile(manifest, []byte(`{"name": "x", "settings": [{"name": "Level", "envVar": "LEVEL"}]}`), 0o600))
	head := config.Head{Of: skill, Source: hooks.Source{File: "/u/SKILL.md", Line: 4}, Dir: "/skill", Extension: dir, Workspace: "/work", Settings: map[string]string{"LEVEL": "high"}, Hooks: []byte(`{"BeforeTool": [{"hooks": [
		{"type": "command", "command": "${extensionPath}/x", "args": ["${workspacePath}${/}y"], "env": {"AT": "${workspacePath}"}},
		{"type": "command", "command": "\"${extensionPath}/x\" ${workspacePath}", "name": "${workspacePath}"},
		{"type": "http", "url": "https://h.example/x${workspacePath}", "headers": {"X": "${workspacePath}"}},
		{"type": "prompt", "prompt": "In ${workspacePath}?", "statusMessage": "${workspacePath}"},
		{"type": "mcp_tool", "server": "s", "tool": "t", "input": {"a": [{"b": "${workspacePath}"}], "c": "${tool_input.x}", "d": 1}}]}]}`)}
	s := config.LoadHead(head)
	require.Empty(t, s.Problems)
	require.Len(t, s.Hooks, 5)
	assert.Equal(t, dir+"/x", s.Hooks[0].Command)
	assert.Equal(t, []string{"/work/y"}, s.Hooks[0].Args)
	assert.Equal(t, map[string]string{"AT": "/work", "LEVEL": "high", "CLAUDE_PLUGIN_ROOT": "/skill"}, s.Hooks[0].Env)
	assert.Equal(t, `"${extensionPath}/x" /work`, s.Hooks[1].Command, "the shell would act on the path")
	assert.Equal(t, dir, s.Hooks[1].Env["extensionPath"])
	assert.Equal(t, "/work", s.Hooks[1].Name)
	assert.Equal(t, "https://h.example/x/work /work", s.Hooks[2].URL+" "+s.Hooks[2].Headers["X"])
	assert.Equal(t, "In /work? /work", s.Hooks[3].Prompt+" "+s.Hooks[3].StatusMessage)
	assert.Equal(t, map[string]any{"a": []any{map[string]any{"b": "/work"}}, "c": "${tool_input.x}", "d": 1.0}, s.Hooks[4].Input)

	head.Extension = ""
	assert.Equal(t, "${extensionPath}/x", config.LoadHead(head).Hooks[0].Command, "of no extension")
	for _, c := range []struct {
		head config.Head
		want string
	}{
		{config.Head{Of: skill, Source: head.Source, Fault: "it is not YAML"}, "its hooks cannot be read, and do not run: it is not YAML"},
		{config.Head{Of: skill, Source: head.Source, Hooks: head.Hooks, Extension: "/nowhere"}, "reading its hooks: "},
	} {
		problems := config.LoadHead(c.head).Problems
		require.Len(t, problems, 1)
		assert.Contains(t, problems[0].Text, c.want)
		assert.Equal(t, 4, problems[0].Line)
	}
}
