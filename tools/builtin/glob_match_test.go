package builtin

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whatever shortcut a pattern takes, it matches what doublestar matches, and no
// directory on the way to a match is skipped.
func TestGlobAgreesWithDoublestar(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(9, 10))
	pick := func(from ...string) string { return from[rnd.IntN(len(from))] }
	matches := 0
	for range 20000 {
		p := pick("", "**/", "**/", "**/", "a/", "*/", "{a,b}/")
		for range 1 + rnd.IntN(3) {
			p += pick("*", "**", "?", "a", "B", ".go", "[ab]", "[!a]", `\*`, "{a,b/c}", "{.go,.x}", "/", "\u00e4")
		}
		if !doublestar.ValidatePattern(p) || strings.Contains(p, "//") {
			continue
		}
		path := pick("", "a/", "b/c/", "A/.x/")
		for range 1 + rnd.IntN(3) {
			path += pick("a", "b", "B", ".go", ".x", "*", "\u00c4", "\xff")
		}
		for _, fold := range []bool{true, false} {
			pattern, rel := p, path
			if fold {
				pattern, rel = strings.ToLower(p), strings.ToLower(path)
			}
			want, err := doublestar.Match(pattern, rel)
			require.NoError(t, err)
			m := globMatcher{fold: fold, text: pattern, parts: strings.Split(pattern, "/")}
			m.shorten()
			assert.Equal(t, want, m.match(path), "%q of %q", p, path)
			if !want || strings.Contains(p, "[!") { // doublestar wrongly lets [!...] match a slash
				continue
			}
			matches++
			for i, c := range path {
				if c == '/' {
					assert.True(t, m.enter(path[:i]), "%q on the way to %q", p, path)
				}
			}
		}
	}
	assert.Greater(t, matches, 1000)
}
