package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/llm"
)

// TestModelConfigs: requests follow the aliases and overrides of the settings, and an
// agent's requests follow its own.
func TestModelConfigs(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{
		"../.gemini/agents/scout.md": "---\nname: scout\ndescription: Looks around.\nmodel: careful\ntemperature: 0.9\n---\nLook.\n",
		"../.gemini/agents/other.md": "---\nname: other\ndescription: Looks around.\n---\nLook.\n",
		"../.gemini/settings.json": `{
			"modelConfigs": {
				"customAliases": {"careful": {"extends": "gemini-2.5-flash", "modelConfig": {"generateContentConfig": {"temperature": 0.1, "maxOutputTokens": 500, "thinkingConfig": {"thinkingBudget": 100}}}}},
				"customOverrides": [
					{"match": {"model": "careful", "overrideScope": "core"}, "modelConfig": {"generateContentConfig": {"topP": 0.5}}},
					{"match": {"overrideScope": "scout"}, "modelConfig": {"generateContentConfig": {"thinkingConfig": {"thinkingBudget": 4096}}}}]},
			"agents": {"overrides": {"other": {"modelConfig": {"model": "gemini-2.5-flash-lite", "generateContentConfig": {"topK": 5}}}}}}`,
	})
	call := func(name string, args map[string]any) llm.ToolCall { return llm.ToolCall{Name: name, Args: args} }
	done := callAnswer(call("complete_task", map[string]any{"result": "seen"}))
	server := startFakeAPI(t, append(textAnswers(t, "", 0),
		callAnswer(call("invoke_agent", map[string]any{"agent_name": "scout", "prompt": "look"})), done,
		callAnswer(call("invoke_agent", map[string]any{"agent_name": "other", "prompt": "look"})), done, textAnswer("Done.")))
	o := h.run(t, run{Args: []string{"-m", "careful", "--yolo", "-p", "look"}, Env: server.env()})
	require.Equal(t, 0, o.Code, o.Stderr)
	assert.NotContains(t, o.Stderr, "modelConfigs")
	assert.Empty(t, server.problems())
	assert.Equal(t, []string{"gemini-2.5-flash 200", "gemini-2.5-flash 200", "gemini-2.5-flash 200", "gemini-2.5-flash-lite 200", "gemini-2.5-flash 200"}, server.askedModels())
	log := server.Log()
	for i, want := range []struct {
		temperature, topP, topK float64
		limit, thoughts         int
	}{{0.1, 0.5, 64, 500, 100}, {0.9, 0.95, 64, 500, 4096}, {0.1, 0.5, 64, 500, 100}, {1, 0.95, 5, 0, 8192}, {0.1, 0.5, 64, 500, 100}} {
		s := log[i].Parsed.Sampling
		assert.InDelta(t, want.temperature, *s.Temperature, 1e-9, i)
		assert.InDelta(t, want.topP, *s.TopP, 1e-9, i)
		assert.InDelta(t, want.topK, *s.TopK, 1e-9, i)
		assert.Equal(t, want.thoughts, *s.Thinking.Budget, i)
		if want.limit == 0 {
			assert.Nil(t, s.MaxOutputTokens, i)
		} else {
			assert.Equal(t, want.limit, *s.MaxOutputTokens, i)
		}
	}
}

// TestBrokenModelConfigs: a setting without effect is reported with file and line, and an
// unusable alias ends the run.
func TestBrokenModelConfigs(t *testing.T) {
	t.Parallel()
	h := newHome(t, map[string]string{"../.gemini/settings.json": `{"modelConfigs": {
"customAliases": {"a.b": {"extends": "nothing"}},
"customOverrides": [
  {"match": {"model": "gemini-2.5-pro"}, "modelConfig": {"generateContentConfig": {"temperature": "hot"}}},
  {"match": {"isRetry": true}, "modelConfig": {"model": "never"}}]}}`})
	server := startFakeAPI(t, textAnswers(t, "Hello.", 1))
	o := h.run(t, run{Args: []string{"-p", "hi"}, Env: server.env()})
	assert.Equal(t, 0, o.Code, o.Stderr)
	for _, part := range []string{
		`settings.json:2: modelConfigs.customAliases.a.b extends "nothing", and there is no such alias`,
		`settings.json:5: modelConfigs.customOverrides[1].match.isRetry is nothing that minigem tells requests apart by`,
		`settings.json:4:`, `modelConfigs.customOverrides[0].modelConfig.generateContentConfig.temperature: must be a number`,
	} {
		assert.Contains(t, o.Stderr, part)
	}
	assert.Equal(t, []string{"gemini-2.5-pro 200"}, server.askedModels())
	o = h.run(t, run{Args: []string{"-m", "a.b", "-p", "hi"}, Env: server.env()})
	assert.Equal(t, 52, o.Code)
	assert.Contains(t, o.Stderr, `the model "a.b" is an alias of the settings that cannot be used: modelConfigs.customAliases.a.b`)
	assert.Len(t, server.Log(), 1)
}

// TestAutoFollowsThePlan: auto selects a large model, also for planning, and a fast one
// once the user has approved a plan. general.plan.modelRouting turns that off.
func TestAutoFollowsThePlan(t *testing.T) {
	t.Parallel()
	const large, fast = "gemini-3.1-pro-preview 200", "gemini-3.8-flash 200"
	for _, c := range []struct {
		settings, model string
		want            []string
	}{
		{`{}`, "auto", []string{large, large, large, fast, fast}},
		{`{}`, "gemini-3.1-pro-preview", []string{large, large, large, large, large}},
		{`{"general": {"plan": {"modelRouting": false}}}`, "auto", []string{large, large, large, large, large}},
	} {
		h := newHome(t, map[string]string{"../.gemini/settings.json": c.settings, "notes.txt": "buy milk\n"})
		call := func(name string, args map[string]any) llm.ToolCall { return llm.ToolCall{Name: name, Args: args} }
		server := startFakeAPI(t, append(textAnswers(t, "", 0),
			callAnswer(call("enter_plan_mode", nil)),
			callAnswer(call("write_file", map[string]any{"file_path": "plan.md", "content": "# Look"})),
			callAnswer(call("exit_plan_mode", map[string]any{"plan_filename": "plan.md"})),
			callAnswer(call("read_file", map[string]any{"file_path": "notes.txt"})), textAnswer("Done.")))
		o := h.run(t, run{Args: []string{"-m", c.model, "-p", "look"}, Env: server.env()})
		assert.Equal(t, 0, o.Code, o.Stderr)
		assert.Empty(t, server.problems())
		assert.Equal(t, c.want, server.askedModels(), c.settings)
	}
}
