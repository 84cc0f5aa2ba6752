package main

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/protocol"
)

// writesOnce is a model that writes a file and reports it.
const writesOnce = `{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"write_file","args":{"file_path":"a.txt","content":"x"}}}]},"finishReason":"STOP"}]}]}
{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"text":"Done."}]},"finishReason":"STOP"}]}]}
`

// traced runs a session that writes a file, and reads its trace.
func (w hookWorld) traced(env ...string) ([]hooks.Report, string) {
	w.t.Helper()
	require.NoError(w.t, os.WriteFile(w.path("model.responses"), []byte(writesOnce), 0o600))
	got := w.run("--yolo --fake-responses "+w.path("model.responses")+" --hook-trace "+w.path("trace.jsonl")+" -p write", env...)
	require.Equal(w.t, 0, got.code, got.err)
	var reports []hooks.Report
	lines := bufio.NewScanner(strings.NewReader(w.read("trace.jsonl")))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r hooks.Report
		require.NoError(w.t, json.Unmarshal(lines.Bytes(), &r), lines.Text())
		again, err := json.Marshal(r)
		require.NoError(w.t, err)
		assert.JSONEq(w.t, lines.Text(), string(again), "a trace can be read and written again")
		reports = append(reports, r)
	}
	return reports, w.read("trace.jsonl") + got.err
}

// ofEvent returns the only report of an event.
func ofEvent(t *testing.T, reports []hooks.Report, event protocol.Event) hooks.Report {
	t.Helper()
	var found []hooks.Report
	for _, r := range reports {
		if r.Event == event {
			found = append(found, r)
		}
	}
	require.Len(t, found, 1, string(event))
	return found[0]
}

// TestHookTraceSaysWhyNot checks that each hook that did not run has a line that says
// why.
func TestHookTraceSaysWhyNot(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{
		".gemini/settings.json": `{"hooks": {"BeforeTool": [
  {"sequential": true, "hooks": [
    {"type": "command", "name": "ran", "command": "true"},
    {"type": "command", "name": "off", "command": "true"}]},
  {"matcher": "read_file", "hooks": [{"type": "command", "name": "for others", "command": "true"}]},
  {"hooks": [
    {"type": "command", "name": "stops", "command": "echo '{\"continue\": false, \"stopReason\": \"enough\"}'"},
    {"type": "command", "name": "too late", "command": "true"}]}]}}`,
		"~/.gemini/settings.json": `{"hooksConfig": {"disabled": ["off"]},
  "hooks": {"BeforeTool": [{"hooks": [{"type": "command", "name": "ran", "command": "true"}]}]}}`,
	})
	reports, _ := w.traced()
	r := ofEvent(t, reports, "BeforeTool")
	got := map[string]string{}
	for _, run := range r.Runs {
		id := run.Hook.ID()
		if run.Hook.Source.Layer == hooks.LayerUser {
			id += " (user's)"
		}
		got[id] = strings.NewReplacer(w.project, "PROJECT", w.home, "HOME").Replace(run.Skipped)
	}
	assert.Equal(t, map[string]string{
		"ran":          "shadowed by the hook of the same name and command at HOME/.gemini/settings.json:2",
		"off":          "disabled: disabled in HOME/.gemini/settings.json:1",
		"for others":   `matcher "read_file" does not match "write_file"`,
		"stops":        "",
		"too late":     `hook "stops" stopped the run first`,
		"ran (user's)": `hook "stops" stopped the run first`,
	}, got)
	assert.Equal(t, "write_file", r.Subject)
	assert.Equal(t, hooks.Verdict{Decision: hooks.Stop, Reason: "enough", Hooks: []string{"stops"}}, r.Verdict)
	assert.Equal(t, hooks.EffectStop, r.Effect.Kind)
}

