package terminal

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"minigem/internal/text"
)

// FuzzMarkdown checks that the rendering of any answer contains only its own characters
// and our marks, has no effect on the terminal, and that no line is wider than the
// window or than a single unbreakable item.
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

// FuzzRewritten checks that whatever hooks do to arguments, the report names each
// changed one, and is empty if none changed.
func FuzzRewritten(f *testing.F) {
	for _, seed := range [][2]string{{`{"a":1,"b":2}`, `{"a":2,"c":3}`}, {`null`, `{"a":1}`}, {`[`, `{}`}, {`{"a":1}`, `[1]`}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		require.Equal(t, len(rewritten([]byte(before), []byte(after))), len(rewritten([]byte(after), []byte(before))))
		if json.Valid([]byte(before)) && strings.HasPrefix(before, "{") {
			require.Empty(t, rewritten([]byte(before), []byte(before)))
		}
	})
}

// TestRewritten checks that each changed argument is one line.
func TestRewritten(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{`a: 1 → 2`, `b: - "x"`, `c: + 3`}, rewritten([]byte(`{"a":1,"b":"x","d":0}`), []byte(`{"a":2,"c":3,"d":0}`)))
	require.Equal(t, []string{`{ → {}`}, rewritten([]byte(`{`), []byte(`{}`)))
}
