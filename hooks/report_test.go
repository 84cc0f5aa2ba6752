package hooks_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/hookstest"
	"minigem/hooks/protocol"
)

// everything fires one event that has an effect of every kind.
func everything(t *testing.T, mask func([]byte) []byte) hooks.Report {
	t.Helper()
	var report hooks.Report
	synctest.Test(t, func(t *testing.T) {
		e, _, rep := engine(protocol.BeforeTool, map[string]hookstest.Script{
			"guard":   {Delay: time.Second, Stdout: `{"decision":"deny","reason":"not here","systemMessage":"watch out","colour":"red"}`, Stderr: "checked"},
			"rewrite": {Stdout: `{"hookSpecificOutput":{"tool_input":{"content":"token-123"}}}`},
			"broken":  {Exit: 3, Stderr: "Traceback\nKeyError"},
			"hung":    {Delay: time.Hour},
			"silent":  {},
			"lost":    {Err: errors.New("starting bash: permission denied")},
		}, "guard", "rewrite", "broken", "hung", "silent", "lost", "off", "strange", "other", "rewrite")
		h := e.Config.Hooks
		h[0].Source = hooks.Source{Layer: hooks.LayerProject, File: "/p/.gemini/settings.json", Line: 12}
		h[3].Timeout = 2 * time.Second
		h[4].Note = "new since you last trusted this project's hooks"
		h[6].Disabled = "listed in hooksConfig.disabled"
		h[7].Untrusted = "the folder is not trusted"
		h[8].Matcher = "replace"
		h[9].Env = map[string]string{"A": "1"}
		e.Mask = mask
		e.BeforeTool(t.Context(), writeFile())
		report = rep.last()
	})
	return report
}

// TestReportAnswers checks that the report alone answers why a hook did not run, what
// it read, and which field was ignored.
func TestReportAnswers(t *testing.T) {
	t.Parallel()
	r := everything(t, nil)
	type line struct {
		hook, skipped, failed string
		decision              hooks.Decision
		warnings              []string
	}
	var got []line
	for _, run := range r.Runs {
		got = append(got, line{run.Hook.Name, run.Skipped, run.Failed, run.Decision, run.Warnings})
	}
	assert.Equal(t, []line{
		{"guard", "", "", hooks.Deny, []string{"unknown field colour"}},
		{"rewrite", "", "", hooks.Proceed, []string{"shadows the hook at an unknown place, which has another timeout, matcher or environment"}},
		{"broken", "", "exit status 3: Traceback", hooks.Proceed, nil},
		{"hung", "", "timed out after 2000ms", hooks.Proceed, nil},
		{"silent", "", "", hooks.Proceed, nil},
		{"lost", "", "starting bash: permission denied", hooks.Proceed, nil},
		{"off", "disabled: listed in hooksConfig.disabled", "", hooks.Proceed, nil},
		{"strange", "not trusted: the folder is not trusted", "", hooks.Proceed, nil},
		{"other", `matcher "replace" does not match "write_file"`, "", hooks.Proceed, nil},
		{"rewrite", "shadowed by the hook of the same name and command at an unknown place", "", hooks.Proceed, nil},
	}, got)
	assert.Equal(t, []hooks.Step{{"guard", "deny: not here"}, {"rewrite", `merges {"content":"token-123"} over the arguments`}}, r.Merge)
	assert.Equal(t, hooks.Verdict{Decision: hooks.Deny, Reason: "not here", SystemMessage: "watch out", Hooks: []string{"guard"}}, r.Verdict)
	assert.Equal(t, hooks.Effect{Kind: "deny", Before: []byte(`{"file_path":"a"}`), After: []byte(`{"content":"token-123","file_path":"a"}`)}, r.Effect)
	assert.Equal(t, []hooks.Message{
		{Hook: "guard", Kind: hooks.MessageSystem, Text: "watch out"},
		{Hook: "guard", Kind: hooks.MessageWarning, Text: `hook "guard" for BeforeTool: unknown field colour`},
		{Hook: "rewrite", Kind: hooks.MessageWarning, Text: `hook "rewrite" for BeforeTool: shadows the hook at an unknown place, which has another timeout, matcher or environment`},
		{Hook: "broken", Kind: hooks.MessageFailure, Text: `hook "broken" for BeforeTool failed: exit status 3: Traceback`},
		{Hook: "hung", Kind: hooks.MessageFailure, Text: `hook "hung" for BeforeTool failed: timed out after 2000ms`},
		{Hook: "silent", Kind: hooks.MessageNote, Text: "new since you last trusted this project's hooks"},
		{Hook: "lost", Kind: hooks.MessageFailure, Text: `hook "lost" for BeforeTool failed: starting bash: permission denied`},
	}, r.Messages)
	assert.Equal(t, 2*time.Second, r.Duration)
	assert.Equal(t, "write_file", r.Subject)
	assert.Equal(t, r.Input, r.Runs[0].Stdin)
}

