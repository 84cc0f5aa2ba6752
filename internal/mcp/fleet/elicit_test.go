package fleet

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/internal/mcp"
	"minigem/tools/builtin"
)

// TestRead checks how a user's answer becomes the value of a form field.
func TestRead(t *testing.T) {
	t.Parallel()
	some := mcp.Field{Type: "array", Choices: []string{"a", "b", "c, with", "d"}, Least: 2, Most: 3}
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
		{mcp.Field{Type: "string", Choices: []string{"a"}}, "b", nil, "It takes only one of those"},
		{mcp.Field{Type: "integer"}, "-7", int64(-7), ""},
		{mcp.Field{Type: "integer", Default: "3"}, "", int64(3), ""},
		{mcp.Field{Type: "integer"}, "1.5", nil, "It takes a whole number"},
		{mcp.Field{Type: "number"}, "1.5", 1.5, ""},
		{mcp.Field{Type: "number"}, "NaN", nil, "It takes a number"},
		{mcp.Field{Type: "number"}, "-inf", nil, "It takes a number"},
		{mcp.Field{Type: "number"}, "1e999", nil, "It takes a number"},
		{mcp.Field{Type: "boolean"}, "Yes", true, ""},
		{some, "a, b", []string{"a", "b"}, ""},
		{some, "b, c, with, a, b", []string{"b", "c, with", "a"}, ""},
		{some, "", nil, ""},
		{mcp.Field{Type: "array", Choices: []string{"a", "b", "c"}, Default: "a, c"}, "", []string{"a", "c"}, ""},
		{some, "a, x", nil, "It takes some of those alone"},
		{some, "a", nil, "It takes at least 2"},
		{some, "a, b, d, c, with", nil, "It takes 3 at most"},
		{mcp.Field{Type: "array", Required: true, Choices: []string{"a"}}, "", nil, "It needs an answer"},
		{mcp.Field{Type: "array"}, "a", nil, "It takes some of those alone"},
		{mcp.Field{Type: "boolean"}, "No", false, ""},
		{mcp.Field{Type: "boolean"}, "perhaps", nil, "It takes Yes or No"},
		{mcp.Field{Type: "boolean", Default: "true"}, "", true, ""},
		{mcp.Field{Type: "boolean", Default: "false"}, "", false, ""},
	} {
		value, wrong := read(c.field, c.said)
		assert.Equal(t, c.value, value, c)
		assert.Equal(t, c.wrong, wrong, c)
	}
}

// showing records the questions and answers none.
type showing struct{ asked []builtin.Question }

func (s *showing) AskQuestions(_ context.Context, qs []builtin.Question) (map[int]string, bool, error) {
	s.asked = qs
	return nil, false, nil
}

// TestDefaultsOfChoices checks that Enter takes the first choice, which is the default.
// If several may be chosen, choosing none means the default, and the question says so.
func TestDefaultsOfChoices(t *testing.T) {
	t.Parallel()
	var one, some, no, yes showing
	_, ok := valueOf(t.Context(), &one, "srv", mcp.Field{Type: "string", Choices: []string{"a", "b"}, Labels: []string{"Ann", "Bob"}, Default: "b"})
	assert.False(t, ok)
	assert.Equal(t, []builtin.Option{{Label: "b", Description: "Bob"}, {Label: "a", Description: "Ann"}}, one.asked[0].Options)
	_, ok = valueOf(t.Context(), &some, "srv", mcp.Field{Type: "array", Description: "Who?", Choices: []string{"a", "b"}, Default: "b"})
	assert.False(t, ok)
	assert.True(t, some.asked[0].MultiSelect)
	assert.Equal(t, "Who?\n  Choose none for b.", some.asked[0].Question)
	_, _ = valueOf(t.Context(), &no, "srv", mcp.Field{Type: "boolean", Default: "false"})
	assert.Equal(t, []builtin.Option{{Label: "No"}, {Label: "Yes"}}, no.asked[0].Options)
	_, _ = valueOf(t.Context(), &yes, "srv", mcp.Field{Type: "boolean", Default: "true"})
	assert.Equal(t, "yesno", yes.asked[0].Type, "where Yes is the first one")
}
