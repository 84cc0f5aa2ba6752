package elsewhere_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/elsewhere"
	"minigem/hooks/hookstest"
	"minigem/hooks/protocol"
)

// TestUpstream checks the differences that an author would meet in production.
func TestUpstream(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	nested := func(json string) string { return `{"hookSpecificOutput":` + json + `}` }
	for _, c := range []struct {
		name   string
		event  protocol.Event
		script hookstest.Script
		id     string // "" means no difference
	}{
		// The same there.
		{"silence", protocol.BeforeTool, hookstest.Script{}, ""},
		{"a deny", protocol.BeforeTool, hookstest.Script{Stdout: `{"decision":"deny","reason":"no"}`}, ""},
		{"exit 2 with stderr", protocol.BeforeTool, hookstest.Script{Exit: 2, Stderr: "no"}, ""},
		{"exit 2 with a deny", protocol.BeforeTool, hookstest.Script{Exit: 2, Stdout: `{"decision":"block"}`}, ""},
		{"exit 1 with stderr", protocol.BeforeTool, hookstest.Script{Exit: 1, Stderr: "no"}, ""},
		{"a deny after a byte order mark", protocol.BeforeTool, hookstest.Script{Stdout: "\ufeff" + `{"decision":"deny"}`}, ""},
		{"exit 3 with nothing", protocol.BeforeTool, hookstest.Script{Exit: 3}, ""},
		{"all arguments", protocol.BeforeTool, hookstest.Script{Stdout: nested(`{"tool_input":{"file_path":"b"}}`)}, ""},
		{"a flat toolConfig", protocol.BeforeToolSelection, hookstest.Script{Stdout: nested(`{"toolConfig":{"mode":"NONE"}}`)}, ""},
		{"a denial with an answer", protocol.BeforeModel, hookstest.Script{Stdout: `{"decision":"deny","hookSpecificOutput":{"llm_response":{"candidates":[{"content":{"parts":["a"]}}]}}}`}, ""},
		// Something else there.
		{"T1", protocol.BeforeTool, hookstest.Script{Exit: 2}, "exit-2-silent"},
		{"T2", protocol.BeforeTool, hookstest.Script{Exit: 2, Stdout: "{}", Stderr: "no"}, "exit-2-json"},
		{"a number", protocol.BeforeTool, hookstest.Script{Exit: 2, Stdout: "42"}, "exit-2-json"},
		{"T4", protocol.BeforeTool, hookstest.Script{Exit: 3, Stderr: "hm"}, "exit-above-2"},
		{"a deny after a line", protocol.BeforeTool, hookstest.Script{Stdout: "checking\n" + `{"decision":"deny"}`}, "deny-in-noise"},
		{"a deny in an array", protocol.BeforeTool, hookstest.Script{Stdout: `[{"decision":"deny"}]`}, "deny-in-noise"},
		{"a deny in broken JSON", protocol.BeforeTool, hookstest.Script{Exit: 1, Stdout: `{"decision":"deny",}`}, "deny-in-noise"},
		{"stderr", protocol.BeforeTool, hookstest.Script{Stderr: "debug"}, "stderr-shown"},
		{"a string", protocol.BeforeTool, hookstest.Script{Stdout: nested(`"x"`)}, "output-not-object"},
		{"ask", protocol.BeforeTool, hookstest.Script{Stdout: `{"decision":"ask"}`}, "ask"},
		{"some arguments", protocol.BeforeTool, hookstest.Script{Stdout: nested(`{"tool_input":{"content":"y"}}`)}, "whole-input"},
		{"an answer alone", protocol.BeforeModel, hookstest.Script{Stdout: nested(`{"llm_response":{"text":"a"}}`)}, "response-alone"},
		{"messages", protocol.BeforeModel, hookstest.Script{Stdout: nested(`{"llm_request":{"messages":[{"role":"user","content":"x"}]}}`)}, "messages-by-position"},
		{"config", protocol.BeforeModel, hookstest.Script{Stdout: nested(`{"llm_request":{"config":{"topP":1}}}`)}, "config-erased"},
		{"modifiedRequest", protocol.BeforeModel, hookstest.Script{Stdout: `{"modifiedRequest":{"model":"m"}}`}, "older-field"},
		{"blank", protocol.AfterModel, hookstest.Script{Stdout: nested(`{"llm_response":{"candidates":[{"content":{"parts":[]}}]}}`)}, "replacement-ignored"},
		{"a replacement", protocol.AfterModel, hookstest.Script{Stdout: nested(`{"llm_response":{"candidates":[{"content":{"parts":["x"]}}]}}`)}, "chunk-shown"},
		{"a denied chunk", protocol.AfterModel, hookstest.Script{Exit: 2, Stderr: "no"}, "chunk-denied"},
		{"an empty answer", protocol.BeforeToolSelection, hookstest.Script{Stdout: "{}"}, "selection-auto"},
		{"names in AUTO", protocol.BeforeToolSelection, hookstest.Script{Stdout: nested(`{"toolConfig":{"mode":"AUTO","allowedFunctionNames":["glob"]}}`)}, "auto-list"},
		{"a denial with half an answer", protocol.BeforeModel, hookstest.Script{Stdout: `{"decision":"deny","hookSpecificOutput":{"llm_response":{"text":"a"}}}`}, "malformed-response"},
		{"a deny before the timeout", protocol.BeforeTool, hookstest.Script{Stdout: `{"decision":"deny"}`, Delay: time.Hour}, "timeout-deny"},
		{"context before a tool", protocol.BeforeTool, hookstest.Script{Stdout: nested(`{"additionalContext":"c"}`)}, "context-more"},
		{"context after the agent", protocol.AfterAgent, hookstest.Script{Stdout: nested(`{"additionalContext":"c"}`)}, "context-more"},
		{"an event that it lacks", protocol.PostToolUseFailure, hookstest.Script{Exit: 2}, "event-added"},
		{"another output", protocol.AfterTool, hookstest.Script{Stdout: nested(`{"updatedOutput":"x"}`)}, "updated-output"},
		{"clearContext", protocol.AfterAgent, hookstest.Script{Stdout: `{"decision":"deny","clearContext":true}`}, "older-field"},
	} {
		e, _, rep := engine(c.event, map[string]hookstest.Script{"a": c.script}, "a")
		if c.script.Delay > 0 {
			e.Config.Hooks[0].Timeout = time.Millisecond
		}
		req := hooks.NewModelRequest(hookstest.Request())
		switch c.event {
		case protocol.BeforeTool:
			e.BeforeTool(t.Context(), writeFile())
		case protocol.BeforeModel:
			e.BeforeModel(t.Context(), req)
		case protocol.AfterModel:
			e.AfterModel(t.Context(), req, hookstest.Chunk())
		case protocol.BeforeToolSelection:
			e.BeforeToolSelection(t.Context(), req)
		case protocol.PostToolUseFailure:
			e.PostToolUseFailure(t.Context(), hooks.ToolUse{Exit: 3}, protocol.ToolResponse{})
		case protocol.AfterTool:
			e.AfterTool(t.Context(), writeFile(), protocol.ToolResponse{})
		case protocol.AfterAgent:
			e.AfterAgent(t.Context(), "p", "r", false)
		}
		got := rep.last().Runs[0].Upstream
		if c.id == "" {
			assert.Empty(t, got, c.name)
			continue
		}
		assert.Contains(t, ids(got), c.id, c.name)
		shown[c.id] = true
	}
	for _, id := range []string{"later-allow", "matcher-notification", "matcher-trigger", "trigger-added", "head"} { // see TestUpstreamOfSeveralHooksAndMatchers
		shown[id] = true
	}
	for _, d := range elsewhere.Differences() {
		assert.Equal(t, d.Shown&elsewhere.InReport != 0, shown[d.ID], "%s: it is in the report of a run, and a case shows it", d.ID)
	}
}

