package exit

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestFit checks that lines wrap between words, and that a word wider than the window
// stays whole.
func TestFit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		width    int
		in, want string
	}{
		{10, "one two\n", "one two\n"},
		{10, "one two three four\nfive\n", "one two \nthree four\nfive\n"},
		{10, "漢字 漢字 漢字", "漢字 漢字 \n漢字"},
		{10, "see https://example.com/very/long now\n", "see \nhttps://example.com/very/long \nnow\n"},
		{10, "", ""},
	} {
		assert.Equal(t, c.want, fit(c.in, c.width), "%q", c.in)
	}
}
