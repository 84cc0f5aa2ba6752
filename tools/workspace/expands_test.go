package workspace

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestExpands checks that a pattern matches whatever some shell takes it for, and that
// many stars cost little.
func TestExpands(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, name string
		want          bool
	}{
		{"a*", "abc", true}, {"a*", "b", false}, {"*.go", "x.go", true}, {"a?c", "abc", true}, {"a?c", "ac", false},
		{"?", "ä", true}, {"??", "ä", true}, {"???", "ä", false}, {"?", "\xff", true}, {"*b*d*", "abcd", true},
		{`a\*`, `a\bc`, true}, {`a\*`, "a*", false}, {"{a,b}", "a", false},
		{strings.Repeat("*a", 40) + "b", strings.Repeat("a", 200), false},
	} {
		assert.Equal(t, tt.want, expands(tt.pattern, tt.name), "%s %s", tt.pattern, tt.name)
	}
}
