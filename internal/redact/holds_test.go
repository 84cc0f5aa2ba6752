package redact

import (
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// LooksSecret looks for fixed texts before it tries an expression. That must not miss
// any value that an expression matches, so values are made from the expressions, with
// every alternative.
func TestNoShapeIsMissedByItsTexts(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, s := range shapes {
		tree, err := syntax.Parse(s.pattern, syntax.Perl)
		require.NoError(t, err)
		alone := regexp.MustCompile(s.pattern)
		used := map[string]bool{}
		for range 300 {
			var b strings.Builder
			b.WriteByte(' ')
			matchOf(r, tree, &b)
			b.WriteByte(' ')
			value := b.String()
			require.True(t, alone.MatchString(value), "%s was made from %s", value, s.pattern)
			assert.True(t, LooksSecret(value), value)
			for text := range strings.FieldsSeq(s.holds) {
				used[text] = used[text] || strings.Contains(value, text)
			}
		}
		for text := range strings.FieldsSeq(s.holds) {
			assert.True(t, used[text], "nothing that %s matches holds %q", s.pattern, text)
		}
	}
	for _, plain := range []string{"/usr/local/bin:/usr/bin:/bin", "C.UTF-8", "a sentence of some words", "https://host/path"} {
		assert.False(t, LooksSecret(plain), plain)
	}
}

// matchOf writes a text that re matches.
func matchOf(r *rand.Rand, re *syntax.Regexp, b *strings.Builder) {
	repeat := func(n int) {
		for range n {
			matchOf(r, re.Sub[0], b)
		}
	}
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		if re.Flags&syntax.FoldCase != 0 {
			text = strings.ToLower(text)
		}
		b.WriteString(text)
	case syntax.OpCharClass:
		i := 2 * r.IntN(len(re.Rune)/2)
		low, high := re.Rune[i], min(re.Rune[i+1], '~')
		if c := low + r.Int32N(max(high-low, 0)+1); c <= '~' {
			b.WriteRune(c)
		} else { // a letter that folds to an ASCII letter
			b.WriteRune('a' + r.Int32N(6))
		}
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			matchOf(r, sub, b)
		}
	case syntax.OpAlternate:
		matchOf(r, re.Sub[r.IntN(len(re.Sub))], b)
	case syntax.OpStar, syntax.OpQuest:
		repeat(r.IntN(2))
	case syntax.OpPlus:
		repeat(1 + r.IntN(2))
	case syntax.OpRepeat:
		repeat(re.Min)
	}
}
