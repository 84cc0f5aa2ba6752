package remote

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestShown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ said, want string }{
		"short":                 {" no\n such  model. ", "no such model"},
		"a secret":              {"the key s3cr3t-of-mine is bad", "the key [REDACTED] is bad"},
		"long":                  {strings.Repeat("a", 301), strings.Repeat("a", 300) + "..."},
		"cut within characters": {strings.Repeat("a", 299) + strings.Repeat("\u4f60", 10), strings.Repeat("a", 299) + "..."},
		"no UTF-8":              {strings.Repeat("\xa8", 2000), "\ufffd"},
		"much that is no UTF-8": {strings.Repeat("\xa8a", 200), strings.Repeat("\ufffda", 75) + "..."},
	} {
		got := Secrets{"s3cr3t-of-mine"}.Shown(c.said)
		assert.Equal(t, c.want, got, name)
		assert.True(t, utf8.ValidString(got), name)
	}
}
