package agent

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"minigem/internal/thorough"
	"minigem/llm"
)

// randomHistory returns messages in any order, as crashes, hooks and other programs can
// leave them.
func randomHistory(r *rand.Rand) []llm.Message {
	ms := make([]llm.Message, r.IntN(12))
	for i := range ms {
		m := llm.Message{Role: []llm.Role{llm.RoleUser, llm.RoleModel}[r.IntN(2)]}
		for range r.IntN(3) {
			id := fmt.Sprint("c", r.IntN(4))
			kinds := map[llm.Role][]llm.Part{
				llm.RoleUser: {
					llm.Text{Text: fmt.Sprint("text ", i)}, llm.Text{},
					llm.ToolResult{ID: id, Name: "n", Response: map[string]any{"output": i}},
					llm.ToolResult{ID: id, Name: "n", Response: map[string]any{}, Parts: []llm.Part{llm.Blob{MIMEType: "image/png", Data: []byte{1}}}},
				},
				llm.RoleModel: {
					llm.Text{Text: fmt.Sprint("text ", i)}, llm.Text{}, llm.Thought{Text: "thinks"},
					llm.ToolCall{ID: id, Name: "n"}, llm.ToolCall{ID: id, Name: "n", Signature: []byte("s")},
				},
			}[m.Role]
			m.Parts = append(m.Parts, kinds[r.IntN(len(kinds))])
		}
		ms[i] = m
	}
	return ms
}

// list is never nil.
func list(ms []llm.Message) []llm.Message { return append([]llm.Message{}, ms...) }

// However the history grows, shrinks or is replaced, the cached request equals one that
// is computed from scratch.
func TestOutgoingIsNormalize(t *testing.T) {
	t.Parallel()
	models := []string{"gemini-2.5-flash", "gemini-3-pro-preview"}
	for seed := range uint64(thorough.Times(100, 800)) {
		r := rand.New(rand.NewPCG(seed, 0))
		var o outgoing
		var h Memory
		var given [][]llm.Message
		var want []string
		for range 8 {
			switch r.IntN(8) {
			case 0:
				h.Rollback(r.IntN(len(h.Messages()) + 1))
			case 1:
				h.Replace(randomHistory(r))
			default:
				for _, m := range randomHistory(r) {
					if h.Append(m); r.IntN(3) > 0 {
						break
					}
				}
			}
			expected := normalize(h.Messages())
			require.Equal(t, expected, normalize(expected), "seed %d", seed)
			got, ok := o.of(h.Messages(), nil)
			require.True(t, ok)
			require.Equal(t, list(expected), list(got), "seed %d", seed)
			model := models[r.IntN(40)/39]
			sent := o.forModel(model, got)
			require.Equal(t, list(forModel(model, expected)), list(sent), "seed %d", seed)
			given, want = append(given, got, sent), append(want, fmt.Sprint(got), fmt.Sprint(sent))
		}
		for i := range given {
			require.Equal(t, want[i], fmt.Sprint(given[i]), "seed %d: an older request was written over", seed)
		}
	}
}

func TestOutgoingNotes(t *testing.T) {
	t.Parallel()
	var h Memory
	var o outgoing
	first, second := llm.UserText("one"), llm.UserText("two")
	h.Append(first)
	notes := []note{{first, "(a)"}}
	got, ok := o.of(h.Messages(), notes)
	assert.True(t, ok)
	assert.Equal(t, []string{"user: one (a)"}, lines(got))

	h.Append(llm.ModelText("so"))
	h.Append(second)
	notes = append(notes, note{second, "(b)"})
	got, ok = o.of(h.Messages(), notes)
	assert.True(t, ok)
	assert.Equal(t, []string{"user: one (a)", "model: so", "user: two (b)"}, lines(got))
	assert.Equal(t, []string{"user: one", "model: so", "user: two"}, lines(h.Messages()))

	h.Replace([]llm.Message{llm.UserText("summary"), llm.ModelText("ok"), second})
	_, ok = o.of(h.Messages(), notes)
	assert.False(t, ok, "the first prompt is gone")
	got, ok = o.of(h.Messages(), notes[1:])
	assert.True(t, ok)
	assert.Equal(t, []string{"user: summary", "model: ok", "user: two (b)"}, lines(got))
	o.forget()
	got, ok = o.of(h.Messages(), nil)
	assert.True(t, ok)
	assert.Equal(t, []string{"user: summary", "model: ok", "user: two"}, lines(got))
}
