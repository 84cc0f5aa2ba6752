package compress

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestTheServerSaysTheLimit checks that the server is asked once per model, and only if
// the history is large enough. Its answer decides when to compress.
func TestTheServerSaysTheLimit(t *testing.T) {
	t.Parallel()
	z, h, model, _ := fixture(texts(snapshot, snapshot), prompt(4*worthAsking-400))
	asked := 0
	z.Limit, z.Ask = 0, func(context.Context) int { asked++; return 4_000 }
	z.Fit(t.Context(), 0)
	assert.Zero(t, asked)
	for range 2 {
		h.Append(answer(400))
		z.Fit(t.Context(), 0)
	}
	assert.Equal(t, 1, asked)
	assert.NotEmpty(t, model.Requests(), "a quarter of 4,000 tokens is reached")
	z.ModelName = "other"
	z.Fit(t.Context(), 3_000)
	assert.Equal(t, 2, asked)
	z.Ask = func(context.Context) int { return 0 }
	z.ModelName = "gemini-2.5-pro"
	z.Fit(t.Context(), 3_000)
	assert.Equal(t, Limit("gemini-2.5-pro"), z.Window())
}
