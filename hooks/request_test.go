package hooks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/hooks"
	"minigem/hooks/hookstest"
	"minigem/hooks/protocol"
	"minigem/llm"
)

// reader is a Runner that records what hooks read.
type reader struct{ stdin []byte }

func (r *reader) Run(_ context.Context, _ hooks.Hook, stdin hooks.Payload, _ []string) hooks.Exit {
	r.stdin = slices.Clone(stdin.Bytes())
	return hooks.Exit{}
}

// Hooks read a following request as if it were the first, whether messages were added,
// removed or changed.
func TestNextRequestReadsLikeTheFirst(t *testing.T) {
	t.Parallel()
	runner := &reader{}
	e := &hooks.Engine{Runner: runner, Config: hooks.Config{Hooks: []hooks.Hook{{Event: protocol.BeforeModel, Command: "a"}}}}
	read := func(r *hooks.ModelRequest) string {
		e.BeforeModel(t.Context(), r)
		var in struct {
			Request json.RawMessage `json:"llm_request"`
		}
		require.NoError(t, json.Unmarshal(runner.stdin, &in))
		return string(in.Request)
	}
	all := hookstest.Request().Messages
	for i := range 6 {
		all = append(all, llm.UserText(fmt.Sprint(`a "prompt" <`, i, ">")), llm.ModelText(`"messages":[]`))
	}
	other := slices.Concat(all[:3], []llm.Message{llm.UserText("changed")}, all[4:])
	var last *hooks.ModelRequest
	for i, messages := range [][]llm.Message{all[:1], all[:4], all[:4], all, all[:2], nil, all, other, slices.Clone(other)} {
		r := hookstest.Request()
		r.Model, r.Messages = `a model of "messages":[]`, messages
		last = last.Next(r)
		assert.Equal(t, read(hooks.NewModelRequest(r)), read(last), i)
	}
	// An argument without a JSON form loses the messages, not the request.
	r := hookstest.Request()
	r.Messages = []llm.Message{{Role: llm.RoleModel, Parts: []llm.Part{llm.ToolCall{Name: "n", Args: map[string]any{"f": func() {}}}}}}
	assert.Contains(t, read(last.Next(r)), `"messages":[]`)
}
