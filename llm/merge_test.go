package llm_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/llm"
)

func TestMergeParts(t *testing.T) {
	t.Parallel()
	call := llm.ToolCall{ID: "glob__1", Name: "glob", Signature: []byte("c")}
	text := func(s string) llm.Part { return llm.Text{Text: s} }
	signed := func(s, sig string) llm.Part { return llm.Text{Text: s, Signature: []byte(sig)} }
	type parts = []llm.Part
	tests := []struct {
		name     string
		in, want parts
	}{
		{"nothing", nil, nil},
		{"one", parts{text("a")}, parts{text("a")}},
		{"neighbours", parts{text("a"), text("b"), text("c")}, parts{text("abc")}},
		{"a call between", parts{text("a"), call, text("b"), text("c")}, parts{text("a"), call, text("bc")}},
		// signatures
		{"the only one stays", parts{signed("a", "x"), text("b")}, parts{signed("ab", "x")}},
		{"the last one wins", parts{signed("a", "x"), signed("b", "y"), text("c")}, parts{signed("abc", "y")}},
		{"on empty text at the end", parts{text("a"), signed("", "y")}, parts{signed("a", "y")}},
		{"on empty text alone", parts{call, signed("", "y")}, parts{call, signed("", "y")}},
		// empty text
		{"after a call", parts{call, text("")}, parts{call}},
		{"alone", parts{text("")}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := slices.Clone(tt.in)
			assert.Equal(t, tt.want, llm.MergeParts(tt.in))
			assert.Equal(t, before, tt.in, "the argument must stay as it was")
		})
	}
}
