package terminal

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"minigem/internal/text"
)

// FuzzMarkdown: whatever an answer holds, what is shown of it consists of its
// own characters and our marks, acts upon no terminal, and its lines are as wide
// as the window or as one thing that cannot be parted.
func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{
		"# T\n\n* a\n  * b\n\n1. c\n\n> q\n> > r\n\n|a|b|\n|-|-|\n|`x`|**y**|\n\n```go\nf()\n```\n\n---\n[l](http://u) <http://v> ~~s~~ - [x] t\n", "<b>x</b>\n\n<div>\n\x1b[2J\n</div>", strings.Repeat("> ", 50) + "deep", strings.Repeat("* ", 50) + "deep",
		"[a]: b\n\n[a]", "\u202eabc\u3164", "`\x1b]0;t\x07`", "a  \nb\\\nc", "![i](x)", "|\n-|\n", "99999999999999999999. x\n999999999. y",
	} {
		f.Add(seed, 80)
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, answer string, width int) {
		width = max(0, width%300)
		clean := text.Clean(answer)
		require.Equal(t, clean, text.Clean(clean), "cleaning twice is cleaning once")
		out := renderMarkdown(clean, style{plain: true}, width)
		require.Equal(t, clean == "", clean == "" && out == "")
		for _, r := range out {
			require.False(t, r != '\n' && text.Hides(r) && !strings.ContainsRune(clean, r), "%U in %q from %q", r, out, answer)
		}
		require.Equal(t, out, renderMarkdown(clean, style{plain: true}, width))
		coloured := text.Clean(renderMarkdown(clean, style{}, width))
		require.LessOrEqual(t, len(ansi.Strip(coloured)), 64*(len(clean)+1)*(1+strings.Count(clean, "\n")+strings.Count(clean, ">")+strings.Count(clean, "*")+strings.Count(clean, "-")))
	})
}
