package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/agent"
	"minigem/hooks"
	"minigem/hooks/command"
	"minigem/hooks/protocol"
	"minigem/llm"
	"minigem/tools"
	"minigem/tools/builtin"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
	"minigem/tools/workspace"
)

// TestOfTheREADME compiles and runs the Go code in README.md. A test of e2e compares
// the two.
func TestOfTheREADME(t *testing.T) {
	t.Parallel()
	dir, ctx := t.TempDir(), t.Context()
	guard := "#!/bin/sh\ncase $(cat) in *'push --force'*) echo 'Do not force-push.' >&2; exit 2 ;; esac\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "no-force.sh"), []byte(guard), 0o755))
	ws, err := workspace.New(dir)
	require.NoError(t, err)
	all, err := builtin.All(builtin.Options{Workspace: ws})
	require.NoError(t, err)
	rules, err := policy.New(policy.Options{Mode: policy.ModeYolo, InWorkspace: ws.Writable})
	require.NoError(t, err)
	model := &llm.Fake{Answers: []llm.FakeAnswer{
		call("run_shell_command", map[string]any{"command": "git push --force"}), llm.FakeText("I leave it."),
	}}

	engine := &hooks.Engine{ // examples/agent/main.go is a whole program, with its imports
		Config: hooks.Config{Hooks: []hooks.Hook{{Event: protocol.BeforeTool, Command: "./no-force.sh"}}},
		Runner: command.Runner{Dir: dir, Env: os.Environ()},
	}
	a := agent.Agent{
		Model: model, // gemini.New(...), or another llm.Model
		Hooks: engine,
		Tools: &toolcall.Runner{Registry: tools.NewRegistry(all...), Hooks: engine, Policy: rules},
	}
	result := a.Run(ctx, agent.Prompt{Text: "Publish the branch"})

	assert.Equal(t, "I leave it.", result.Response)
	last := model.Requests()[1].Messages
	answer := last[len(last)-1].Parts[0].(llm.ToolResult)
	assert.Equal(t, "Tool execution blocked: Do not force-push.", answer.Response["error"])
}
