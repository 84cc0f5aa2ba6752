package compress

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/e2e/costtest"
	"minigem/llm"
)

// TestCompressionCostsTheSamePerMessage checks that a message allocates the same in a
// long history as in a short one, both if the history is compressed and if it is only
// checked. Not parallel: it counts what the process allocates.
func TestCompressionCostsTheSamePerMessage(t *testing.T) {
	sizes, histories := []int{100, 1_000, 10_000}, map[int][]llm.Message{}
	for _, n := range sizes {
		for range n {
			histories[n] = append(histories[n], prompt(50), asks("a"), gets("a", 50), answer(50))
		}
	}
	for name, answers := range map[string][]llm.FakeAnswer{"compressed": texts(snapshot, snapshot), "too large": texts("")} {
		t.Run(name, func(t *testing.T) {
			costtest.Linear(t, func(n int) {
				z, h, _, _ := fixture(answers, histories[n]...)
				res := z.Compress(t.Context(), 0)
				assert.Equal(t, name == "compressed", res.Status == Compressed, res.Status)
				assert.NotEmpty(t, h.Messages())
			}, sizes...)
		})
	}
	t.Run("looked at", func(t *testing.T) {
		costtest.Linear(t, func(n int) {
			z, _, _, _ := fixture(nil, histories[n]...)
			z.Limit = 1 << 40
			z.Fit(t.Context(), 0)
		}, sizes...)
	})
}
