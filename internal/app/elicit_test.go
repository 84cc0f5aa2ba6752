package app

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/internal/mcp"
)

// TestRead: what a user types, as the value of a field of an MCP server's form.
func TestRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		field mcp.Field
		said  string
		value any
		wrong string
	}{
		{mcp.Field{Type: "string"}, " Ann ", "Ann", ""},
		{mcp.Field{Type: "string"}, "", nil, ""},
		{mcp.Field{Type: "string", Required: true}, " ", nil, "It needs an answer"},
		{mcp.Field{Type: "string", Required: true, Default: "bob"}, "", "bob", ""},
		{mcp.Field{Type: "string", Choices: []string{"a"}}, "b", nil, "It takes one of those alone"},
		{mcp.Field{Type: "integer"}, "-7", int64(-7), ""},
		{mcp.Field{Type: "integer", Default: "3"}, "", int64(3), ""},
		{mcp.Field{Type: "integer"}, "1.5", nil, "It takes a whole number"},
		{mcp.Field{Type: "number"}, "1.5", 1.5, ""},
		{mcp.Field{Type: "number"}, "NaN", nil, "It takes a number"},
		{mcp.Field{Type: "number"}, "-inf", nil, "It takes a number"},
		{mcp.Field{Type: "number"}, "1e999", nil, "It takes a number"},
		{mcp.Field{Type: "boolean"}, "Yes", true, ""},
		{mcp.Field{Type: "boolean"}, "No", false, ""},
	} {
		value, wrong := read(c.field, c.said)
		assert.Equal(t, c.value, value, c)
		assert.Equal(t, c.wrong, wrong, c)
	}
}
