package terminal

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
)

// FuzzMarkdown: whatever an answer holds, what is shown of it consists of its
// own characters and our marks, acts upon no terminal, and its lines are as wide
// as the window or as one thing that cannot be parted.
func FuzzMarkdown(f *testing.F) {
	for _, text := range []string{
		"# T\n\n* a\n  * b\n\n1. c\n\n> q\n> > r\n\n|a|b|\n|-|-|\n|`x`|**y**|\n\n```go\nf()\n```\n\n---\n[l](http://u) <http://v> ~~s~~ - [x] t\n", "<b>x</b>\n\n<div>\n\x1b[2J\n</div>", strings.Repeat("> ", 50) + "deep", strings.Repeat("* ", 50) + "deep",
		"[a]: b\n\n[a]", "\u202eabc\u3164", "`\x1b]0;t\x07`", "a  \nb\\\nc", "![i](x)", "|\n-|\n", "99999999999999999999. x\n999999999. y",
	} {
		f.Add(text, 80)
		f.Add(text, 3)
	}
	f.Fuzz(func(t *testing.T, text string, width int) {
		width = max(0, width%300)
		clean := Clean(text)
		require.Equal(t, clean, Clean(clean), "cleaning twice is cleaning once")
		out := renderMarkdown(clean, style{plain: true}, width)
		require.Equal(t, clean == "", clean == "" && out == "")
		for _, r := range out {
			require.False(t, acts(r), "%U in %q from %q", r, out, text)
		}
		require.Equal(t, out, renderMarkdown(clean, style{plain: true}, width))
		coloured := Clean(renderMarkdown(clean, style{}, width))
		require.LessOrEqual(t, len(ansi.Strip(coloured)), 64*(len(clean)+1)*(1+strings.Count(clean, "\n")+strings.Count(clean, ">")+strings.Count(clean, "*")+strings.Count(clean, "-")))
	})
}

// FuzzCleaner: however a text is parted, the pieces show nothing that acts.
func FuzzCleaner(f *testing.F) {
	for _, c := range dirty {
		f.Add([]byte(c.in), len(c.in)/2)
	}
	f.Fuzz(func(t *testing.T, data []byte, at int) {
		at = max(0, at) % (len(data) + 1)
		var c Cleaner
		out := c.Clean(data[:at]) + c.Clean(data[at:])
		require.False(t, strings.ContainsFunc(out, acts), "%q became %q", data, out)
		require.LessOrEqual(t, len(out), len(data))
		require.LessOrEqual(t, len(c.rest), max(mostHeld, 4))
	})
}
