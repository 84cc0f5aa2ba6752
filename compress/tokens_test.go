package compress

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/llm"
)

func TestTextTokens(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{
		"":                               0,
		"four":                           1,
		"eight ch":                       2,
		"twelve chars":                   3,
		"ü":                              1.5,
		"twelve charsü":                  4.5,
		"üeight chüeight ch":             7,
		"日本語":                            4.5,
		strings.Repeat("a", 100_001):     25_000.25,
		strings.Repeat("日", 33_334):      25_000.5, // too long to be scanned
		"seven c\xffeight ch":            1.75 + 1.5 + 2,
		strings.Repeat("a", 64) + "ü":    17.5,
		"ü" + strings.Repeat("a", 64):    17.5,
		strings.Repeat("ab cd\u00e9", 8): 8 * (1.25 + 1.5),
	} {
		assert.InDelta(t, want, textTokens(text), 0, "%.20q", text)
	}
}

// The count continues while messages are added, and starts again if they are different
// ones.
func TestTally(t *testing.T) {
	t.Parallel()
	history := []llm.Message{llm.UserText("a first prompt"), llm.ModelText("an answer")}
	var c runningEstimate
	look := func(ms []llm.Message) { assert.Equal(t, Estimate(ms), c.of(ms)) }
	look(nil)
	look(history)
	look(history)
	history = append(history, llm.UserText("more"), llm.ModelText("and more"))
	look(history)
	look(history[:1:1])
	look(append(history[:1:1], llm.ModelText("another answer than the one before")))
	look([]llm.Message{llm.UserText("all is new")})
	look(nil)
}
