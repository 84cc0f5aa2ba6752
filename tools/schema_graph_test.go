package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/tools"
)

// TestSchemasThatNeverEnd checks that no schema from a server can crash the program or
// keep it busy, and that finite references are followed.
func TestSchemasThatNeverEnd(t *testing.T) {
	t.Parallel()
	doubling := `"$defs":{"d0":{"type":"string"}`
	for i := range 40 {
		doubling += fmt.Sprintf(`,"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i+1, i, i)
	}
	for name, tt := range map[string]struct{ schema, want string }{
		"itself":                 {`{"properties":{"x":{"$ref":"#/properties/x"}}}`, "refers to itself"},
		"the whole":              {`{"properties":{"x":{"$ref":"#"}}}`, "refers to itself"},
		"each other":             {`{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"anyOf":[{"$ref":"#/$defs/a"}]}},"$ref":"#/$defs/a"}`, "refers to itself"},
		"written in another way": {`{"properties":{"a/b":{"$ref":"#/properties/a~1b"}}}`, "refers to itself"},
		"in percent":             {`{"$defs":{"a":{"$ref":"#/%24defs/a"}}}`, "refers to itself"},
		"by number":              {`{"allOf":[{"$ref":"#/allOf/0"}]}`, "refers to itself"},
		"dynamic":                {`{"properties":{"x":{"$dynamicRef":"#/properties/x"}}}`, "refers to itself"},
		"an anchor":              {`{"$anchor":"a","properties":{"x":{"$ref":"#a"}}}`, "cannot be followed"},
		"elsewhere":              {`{"$ref":"file:///etc/passwd"}`, "cannot be followed"},
		"two of two":             {`{` + doubling + `},"properties":{"x":{"$ref":"#/$defs/d40"}}}`, "too much"},
		"deep":                   {strings.Repeat(`{"items":`, 5000) + "{}" + strings.Repeat("}", 5000), "deeper than 100"},
	} {
		_, err := tools.ParseSchema(json.RawMessage(tt.schema))
		assert.ErrorContains(t, err, tt.want, name)
	}
	s, err := tools.ParseSchema(json.RawMessage(`{"$defs":{"n":{"type":"integer"},"p":{"properties":{"n":{"$ref":"#/$defs/n"}}}},"properties":{"a":{"$ref":"#/$defs/p"},"b":{"$ref":"#/$defs/p"},"$ref":{"type":"string"}}}`))
	require.NoError(t, err)
	require.NoError(t, s.Check(map[string]any{"a": map[string]any{"n": 1}, "$ref": "x"}))
	require.Error(t, s.Check(map[string]any{"b": map[string]any{"n": "x"}}))
}

// FuzzSchema checks that checking any arguments against an accepted schema ends, with
// the same result each time.
func FuzzSchema(f *testing.F) {
	for _, s := range []string{
		`{"type":"object","properties":{"a":{"type":"string","minLength":2,"pattern":"a+"},"b":{"type":"array","items":{"$ref":"#/$defs/x"},"maxItems":2}},"required":["a"],"$defs":{"x":{"enum":[1]}},"additionalProperties":false}`,
		`true`, `{"type":["a",5]}`, `{"properties":{"x":{"$ref":"#"}}}`, `{"if":{},"then":false,"dependentRequired":{"a":["b"]}}`, `{"properties":{"a":{"minimum":1e400}}}`,
	} {
		f.Add([]byte(s), []byte(`{"a":"x","b":[1,2,null]}`))
	}
	f.Fuzz(func(t *testing.T, schema, args []byte) {
		s, err := tools.ParseSchema(schema)
		if err != nil {
			require.Contains(t, err.Error(), "schema of a tool's arguments")
			return
		}
		var given map[string]any
		if json.Unmarshal(args, &given) != nil {
			return
		}
		first := s.Check(given)
		var fault *tools.Error
		if first != nil {
			require.ErrorAs(t, first, &fault)
			require.NotEmpty(t, fault.Message)
		}
		require.Equal(t, first == nil, s.Check(given) == nil)
	})
}
