package schema_test

import (
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/protocol"
	"minigem/hooks/schema"
)

var update = flag.Bool("update", false, "write the generated parts of docs/HOOKS.md")

const manual = "../../docs/HOOKS.md"

// TestManualIsFresh: the tables of the manual are those of the types.
func TestManualIsFresh(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(manual)
	require.NoError(t, err)
	tables, err := schema.Tables()
	require.NoError(t, err)
	fresh, err := schema.Render(string(page), tables)
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(manual, []byte(fresh), 0o644))
		return
	}
	assert.Equal(t, fresh, string(page), "stale tables: go test ./hooks/schema -update")
}

func TestRender(t *testing.T) {
	t.Parallel()
	tables := map[string]string{"a": "A\n"}
	page, err := schema.Render("x\n<!-- generated: a -->\nold\n<!-- end -->\ny", tables)
	require.NoError(t, err)
	assert.Equal(t, "x\n<!-- generated: a -->\nA\n<!-- end -->\ny", page)
	_, err = schema.Render("<!-- generated: b -->\n<!-- end -->", tables)
	require.ErrorContains(t, err, `no table "b"`)
	_, err = schema.Render("<!-- generated: a -->", tables)
	require.ErrorContains(t, err, `no table "a", or no end of it`)
	_, err = schema.Render("", tables)
	require.ErrorContains(t, err, "no marker for a")
}

func TestSchemasKnowTheirEvents(t *testing.T) {
	t.Parallel()
	_, err := schema.Input("PreToolUse")
	require.EqualError(t, err, `no event is called "PreToolUse"`)
	_, err = schema.Output("")
	require.EqualError(t, err, `no event is called ""`)
	for _, ev := range protocol.Events {
		s, err := schema.Output(ev)
		require.NoError(t, err)
		assert.Equal(t, ev.CanBlock(), s.Properties["decision"] != nil, ev)
		assert.Equal(t, ev.CanBlock(), s.Properties["continue"] != nil, ev)
	}
}

func TestSchemasJudge(t *testing.T) {
	t.Parallel()
	inputs, outputs := resolve(t, schema.Input), resolve(t, schema.Output)
	const base = `{"session_id":"s","transcript_path":"","cwd":"/","hook_event_name":"SessionStart","timestamp":"t","source":`
	assert.NoError(t, judge(t, inputs["SessionStart"], []byte(base+`"resume"}`)))
	assert.NoError(t, judge(t, inputs["SessionStart"], []byte(base+`"resume","later":1}`)), "fields may be added")
	assert.Error(t, judge(t, inputs["SessionStart"], []byte(base+`"compress"}`)))
	for _, c := range []struct {
		event protocol.Event
		json  string
		ok    bool
	}{
		{"BeforeTool", `{}`, true},
		{"BeforeTool", `{"decision":"ask"}`, true},
		{"BeforeTool", `{"decision":"denied"}`, false},
		{"BeforeTool", `{"colour":1}`, false},
		{"BeforeTool", `{"hookSpecificOutput":{"hookEventName":"BeforeTool","tool_input":{"anything":[1]}}}`, true},
		{"BeforeTool", `{"hookSpecificOutput":{"additionalContext":"c"}}`, true},
		{"BeforeTool", `{"hookSpecificOutput":{"updatedOutput":"c"}}`, false},
		{"AfterTool", `{"decision":"ask"}`, false},
		{"AfterTool", `{"hookSpecificOutput":{"tailToolCallRequest":{"name":"glob","args":{"pattern":"*"}}}}`, true},
		{"SessionStart", `{"decision":"deny"}`, false},
		{"SessionStart", `{"systemMessage":"m"}`, true},
		{"BeforeToolSelection", `{"hookSpecificOutput":{"toolConfig":{"mode":"ANY","allowedFunctionNames":["glob"]}}}`, true},
		{"BeforeToolSelection", `{"hookSpecificOutput":{"toolConfig":{"mode":"SOME"}}}`, false},
		{"BeforeModel",
			`{"hookSpecificOutput":{"llm_request":{"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}}}`,
			true},
		{"BeforeModel", `{"hookSpecificOutput":{"llm_request":{"messages":[{"role":"robot","content":"x"}]}}}`, false},
	} {
		err := judge(t, outputs[c.event], []byte(c.json))
		assert.Equal(t, c.ok, err == nil, "%s %s: %v", c.event, c.json, err)
	}
}

func resolve(t *testing.T, describe func(protocol.Event) (*jsonschema.Schema, error)) map[protocol.Event]*jsonschema.
	Resolved {
	t.Helper()
	all := map[protocol.Event]*jsonschema.Resolved{}
	for _, event := range protocol.Events {
		s, err := describe(event)
		require.NoError(t, err)
		all[event], err = s.Resolve(nil)
		require.NoError(t, err)
	}
	return all
}

func judge(t *testing.T, s *jsonschema.Resolved, text []byte) error {
	t.Helper()
	var v any
	require.NoError(t, json.Unmarshal(text, &v), string(text))
	return s.Validate(v)
}
