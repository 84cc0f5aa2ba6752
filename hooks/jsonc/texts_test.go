package jsonc

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMapTexts(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"a"`: `"A"`,
		`{"a": ["b", {"c": "d"}, 1, true, null]}`: `{"a": ["B", {"c": "D"}, 1, true, null]}`,
		`[[["x"]]]`: `[[["X"]]]`,
		`7`:         `7`,
	} {
		var v any
		require.NoError(t, json.Unmarshal([]byte(in), &v))
		out, err := json.Marshal(MapTexts(v, strings.ToUpper))
		require.NoError(t, err)
		assert.JSONEq(t, want, string(out))
	}
	assert.Nil(t, MapTexts(nil, strings.ToUpper))
}
