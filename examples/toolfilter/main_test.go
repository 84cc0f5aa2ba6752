package main

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/hooks/protocol"
)

func TestFilter(t *testing.T) {
	t.Parallel()
	narrowed := protocol.Output{ToolConfig: &protocol.ToolConfig{Mode: "AUTO", AllowedFunctionNames: reading}}
	result := protocol.LLMMessage{Role: "user", Parts: []protocol.LLMPart{{Type: protocol.PartFunctionResponse, Name: "read_file"}}}
	tests := []struct {
		name     string
		messages []protocol.LLMMessage
		want     protocol.Output
	}{
		{"nothing was said", nil, protocol.Output{}},
		{"work", []protocol.LLMMessage{{Role: "user", Text: "Fix it"}}, protocol.Output{}},
		{"a question", []protocol.LLMMessage{{Role: "user", Text: "Why is it red?"}}, narrowed},
		{"a question and work", []protocol.LLMMessage{{Role: "user", Text: "Fix it, and explain why it was red"}}, protocol.Output{}},
		{"words that only begin so", []protocol.LLMMessage{{Role: "user", Text: "Look for explanations"}}, protocol.Output{}},
		{"a question, while tools work", []protocol.LLMMessage{{Role: "user", Text: "Explain"}, {Role: "model", Text: "I look"}, result}, narrowed},
		{"work after a question", []protocol.LLMMessage{{Role: "user", Text: "Explain"}, {Role: "user", Text: "Fix it"}}, protocol.Output{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := protocol.BeforeToolSelectionInput{LLMRequest: protocol.LLMRequest{Messages: tt.messages}}
			assert.Equal(t, tt.want, filter(in))
		})
	}
}
