package workspace

import (
	"math/rand/v2"
	"strings"
	"testing"

	"minigem/internal/thorough"

	"github.com/stretchr/testify/assert"
)

// The fast path for ordinary names must give the same result as the full check.
func TestProtectedTakesNoWrongShortCut(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 8))
	pieces := []string{".git", ".GIT", ".env", "node_modules", "gha-creds-", ".json", "git~1", "ENV~2", "node_m~1", "gha-cr~1", ".jso", "a", "/", ".", " ", ":s", "\u200c", "\ufeff", "\xff", "src", "\u212a"}
	found := 0
	for range thorough.Times(20_000, 200_000) {
		var b strings.Builder
		for range 1 + rnd.IntN(5) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		want := component(b.String(), protectedName())
		if want != "" {
			found++
		}
		assert.Equal(t, want, Protected(b.String()), "%q", b.String())
	}
	assert.Greater(t, found, 100)
}
