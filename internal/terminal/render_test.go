package terminal

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/assert"
)

const sample = "# Title\n\nSome **bold** and *soft* `code`, [a link](https://x.test).\n\n- one\n  - two\n- three\n\n3. three\n4. four\n\n> quoted\n\n```go\nfunc main() {\n\n\tx := 1\n}\n```\n\n| a | b |\n|---|---|\n| 漢字 | x |\n\n---\n\nEnd\n"

const rendered = `Title

Some bold and soft ` + "`code`" + `, a link (https://x.test).

• one
  • two
• three

3. three
4. four

│ quoted

  func main() {

      x := 1
  }

a    │ b
────────
漢字 │ x

────────────────────────────────────────

End
`

func stream(width int, pieces []string) string {
	var out strings.Builder
	m := &markdown{style: style{plain: true}, width: func() int { return width }, out: func(s string) { out.WriteString(s) }}
	for _, p := range pieces {
		m.write(p)
	}
	m.flush()
	return out.String()
}

// However an answer is cut into pieces, the output is the same.
func TestMarkdownStreams(t *testing.T) {
	t.Parallel()
	assert.Equal(t, strings.ReplaceAll(rendered, "  \n", "\n"), trimmed(stream(80, []string{sample})))
	assert.Equal(t, stream(80, []string{sample}), stream(80, strings.Split(sample, "")))
}

func trimmed(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

// No line of prose is wider than the window, counting wide characters.
func TestMarkdownFits(t *testing.T) {
	t.Parallel()
	prose := strings.Repeat("plain words and 漢字漢字 and more ", 20) + "\n\n- " + strings.Repeat("item 漢字 ", 20) + "\n\n> " + strings.Repeat("quoted ", 30)
	for _, width := range []int{10, 20, 40, 80} {
		for line := range strings.Lines(stream(width, []string{prose})) {
			assert.LessOrEqual(t, ansi.StringWidth(strings.TrimRight(line, "\n")), width, "%d: %q", width, line)
		}
	}
}

// Blocks are written as soon as they are complete.
func TestMarkdownDoesNotWaitForTheEnd(t *testing.T) {
	t.Parallel()
	var out string
	m := &markdown{style: style{plain: true}, width: func() int { return 80 }, out: func(s string) { out += s }}
	writes := func(piece, want string) {
		t.Helper()
		out = ""
		m.write(piece)
		assert.Equal(t, want, out)
	}
	writes("One para", "")
	writes("graph.\n\nAnd", "One paragraph.\n")
	assert.Equal(t, open{source: "And", apart: true}, m.pending())
	writes(" more.\n```\ncode\n\n", "\nAnd more.\n\n  code\n  \n")
	writes("more\n```\n", "  more\n")
}

// The record of a failed call describes the tool, so what the call was about comes from
// its arguments.
func TestAim(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args map[string]any
		want string
	}{
		{nil, ""},
		{map[string]any{"content": "x", "file_path": "notes.txt"}, "notes.txt"},
		{map[string]any{"command": "ls\n\x1b[2J-la"}, "ls -la"},
		{map[string]any{"dir_path": "", "pattern": "*.go"}, "*.go"},
		{map[string]any{"file_path": 7.0, "query": "weather"}, "weather"},
		{map[string]any{"offset": 1.0}, ""},
	} {
		assert.Equal(t, c.want, mainArgument(c.args))
	}
}

// TestMarkdownOfTheWorst checks that the output is never out of proportion to the
// answer, and that text nested too deep is shown as it is.
func TestMarkdownOfTheWorst(t *testing.T) {
	t.Parallel()
	const n = 400
	for name, answer := range map[string]string{
		"quotes": strings.Repeat(">", 10*n) + "x", "quotes and lines": strings.Repeat(">", n) + "x\n" + strings.Repeat("y\n", n), "spaced": strings.Repeat("> ", n) + "x\n" + strings.Repeat("y\n", n),
		"lists": strings.Repeat("- ", n) + "x\n" + strings.Repeat("y\n", n), "numbers": strings.Repeat("1. ", n) + "x", "mixed": strings.Repeat("> - 1) ", n) + "x\n",
		"columns": strings.Repeat("|a", n) + "\n" + strings.Repeat("|-", n) + "\n" + strings.Repeat("|x\n", n), "quoted columns": "> " + strings.Repeat("|a", n) + "\n> " + strings.Repeat("|-", n) + "\n" + strings.Repeat("> |x\n", n),
	} {
		out := renderMarkdown(answer, style{}, 80)
		assert.Less(t, len(out), 20*len(answer), name)
		assert.Contains(t, out, "x", name)
	}
	assert.NotContains(t, renderMarkdown(strings.Repeat("> ", 20)+"deep", style{plain: true}, 80), ">", "this much is rendered")
	assert.Contains(t, renderMarkdown(strings.Repeat("* ", 50), style{plain: true}, 80), "─", "a rule")
}
