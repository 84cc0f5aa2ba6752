package judge_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/hookstest"
	"minigem/hooks/judge"
	"minigem/hooks/protocol"
	"minigem/llm"
)

// FuzzVerdict checks that, whatever a model says, a call passes only with a yes or a
// failure, and that a readable no refuses it.
func FuzzVerdict(f *testing.F) {
	for _, text := range []string{`{"ok": true}`, `{"ok": false}`, "```json\n{\"ok\":false}\n```", `{"ok": true, "ok": false}`, `["ok"]`, `{"ok": null}`, ""} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var rep hooks.Report
		e := &hooks.Engine{
			Origin: hookstest.Origin, Report: func(r hooks.Report) { rep = r },
			Runner: judge.Runner{Model: model{text: text}, Name: func(string) string { return "m" }},
			Config: hooks.Config{Hooks: []hooks.Hook{{Event: protocol.BeforeTool, Handler: hooks.Handler{Type: "prompt", Prompt: "?"}}}},
		}
		o := e.BeforeTool(t.Context(), hooks.ToolUse{Call: llm.ToolCall{Name: "t"}})
		if strings.Contains(text, `"ok": false`) && !strings.Contains(text, "true") {
			require.True(t, o.Denied(), text)
		}
		require.True(t, o.Denied() || rep.Runs[0].Failed != "" || strings.Contains(strings.ToLower(text), "true"), text)
	})
}
