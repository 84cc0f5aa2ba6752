package toolcall

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/hooks"
	"minigem/hooks/protocol"
	"minigem/llm"
	"minigem/tools"
)

// TestWhatTheRequestDidNotOffer checks that a tool that was not offered does not run,
// under any name and for any caller, and that BeforeTool hooks do not run. The report
// says why.
func TestWhatTheRequestDidNotOffer(t *testing.T) {
	t.Parallel()
	const mcp = "mcp_box_toy"
	specs := []llm.ToolSpec{{Name: "read"}, {Name: "write"}, {Name: mcp}}
	for _, tt := range []struct {
		name    string
		request llm.Request
		runs    []string // of read, write, older_write, mcp_box_toy, mcp__box__toy
	}{
		{"all", llm.Request{Tools: specs}, []string{"read", "write", "older_write", mcp, "mcp__box__toy"}},
		{"AUTO", llm.Request{Tools: specs, Choice: llm.ToolChoice{Mode: llm.ToolModeAuto}}, []string{"read", "write", "older_write", mcp, "mcp__box__toy"}},
		{"NONE", llm.Request{Tools: specs, Choice: llm.ToolChoice{Mode: llm.ToolModeNone}}, nil},
		{"ANY", llm.Request{Tools: specs, Choice: llm.ToolChoice{Mode: llm.ToolModeAny}}, []string{"read", "write", "older_write", mcp, "mcp__box__toy"}},
		{"ANY with a list", llm.Request{Tools: specs, Choice: llm.ToolChoice{Mode: llm.ToolModeAny, Allowed: []string{"read"}}}, []string{"read"}},
		{"AUTO with a list", llm.Request{Tools: specs[:1]}, []string{"read"}},
		{"an older name in the list", llm.Request{Tools: specs, Choice: llm.ToolChoice{Allowed: []string{"older_write"}}}, nil},
		{"an MCP tool", llm.Request{Tools: specs[2:]}, []string{mcp, "mcp__box__toy"}},
		{"no declarations", llm.Request{}, nil},
		{"a list of what is not declared", llm.Request{Tools: specs[:1], Choice: llm.ToolChoice{Mode: llm.ToolModeAny, Allowed: []string{"write"}}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, name := range []string{"read", "write", "older_write", mcp, "mcp__box__toy"} {
				b := newBench(&fakeTool{name: "read"}, &fakeTool{name: "write", info: tools.Info{Aliases: []string{"older_write"}}},
					&fakeTool{name: mcp, info: tools.Info{Aliases: []string{"mcp__box__toy"}, MCP: &tools.MCPOrigin{Server: "box", Tool: "toy"}}})
				results, verdict := b.Run(t.Context(), ask(name), tt.request.Offers)
				assert.Equal(t, hooks.Proceed, verdict.Decision)
				if slices.Contains(tt.runs, name) {
					assert.Equal(t, []string{"BeforeTool " + name, "AfterTool " + name}, b.hooks.log, name)
					continue
				}
				assert.Contains(t, results[0].Response["error"], "is not available in this turn", name)
				if assert.Len(t, b.hooks.log, 1, name) {
					assert.Contains(t, b.hooks.log[0], "not offered: the tool ")
				}
			}
		})
	}
}

// TestATailCallOfAToolThatIsNotOffered checks that a hook cannot call a tool that was not
// offered either.
func TestATailCallOfAToolThatIsNotOffered(t *testing.T) {
	t.Parallel()
	b := newBench(&fakeTool{name: "read"}, &fakeTool{name: "write"})
	b.hooks.after = func(hooks.ToolUse, protocol.ToolResponse) hooks.AfterToolOutcome {
		return hooks.AfterToolOutcome{Tail: &llm.ToolCall{Name: "write"}}
	}
	results, _ := b.Run(t.Context(), ask("read"), llm.Request{Tools: []llm.ToolSpec{{Name: "read"}}}.Offers)
	assert.Contains(t, results[0].Response["error"], `Tool "write" is not available in this turn`)
	assert.Equal(t, []string{"BeforeTool read", "AfterTool read", "not offered: the tool write is not available in this turn"}, b.hooks.log)
}
