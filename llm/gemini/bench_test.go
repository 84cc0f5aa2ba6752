package gemini_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"minigem/llm"
	"minigem/llm/gemini"
)

// A round with a history of 1 MiB, without a network.
func BenchmarkRound(b *testing.B) {
	text := strings.Repeat("package main // <x>\n", 512)
	req := ask("x")
	for range 50 {
		req.Messages = append(req.Messages,
			llm.Message{Role: llm.RoleModel, Parts: []llm.Part{llm.Text{Text: text}, llm.ToolCall{ID: "read_file__1", Name: "read_file"}}},
			llm.Message{Role: llm.RoleUser, Parts: []llm.Part{llm.ToolResult{ID: "read_file__1", Name: "read_file", Response: map[string]any{"output": text}}}})
	}
	c := gemini.New(gemini.Options{Auth: gemini.AuthAPIKey, APIKey: key, Transport: &network{replies: []reply{okReply}}})
	b.ReportAllocs()
	for b.Loop() {
		_, err := collect(c.Stream(b.Context(), req))
		require.NoError(b, err)
	}
}
