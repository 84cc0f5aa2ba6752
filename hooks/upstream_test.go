package hooks_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/hooks"
	"minigem/hooks/hookstest"
	"minigem/hooks/protocol"
)

// TestUpstream: what an author would meet in production.
func TestUpstream(t *testing.T) {
	t.Parallel()
	nested := func(json string) string { return `{"hookSpecificOutput":` + json + `}` }
	for _, c := range []struct {
		name   string
		event  hooks.Event
		script hookstest.Script
		says   string // "": there is no difference
	}{
		// The same there.
		{"silence", protocol.BeforeTool, hookstest.Script{}, ""},
		{"a deny", protocol.BeforeTool, hookstest.Script{Stdout: `{"decision":"deny","reason":"no"}`}, ""},
		{"exit 2 with stderr", protocol.BeforeTool, hookstest.Script{Exit: 2, Stderr: "no"}, ""},
		{"exit 2 with a deny", protocol.BeforeTool, hookstest.Script{Exit: 2, Stdout: `{"decision":"block"}`}, ""},
		{"exit 1 with stderr", protocol.BeforeTool, hookstest.Script{Exit: 1, Stderr: "no"}, ""},
		{"a deny behind a byte order mark", protocol.BeforeTool, hookstest.Script{Stdout: "\ufeff" + `{"decision":"deny"}`}, ""},
		{"exit 3 with nothing", protocol.BeforeTool, hookstest.Script{Exit: 3}, ""},
		{"all arguments", protocol.BeforeTool, hookstest.Script{Stdout: nested(`{"tool_input":{"file_path":"b"}}`)}, ""},
		{"a flat toolConfig", protocol.BeforeToolSelection, hookstest.Script{Stdout: nested(`{"toolConfig":{"mode":"NONE"}}`)}, ""},
		{"a denial with an answer", protocol.BeforeModel, hookstest.Script{Stdout: `{"decision":"deny","hookSpecificOutput":{"llm_response":{"candidates":[{"content":{"parts":["a"]}}]}}}`}, ""},
		// Something else there.
		{"T1", protocol.BeforeTool, hookstest.Script{Exit: 2}, "lets the action go on: exit 2 does not block there"},
		{"T2", protocol.BeforeTool, hookstest.Script{Exit: 2, Stdout: "{}", Stderr: "no"}, "lets the action go on"},
		{"a number", protocol.BeforeTool, hookstest.Script{Exit: 2, Stdout: "42"}, "lets the action go on"},
		{"T4", protocol.BeforeTool, hookstest.Script{Exit: 3, Stderr: "hm"}, "blocks, with what was printed"},
		{"a deny after a line", protocol.BeforeTool, hookstest.Script{Stdout: "checking\n" + `{"decision":"deny"}`}, "lets the action go on: what is not one JSON object"},
		{"a deny in an array", protocol.BeforeTool, hookstest.Script{Stdout: `[{"decision":"deny"}]`}, "lets the action go on: what is not one JSON object"},
		{"a deny in broken JSON", protocol.BeforeTool, hookstest.Script{Exit: 1, Stdout: `{"decision":"deny",}`}, "lets the action go on: what is not one JSON object"},
		{"stderr", protocol.BeforeTool, hookstest.Script{Stderr: "debug"}, "shows stderr"},
		{"a string", protocol.BeforeTool, hookstest.Script{Stdout: nested(`"x"`)}, "lets the whole event pass"},
		{"ask", protocol.BeforeTool, hookstest.Script{Stdout: `{"decision":"ask"}`}, "lifts a policy's deny"},
		{"some arguments", protocol.BeforeTool, hookstest.Script{Stdout: nested(`{"tool_input":{"content":"y"}}`)}, "replaces all arguments"},
		{"an answer alone", protocol.BeforeModel, hookstest.Script{Stdout: nested(`{"llm_response":{"text":"a"}}`)}, "calls the model"},
		{"messages", protocol.BeforeModel, hookstest.Script{Stdout: nested(`{"llm_request":{"messages":[{"role":"user","content":"x"}]}}`)}, "by position"},
		{"config", protocol.BeforeModel, hookstest.Script{Stdout: nested(`{"llm_request":{"config":{"topP":1}}}`)}, "erases the generation settings"},
		{"modifiedRequest", protocol.BeforeModel, hookstest.Script{Stdout: `{"modifiedRequest":{"model":"m"}}`}, "spelled the older way"},
		{"blank", protocol.AfterModel, hookstest.Script{Stdout: nested(`{"llm_response":{"candidates":[{"content":{"parts":[]}}]}}`)}, "ignores the replacement"},
		{"a replacement", protocol.AfterModel, hookstest.Script{Stdout: nested(`{"llm_response":{"candidates":[{"content":{"parts":["x"]}}]}}`)}, "on the screen only"},
		{"a denied chunk", protocol.AfterModel, hookstest.Script{Exit: 2, Stderr: "no"}, "shows the denied chunk"},
		{"an empty answer", protocol.BeforeToolSelection, hookstest.Script{Stdout: "{}"}, "sets the mode AUTO"},
		{"clearContext", protocol.AfterAgent, hookstest.Script{Stdout: `{"decision":"deny","clearContext":true}`}, "spelled the older way"},
	} {
		e, _, rep := engine(c.event, map[string]hookstest.Script{"a": c.script}, "a")
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
		case protocol.AfterAgent:
			e.AfterAgent(t.Context(), "p", "r", false)
		}
		got := strings.Join(rep.last().Runs[0].Upstream, "\n")
		if c.says == "" {
			assert.Empty(t, got, c.name)
		} else {
			assert.True(t, strings.HasPrefix(got, "Gemini CLI 0.61 "), c.name)
			assert.Contains(t, got, c.says, c.name)
		}
	}
}

func TestUpstreamOfSeveralHooksAndMatchers(t *testing.T) {
	t.Parallel()
	scripts := map[string]hookstest.Script{"deny": {Exit: 2, Stderr: "no"}, "text": {Stdout: "ok"}}
	e, _, rep := engine(protocol.BeforeModel, scripts, "deny", "text")
	e.BeforeModel(t.Context(), hooks.NewModelRequest(hookstest.Request()))
	assert.Equal(t, []string{"Gemini CLI 0.61 lets the action go on: a later hook's allow, or its text, overturns the deny there"}, rep.last().Runs[0].Upstream)

	e, _, rep = engine(protocol.SessionStart, scripts, "text", "text ")
	e.Config.Hooks[0].Matcher, e.Config.Hooks[1].Matcher = "startup|resume", "startup"
	e.SessionStart(t.Context(), "startup")
	assert.Equal(t, []string{"Gemini CLI 0.61 does not run the hook: it takes one exact trigger as matcher"}, rep.last().Runs[0].Upstream)

	e, _, rep = engine(protocol.Notification, scripts, "text")
	e.Config.Hooks[0].Matcher = "Other"
	e.Notification(t.Context(), "ToolPermission", "m", nil)
	assert.Equal(t, []string{"Gemini CLI 0.61 runs the hook whatever its matcher says"}, rep.last().Runs[0].Upstream)
}
