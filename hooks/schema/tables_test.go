package schema_test

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks/protocol"
	"minigem/hooks/schema"
)

var update = flag.Bool("update", false, "write the generated parts of the pages in docs")

// TestPagesAreFresh checks that the tables of the pages match the types, and that each
// table is on exactly one page.
func TestPagesAreFresh(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../docs/*.md")
	require.NoError(t, err)
	tables, err := schema.Tables()
	require.NoError(t, err)
	var all []string
	for _, name := range pages {
		page, err := os.ReadFile(name)
		require.NoError(t, err)
		fresh, used, err := schema.Render(string(page), tables)
		require.NoError(t, err, name)
		all = append(all, used...)
		if *update {
			require.NoError(t, os.WriteFile(name, []byte(fresh), 0o644))
			continue
		}
		assert.Equal(t, fresh, string(page), "stale tables in %s: go test ./hooks/schema -update", name)
	}
	assert.ElementsMatch(t, slices.Collect(maps.Keys(tables)), all, "each table is on one page")
}

func TestRender(t *testing.T) {
	t.Parallel()
	tables := map[string]string{"a": "A\n", "b": "B\n"}
	page, used, err := schema.Render("x\n<!-- generated: a -->\nold\n<!-- end -->\ny", tables)
	require.NoError(t, err)
	assert.Equal(t, "x\n<!-- generated: a -->\nA\n<!-- end -->\ny", page)
	assert.Equal(t, []string{"a"}, used)
	_, _, err = schema.Render("<!-- generated: c -->\n<!-- end -->", tables)
	require.ErrorContains(t, err, `no table "c"`)
	_, _, err = schema.Render("<!-- generated: a -->", tables)
	require.ErrorContains(t, err, `no table "a", or no end of it`)
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
