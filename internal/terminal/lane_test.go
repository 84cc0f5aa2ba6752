package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

func TestShortened(t *testing.T) {
	t.Parallel()
	const more = " bytes more (/hooks last shows all)"
	for _, c := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"a word", " no\n", "no"},
		{"as much as there may be", strings.Repeat("no\n", maxHookLines), strings.TrimSpace(strings.Repeat("no\n", maxHookLines))},
		{"a line too many", strings.Repeat("no\n", maxHookLines+1), strings.Repeat("no\n", maxHookLines) + "… 2" + more},
		{"lines of nothing in between", "no" + strings.Repeat("\n", 1000) + "yes", "no\n… 953" + more},
		{"one long line", strings.Repeat("x", maxHookBytes+5), strings.Repeat("x", maxHookBytes) + "\n… 5" + more},
		{"a long second line", "no\n" + strings.Repeat("x", maxHookBytes), "no\n… 8192" + more},
		{"cut within a character", "x" + strings.Repeat("ä", maxHookBytes/2), "x" + strings.Repeat("ä", maxHookBytes/2-1) + "\n… 2" + more},
	} {
		got := shortened(c.text)
		assert.Equal(t, c.want, got, c.name)
		assert.True(t, utf8.ValidString(got), c.name)
	}
}
