package skills

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHooksOfAHead checks that hooks are passed on as JSON with their line, and that
// unreadable ones say so, even if name and description can be read.
func TestHooksOfAHead(t *testing.T) {
	t.Parallel()
	for head, want := range map[string]Hooks{
		"name: a\ndescription: b\n":                                   {},
		"name: a\ndescription: b\nhooks:\n":                           {},
		"name: a\nhooks:\n  Stop:\n    - hooks: []\ndescription: b\n": {Line: 3, JSON: []byte(`{"Stop":[{"hooks":[]}]}`)},
		"hooks: {Stop: [{hooks: []}]}\nname: a\ndescription: b\n":     {Line: 2, JSON: []byte(`{"Stop":[{"hooks":[]}]}`)},
		"name: a\ndescription: b\nhooks: [1]\n":                       {Line: 4, Fault: "it is not a list of events such as PreToolUse"},
		"name: a\ndescription: b: c\nhooks:\n  Stop: []\n":            {Line: 4, Fault: "the head is not YAML: yaml: line 2: mapping values are not allowed in this context"},
		"name: a\ndescription: b: c\nmy hooks: none\n":                {},
		"name: a\ndescription: b\nhooks:\n  1: []\n":                  {Line: 4, Fault: "json: unsupported type: map[interface {}]interface {}"},
	} {
		s, err := parse("---\n" + head + "---\nDo it.\n")
		require.NoError(t, err, head)
		assert.Equal(t, want, s.Hooks, head)
	}
}
