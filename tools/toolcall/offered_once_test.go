package toolcall

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/llm"
	"minigem/tools"
)

// TestOfferedIsAskedAboutTheToolsThatAreCalled checks that a call does not ask about all
// tools, that NotOffered is asked once a call, and that an older name of a tool counts if
// the tool that has it as its name is not offered.
func TestOfferedIsAskedAboutTheToolsThatAreCalled(t *testing.T) {
	t.Parallel()
	b := newBench(&fakeTool{name: "read"}, &fakeTool{name: "write", info: tools.Info{Aliases: []string{"shut"}}},
		&fakeTool{name: "shut"}, &fakeTool{name: "gone"})
	var offered, refused []string
	b.Offered = func(t tools.Tool) bool {
		name := t.Spec().Name
		offered = append(offered, name)
		return name != "shut" && name != "gone"
	}
	b.NotOffered = func(t tools.Tool) string {
		refused = append(refused, t.Spec().Name)
		return "not now"
	}
	results, _ := b.Run(t.Context(), []llm.ToolCall{{ID: "1", Name: "read"}}, nil)
	assert.NotContains(t, results[0].Response, "error")
	assert.NotContains(t, offered, "write")
	results, _ = b.Run(t.Context(), []llm.ToolCall{{ID: "1", Name: "shut"}}, nil)
	assert.NotContains(t, results[0].Response, "error")
	results, _ = b.Run(t.Context(), []llm.ToolCall{{ID: "1", Name: "gone"}}, nil)
	assert.Equal(t, "not now", results[0].Response["error"])
	assert.Equal(t, []string{"gone"}, refused)
}
