package agent

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/llm"
)

func TestStreamValidity(t *testing.T) {
	t.Parallel()
	finish := func(reason string, parts ...llm.Part) llm.Chunk { return llm.Chunk{Parts: parts, FinishReason: reason} }
	said := llm.Text{Text: "hi"}
	blank := llm.Text{Text: " \u200b<!-- note\nto self -->\n"}
	for _, tt := range []struct {
		name       string
		chunk      llm.Chunk
		want       StreamKind
		afterTools StreamKind
	}{
		{"text", finish("STOP", said), "", ""},
		{"a call without an end", llm.Chunk{Parts: []llm.Part{llm.ToolCall{Name: "x"}}}, "", ""},
		{"no end", llm.Chunk{Parts: []llm.Part{said}}, NoFinishReason, ""},
		{"nothing", llm.Chunk{}, NoFinishReason, NoFinishReason},
		{"empty", finish("STOP"), NoResponseText, ""},
		{"invisible", finish("STOP", blank), NoResponseText, ""},
		{"thoughts alone", finish("STOP", llm.Thought{Text: "hm"}), ThinkingOnly, ThinkingOnly},
		{"malformed call", finish("MALFORMED_FUNCTION_CALL", said), MalformedFunctionCall, MalformedFunctionCall},
		{"unexpected call", finish("UNEXPECTED_TOOL_CALL"), UnexpectedToolCall, UnexpectedToolCall},
		{"out of tokens", finish("MAX_TOKENS"), MaxTokensExceeded, MaxTokensExceeded},
		{"out of tokens after a word", finish("MAX_TOKENS", said), "", ""},
		{"safety", finish("SAFETY"), SafetyBlocked, SafetyBlocked},
		{"recitation", finish("RECITATION"), RecitationBlocked, RecitationBlocked},
		{"other", finish("LANGUAGE"), OtherBlocked, OtherBlocked},
		{"prompt refused", llm.Chunk{BlockReason: "SAFETY"}, SafetyBlocked, SafetyBlocked},
		{"prompt refused otherwise", llm.Chunk{BlockReason: "BLOCKLIST"}, OtherBlocked, OtherBlocked},
	} {
		var h received
		h.add(tt.chunk)
		for afterTools, want := range map[bool]StreamKind{false: tt.want, true: tt.afterTools} {
			if err := h.check(afterTools); want == "" {
				assert.NoError(t, err, tt.name)
			} else {
				assert.Equal(t, want, err.(*StreamError).Kind, tt.name)
				assert.NotEmpty(t, err.Error())
			}
		}
	}
}
