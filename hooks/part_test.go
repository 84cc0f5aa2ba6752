package hooks_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/hookstest"
	"minigem/hooks/protocol"
)

var (
	skill = hooks.Part{Skill: "review"}
	agent = hooks.Part{Agent: "reviewer"}
)

// TestHooksOfPartsRunWhileThoseAreActive checks that a skill's hooks run from its
// activation until another session, and an agent's hooks only in its own events.
func TestHooksOfPartsRunWhileThoseAreActive(t *testing.T) {
	t.Parallel()
	deny := map[string]hookstest.Script{"a": {Stdout: `{"decision":"deny","reason":"no"}`}}
	e, _, rep := engine(protocol.BeforeTool, deny, "a")
	e.Config.Hooks[0].Within = skill
	assert.False(t, e.BeforeTool(t.Context(), writeFile()).Denied())
	assert.Equal(t, "it runs while the skill review is active", rep.last().Runs[0].Skipped)
	e.Activate("another")
	assert.False(t, e.BeforeTool(t.Context(), writeFile()).Denied())
	e.Activate("review")
	assert.True(t, e.BeforeTool(t.Context(), writeFile()).Denied())
	e.SetOrigin(hooks.Origin{SessionID: "another"})
	assert.False(t, e.BeforeTool(t.Context(), writeFile()).Denied(), "after /clear")

	in := func(s hooks.Subagent) context.Context { return s.In(t.Context()) }
	e, _, rep = engine(protocol.BeforeTool, deny, "a")
	e.Config.Hooks[0].Within, e.Config.Hooks[0].Source.File = agent, "/p/reviewer.md"
	assert.False(t, e.BeforeTool(t.Context(), writeFile()).Denied())
	assert.Equal(t, "it runs in the agent reviewer alone", rep.last().Runs[0].Skipped)
	assert.False(t, e.BeforeTool(in(hooks.Subagent{ID: "1", Type: "writer"}), writeFile()).Denied())
	assert.False(t, e.BeforeTool(in(hooks.Subagent{ID: "1", Type: "reviewer", File: "/u/reviewer.md"}), writeFile()).Denied(), "another one of that name")
	assert.True(t, e.BeforeTool(in(hooks.Subagent{ID: "1", Type: "reviewer", File: "/p/reviewer.md"}), writeFile()).Denied())

	data, err := json.Marshal(rep.last())
	require.NoError(t, err)
	assert.Contains(t, string(data), `"within":"agent reviewer"`)
	var back hooks.Report
	require.NoError(t, json.Unmarshal(data, &back))
	assert.Equal(t, agent, back.Runs[0].Hook.Within)
}