// TestMessagesAreReportedOnce checks that ignored fields are reported once per hook. What a
// hook says, and that it failed, is shown every time, except at events that fire for
// every chunk.
func TestMessagesAreReportedOnce(t *testing.T) {
	t.Parallel()
	script := map[string]hookstest.Script{"a": {Exit: 1, Stdout: `{"systemMessage":"m","x":1}`}}
	kinds := func(r hooks.Report) (out []string) {
		for _, m := range r.Messages {
			out = append(out, m.Kind)
		}
		return out
	}
	e, _, rep := engine(protocol.BeforeTool, script, "a")
	e.BeforeTool(t.Context(), writeFile())
	assert.Equal(t, []string{"system", "failure", "warning"}, kinds(rep.last()))
	e.BeforeTool(t.Context(), writeFile())
	assert.Equal(t, []string{"system", "failure"}, kinds(rep.last()))

	e, _, rep = engine(protocol.AfterModel, script, "a")
	req := hooks.NewModelRequest(hookstest.Request())
	e.AfterModel(t.Context(), req, hookstest.Chunk())
	assert.Equal(t, []string{"system", "failure", "warning"}, kinds(rep.last()))
	e.AfterModel(t.Context(), req, hookstest.Chunk())
	assert.Equal(t, []string{"system"}, kinds(rep.last()))
}

func TestSuppressedMessagesAreMarked(t *testing.T) {
	t.Parallel()
	e, _, rep := engine(protocol.BeforeTool, map[string]hookstest.Script{"a": {Stdout: `{"systemMessage":"m","suppressOutput":true}`}}, "a")
	e.BeforeTool(t.Context(), writeFile())
	assert.Equal(t, []hooks.Message{{Hook: "a", Kind: hooks.MessageSystem, Text: "m", Suppressed: true}}, rep.last().Messages)
	assert.Empty(t, rep.last().Verdict.SystemMessage)
}

// TestReportJSON checks that a report survives writing and reading.
func TestReportJSON(t *testing.T) {
	t.Parallel()
	first, err := json.Marshal(everything(t, nil))
	require.NoError(t, err)
	var again hooks.Report
	require.NoError(t, json.Unmarshal(first, &again))
	second, err := json.Marshal(again)
	require.NoError(t, err)
	assert.JSONEq(t, string(first), string(second))

	var fields map[string]any
	require.NoError(t, json.Unmarshal(first, &fields))
	run := fields["runs"].([]any)[0].(map[string]any)
	assert.Equal(t, map[string]any{
		"hook":   map[string]any{"event": "BeforeTool", "name": "guard", "command": "guard", "layer": "project", "file": "/p/.gemini/settings.json", "line": 12.0},
		"status": "ran", "matched": true, "started": "2000-01-01T00:00:00Z", "duration_ms": 1000.0,
		"stdin": again.Input.String(), "stdout": `{"decision":"deny","reason":"not here","systemMessage":"watch out","colour":"red"}`, "stderr": "checked",
		"exit": 0.0, "decision": "deny", "warnings": []any{"unknown field colour"},
		"reading": map[string]any{"from": "stdout", "output": map[string]any{"decision": "deny", "reason": "not here", "systemMessage": "watch out"}},
	}, run)
}

// TestReportMasksSecrets checks strings, JSON inside strings, and the JSON of effects.
// The result stays JSON, and keys stay.
func TestReportMasksSecrets(t *testing.T) {
	t.Parallel()
	mask := func(b []byte) []byte {
		return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("token-123"), []byte(`<"masked">`)), []byte("seq"), []byte("???"))
	}
	report := everything(t, mask)
	assert.Contains(t, string(report.Effect.After), "token-123", "the value itself is what happened")
	data, err := json.Marshal(report)
	require.NoError(t, err)
	assert.True(t, json.Valid(data))
	assert.NotContains(t, string(data), "token-123")
	assert.Contains(t, string(data), `"seq":1`)
	var again hooks.Report
	require.NoError(t, json.Unmarshal(data, &again))
	assert.JSONEq(t, `{"content":"<\"masked\">","file_path":"a"}`, string(again.Effect.After))
	assert.JSONEq(t, `{"hookSpecificOutput":{"tool_input":{"content":"<\"masked\">"}}}`, string(again.Runs[1].Exit.Stdout))
}

func TestDecisionString(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "stop", hooks.Stop.String())
	assert.Equal(t, "Decision(9)", hooks.Decision(9).String())
}

// The value of a header may be a secret, so reports show only its variables.
func TestHeadersAreNotReported(t *testing.T) {
	t.Parallel()
	h := hooks.Hook{Event: protocol.BeforeTool, Handler: hooks.Handler{Type: "http", URL: "https://x", Headers: map[string]string{"Authorization": "Bearer sk-secret", "X-Key": "k $TOKEN"}}}
	data, err := json.Marshal(hooks.Report{Runs: []hooks.Run{{Hook: h}}})
	require.NoError(t, err)
	assert.NotContains(t, string(data), "sk-secret")
	assert.Contains(t, string(data), `"headers":{"Authorization":"***","X-Key":"k $TOKEN"}`)
	assert.Equal(t, "Bearer sk-secret", h.Headers["Authorization"], "the hook itself keeps it")
}
