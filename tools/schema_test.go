package tools_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/tools"
)

var schema = tools.MustSchema(`{
	"type": "object",
	"properties": {
		"name":  {"type": "string", "minLength": 2},
		"line":  {"type": "integer", "minimum": 1, "maximum": 9},
		"ratio": {"type": "number"},
		"on":    {"type": "boolean"},
		"kind":  {"type": "string", "enum": ["a", "b"]},
		"list":  {"type": "array", "minItems": 1, "maxItems": 2, "items": {
			"type": "object", "required": ["k"], "properties": {"k": {"type": "string"}}}},
		"even":  {"multipleOf": 2},
		"shape": {"enum": [[1], {"k": "v"}]}
	},
	"required": ["name"]
}`)

func TestSchemaCheck(t *testing.T) {
	t.Parallel()
	type m = map[string]any
	for _, tt := range []struct {
		name string
		args m
		want string
	}{
		// valid
		{"all", m{"name": "ab", "line": 9, "ratio": 1.5, "on": true, "kind": "a", "list": []any{m{"k": "v"}}}, ""},
		{"unknown property", m{"name": "ab", "other": 1}, ""},
		{"whole float", m{"name": "ab", "line": 2.0}, ""},
		// objects
		{"nil", nil, "params must have required property 'name'"},
		{"required first", m{"line": "x"}, "params must have required property 'name'"},
		// types
		{"string", m{"name": 5}, "params/name must be string"},
		{"as declared", m{"name": 5, "even": 3, "kind": 1, "line": "x"}, "params/name must be string"},
		{"as declared, not by name", m{"name": "ab", "kind": 1, "line": "x"}, "params/line must be integer"},
		{"null", m{"name": nil}, "params/name must be string"},
		{"integer", m{"name": "ab", "line": "2"}, "params/line must be integer"},
		{"not whole", m{"name": "ab", "line": 1.5}, "params/line must be integer"},
		{"number", m{"name": "ab", "ratio": "x"}, "params/ratio must be number"},
		{"boolean", m{"name": "ab", "on": "true"}, "params/on must be boolean"},
		{"array", m{"name": "ab", "list": "x"}, "params/list must be array"},
		{"object", m{"name": "ab", "list": []any{1}}, "params/list/0 must be object"},
		// limits
		{"short", m{"name": "é"}, "params/name must NOT have fewer than 2 characters"},
		{"small", m{"name": "ab", "line": 0}, "params/line must be >= 1"},
		{"big", m{"name": "ab", "line": 10}, "params/line must be <= 9"},
		{"enum", m{"name": "ab", "kind": "c"}, "params/kind must be equal to one of the allowed values"},
		{"enum of arrays and objects", m{"name": "ab", "shape": []any{1.0}}, ""},
		{"another object", m{"name": "ab", "shape": m{"k": "w"}}, "params/shape must be equal to one of the allowed values"},
		{"few", m{"name": "ab", "list": []any{}}, "params/list must NOT have fewer than 1 items"},
		{"many", m{"name": "ab", "list": []any{m{"k": ""}, m{"k": ""}, m{"k": ""}}}, "params/list must NOT have more than 2 items"},
		{"nested", m{"name": "ab", "list": []any{m{"k": "v"}, m{}}}, "params/list/1 must have required property 'k'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := schema.Check(tt.args)
			if tt.want == "" {
				require.NoError(t, err)
				return
			}
			var e *tools.Error
			require.ErrorAs(t, err, &e)
			assert.Equal(t, tools.ErrInvalidParams, e.Type)
			assert.Equal(t, tt.want, e.Message)
		})
	}
}

// TestSchemaCheckOtherRules checks that rules without our own wording are enforced too.
func TestSchemaCheckOtherRules(t *testing.T) {
	t.Parallel()
	assert.ErrorContains(t, schema.Check(map[string]any{"name": "ab", "even": 3}), "params are not valid: ")
	assert.ErrorContains(t, schema.Check(map[string]any{"name": func() {}}), "params must be JSON: ")
}

func TestSchemaDecode(t *testing.T) {
	t.Parallel()
	var got struct {
		Name string
		Line int
	}
	require.NoError(t, schema.Decode(map[string]any{"name": "ab", "line": 3.0}, &got))
	assert.Equal(t, "ab", got.Name)
	assert.Equal(t, 3, got.Line)
	var wrong struct{ Name int }
	var e *tools.Error
	require.True(t, errors.As(schema.Decode(map[string]any{"name": "ab"}, &wrong), &e))
	assert.Equal(t, tools.ErrInvalidParams, e.Type)
}

func TestParseSchema(t *testing.T) {
	t.Parallel()
	_, err := tools.ParseSchema([]byte(`{"type": 5}`))
	assert.ErrorContains(t, err, "reading the schema of a tool's arguments: ")
	assert.Panics(t, func() { tools.MustSchema(`[`).Check(nil) })
	s, err := tools.ParseSchema(nil)
	require.NoError(t, err)
	assert.NoError(t, s.Check(map[string]any{"x": 1}))
}