func ids(ds []hooks.Difference) []string {
	var out []string
	for _, d := range ds {
		out = append(out, d.ID)
	}
	return out
}

func TestUpstreamOfSeveralHooksAndMatchers(t *testing.T) {
	t.Parallel()
	scripts := map[string]hookstest.Script{"deny": {Exit: 2, Stderr: "no"}, "text": {Stdout: "ok"}}
	e, _, rep := engine(protocol.BeforeModel, scripts, "deny", "text")
	e.BeforeModel(t.Context(), hooks.NewModelRequest(hookstest.Request()))
	assert.Equal(t, []string{"later-allow"}, ids(rep.last().Runs[0].Upstream))

	e, _, rep = engine(protocol.SessionStart, scripts, "text", "text ")
	e.Config.Hooks[0].Matcher, e.Config.Hooks[1].Matcher = "startup|resume", "startup"
	e.SessionStart(t.Context(), "startup")
	assert.Equal(t, []string{"matcher-trigger"}, ids(rep.last().Runs[0].Upstream))

	e, _, rep = engine(protocol.SessionStart, scripts, "text")
	e.Config.Hooks[0].Matcher = "compact"
	e.SessionStart(t.Context(), "compact")
	assert.Equal(t, []string{"trigger-added"}, ids(rep.last().Runs[0].Upstream))

	e, _, rep = engine(protocol.BeforeTool, scripts, "text")
	e.Config.Hooks[0].Within = hooks.Part{Skill: "review"}
	e.Activate("review")
	e.BeforeTool(t.Context(), writeFile())
	assert.Equal(t, []string{"head"}, ids(rep.last().Runs[0].Upstream))

	e, _, rep = engine(protocol.Notification, scripts, "text")
	e.Config.Hooks[0].Matcher = "Other"
	e.Notification(t.Context(), "ToolPermission", "m", nil)
	assert.Equal(t, []string{"matcher-notification"}, ids(rep.last().Runs[0].Upstream))
}

// A difference is one sentence in the report of a run, also after the report was read
// back, and its ID is unique.
func TestDifferencesAreSentences(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, d := range elsewhere.Differences() {
		assert.False(t, known[d.ID], "%s occurs twice", d.ID)
		known[d.ID] = true
		for part, text := range map[string]string{"agent": d.Agent, "when": d.When, "there": d.There, "here": d.Here, "source": d.Source} {
			assert.NotEmpty(t, text, "%s has no %s", d.ID, part)
			assert.NotRegexp(t, `[.\n]$`, text, "%s: its %s is a part of a sentence", d.ID, part)
		}
		var again hooks.Report
		data, err := json.Marshal(hooks.Report{Runs: []hooks.Run{{Upstream: []hooks.Difference{d, {There: "of another version"}}}}})
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &again))
		assert.Equal(t, []string{d.String(), "of another version"}, []string{again.Runs[0].Upstream[0].String(), again.Runs[0].Upstream[1].String()})
	}
}
