package terminal

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"minigem/internal/highlight"
)

// TestOurColoursPass checks that the colours used by this package pass its own filter.
func TestOurColoursPass(t *testing.T) {
	t.Parallel()
	for _, env := range []map[string]string{{"TERM": "xterm"}, {"TERM": "xterm", "COLORFGBG": "0;15"}, {"TERM": "xterm-256color", "COLORFGBG": "0;15"}} {
		s, _ := styleFor(func(name string) string { return env[name] }, "")
		for _, kind := range []highlight.Kind{highlight.Comment, highlight.String, highlight.Keyword, highlight.Number, highlight.Name} {
			painted := s.word(highlight.Span{Kind: kind, Text: "word"})
			assert.NotEqual(t, "word", painted)
			assert.Equal(t, painted, sanitized(painted), "%v %v", env, kind)
		}
		for _, painted := range []string{s.red("x"), s.green("x"), s.yellow("x"), s.cyan("x"), s.bold("x"), s.dim("x"), s.italic("x"), s.underline("x"), s.strike("x"), s.modeColour("plan", "x"), s.modeColour("yolo", "x")} {
			assert.Equal(t, painted, sanitized(painted))
		}
	}
}

// Whatever a caller forgot to clean, what reaches the screen is inert except for our
// own styles.
func TestInert(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain\ttext\n": "plain\ttext\n",
		"\x1b[1mbold\x1b[22m \x1b[31mred\x1b[39m":   "\x1b[1mbold\x1b[22m \x1b[31mred\x1b[39m",
		"\x1b[1ma\x1b]0;owned\x07b\x1b[22mc":        "\x1b[1mab\x1b[22mc",
		"\x1b[1ma\x1b]0;owned\x1b[22mc":             "\x1b[1ma\x1b[22mc",
		"a\x1b[8mhidden\x1b[0m":                     "ahidden",
		"a\x1b[38;5;1mb\x1b[1;31mc":                 "abc",
		"a\x1b[13;37Hb\u009b2Jc\rd\be":              "abcde",
		"a\u202eb\u2066c\u200bd\U000e0041e\u2028f":  "abcdef",
		"\u200d\U0001f33e":                          "\u200d\U0001f33e", // the end of a farmer emoji that began in the previous piece
		"\U0001f468\u200d\U0001f33e \u2764\ufe0f é": "\U0001f468\u200d\U0001f33e \u2764\ufe0f é",
		"a\xffb":                        "ab",
		"a" + string(newlineMark) + "b": "ab",
	} {
		assert.Equal(t, want, sanitized(in), "%q", in)
		assert.Equal(t, want, sanitized(sanitized(in)), "%q", in)
	}
}

// All our styles pass the filter.
func TestStylesPass(t *testing.T) {
	t.Parallel()
	s := style{}
	for _, f := range []func(string) string{s.bold, s.dim, s.italic, s.underline, s.strike, s.red, s.green, s.yellow, s.cyan} {
		assert.Equal(t, f("x"), sanitized(f("x")))
		assert.NotEqual(t, "x", f("x"))
	}
}
