package settings

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSchemaAgreesWithTheLoader(t *testing.T) {
	t.Parallel()
	s, err := Schema()
	require.NoError(t, err)
	resolved, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	require.NoError(t, err)
	for _, c := range []struct {
		text  string
		valid bool
	}{
		{`{}`, true},
		{string(defaults().json()), true},
		{`{"unknown":{"anything":1}}`, true},
		{`{"tools":{"unknown":1,"sandbox":true}}`, true},
		{`{"context":{"fileName":"A.md"}}`, true},
		{`{"context":{"fileName":["A.md"]}}`, true},
		{`{"context":{"fileName":5}}`, false},
		{`{"output":{"format":"json"}}`, true},
		{`{"output":{"format":"yaml"}}`, false},
		{`{"model":{"name":5}}`, false},
		{`{"model":{"maxSessionTurns":1.5}}`, false},
		{`{"tools":{"exclude":null}}`, false},
		{`{"tools":{"exclude":[1]}}`, false},
		{`{"telemetry":{"enabled":null}}`, false},
		{`{"mcpServers":{"s":{"command":1}}}`, false},
		{`{"mcpServers":{"s":{"type":"http","env":{"A":"b"}}}}`, true},
		{`{"hooks":{"BeforeTool":[{"hooks":[]}]}}`, true},
		{`{"modelConfigs":{"customOverrides":[{"match":{"model":"m","other":{}},"modelConfig":{"generateContentConfig":{"temperature":0,"safetySettings":[]}}}]}}`, true},
		{`{"modelConfigs":{"customOverrides":[{"modelConfig":{"generateContentConfig":{"temperature":"hot"}}}]}}`, false},
		{`{"modelConfigs":{"customAliases":{"a":{"modelConfig":{"generateContentConfig":{"thinkingConfig":{"thinkingLevel":"SOME"}}}}}}}`, false},
	} {
		var v any
		require.NoError(t, json.Unmarshal([]byte(c.text), &v))
		assert.Equal(t, c.valid, resolved.Validate(v) == nil, "schema: %s: %v", c.text, resolved.Validate(v))
		l := &Loaded{}
		_, err := l.digest(&File{Path: "/f", Data: []byte(c.text)}, func(string) (string, bool) { return "", false })
		require.NoError(t, err)
		assert.Equal(t, c.valid, len(l.Warnings) == 0, "loader: %s: %v", c.text, l.Warnings)
	}
	assert.JSONEq(t, `"text"`, string(s.Properties["output"].Properties["format"].Default))
	assert.Equal(t, []any{"text", "json", "stream-json"}, s.Properties["output"].Properties["format"].Enum)
}