func TestHookTraceOff(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{
		".gemini/settings.json": oneHook("a"), "~/.gemini/settings.json": `{"hooksConfig": {"enabled": false}}`,
	})
	reports, _ := w.traced()
	r := ofEvent(t, reports, "BeforeTool")
	require.Len(t, r.Runs, 1)
	assert.Contains(t, r.Runs[0].Skipped, "hooks are off: hooksConfig.enabled is false in "+w.home)
	assert.FileExists(t, w.path("a.txt"))
}

// TestHookTraceFailures checks that the trace has failures, with their streams.
func TestHookTraceFailures(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{".gemini/settings.json": `{"hooks": {"BeforeTool": [{"hooks": [
    {"type": "command", "name": "fails", "command": "echo half; echo why >&2; exit 3"},
    {"type": "command", "name": "hangs", "command": "sleep 3600", "timeout": 50},
    {"type": "command", "name": "missing", "command": "./not-here"},
    {"type": "command", "name": "typo", "command": "echo '{\"decison\": \"deny\"}'"}]}]}}`})
	reports, _ := w.traced()
	r := ofEvent(t, reports, "BeforeTool")
	require.Len(t, r.Runs, 4)
	assert.Equal(t, "exit status 3: why", r.Runs[0].Failed)
	assert.Equal(t, "half\n", string(r.Runs[0].Exit.Stdout))
	assert.Equal(t, 3, r.Runs[0].Exit.Code)
	assert.True(t, r.Runs[1].TimedOut)
	assert.Contains(t, r.Runs[1].Failed, "timed out after 50ms")
	assert.Contains(t, r.Runs[2].Failed, "not-here")
	assert.Equal(t, []string{`unknown field decison: did you mean "decision"?`}, r.Runs[3].Warnings)
	assert.Contains(t, r.Input.String(), `"tool_name":"write_file"`)
}

// TestHookTraceMasks checks that secrets from the environment, extensions and hooks
// reach neither the trace nor the terminal.
func TestHookTraceMasks(t *testing.T) {
	t.Parallel()
	const canary, stored, configured = "canary-a1b2c3d4e5f6", "canary-0123456789ab", "canary-ffeeddccbbaa"
	w := newHookWorld(t, map[string]string{
		"~/.gemini/extensions/ext/gemini-extension.json": `{"name": "ext", "version": "1.0.0", "settings": [{"name": "Key", "envVar": "EXT_API_KEY"}]}`,
		"~/.gemini/extensions/ext/.env":                  "EXT_API_KEY=" + stored + "\n",
		"~/.gemini/extensions/ext/hooks/hooks.json": `{"hooks": {"BeforeTool": [{"hooks": [
			{"type": "command", "name": "leaks", "command": "echo \"{\\\"systemMessage\\\": \\\"$EXT_API_KEY\\\"}\""}]}]}}`,
		".gemini/settings.json": `{"hooks": {"BeforeTool": [{"hooks": [
			{"type": "command", "name": "env", "env": {"HOOK_TOKEN": "` + configured + `"}, "command": "echo $HOOK_TOKEN >&2; exit 1"},
			{"type": "command", "name": "reads", "command": "cat secret.txt >&2; exit 1"}]}]}}`,
		"secret.txt": canary,
	})
	reports, text := w.traced("MY_SERVICE_TOKEN=" + canary)
	assert.Len(t, ofEvent(t, reports, "BeforeTool").Runs, 3)
	for _, secret := range []string{canary, stored, configured} {
		assert.NotContains(t, w.read("trace.jsonl"), secret)
	}
	assert.Contains(t, text, "[REDACTED]")
}

func TestHookTraceFaults(t *testing.T) {
	t.Parallel()
	w := newHookWorld(t, map[string]string{"model.responses": writesOnce})
	got := w.run("--fake-responses " + w.path("model.responses") + " --hook-trace " + w.path("no/folder/trace.jsonl") + " -p write")
	assert.Equal(t, 42, got.code)
	assert.Contains(t, got.err, "opening the hook trace: ")
}
