package terminal

import (
	"fmt"
	"strings"
	"sync"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"minigem/internal/highlight"
)

// markdownParser is created for the first answer, to keep startup short.
var markdownParser = sync.OnceValue(func() parser.Parser {
	return goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList)).Parser()
})

// renderMarkdown renders clean text for a terminal of width columns, without a trailing
// newline.
func renderMarkdown(source string, s style, width int) string {
	if overdone(source) {
		return strings.Trim(ansi.Wrap(source, max(width, 8), ""), "\n")
	}
	src := []byte(source)
	r := renderer{style: s, src: src}
	doc := markdownParser().Parse(text.NewReader(src))
	return strings.Trim(r.blocks(doc, max(width, 8)), "\n")
}

// Limits on nested quotes and lists, and on the columns of a table. No answer needs
// more, and rendering costs more than its length.
const (
	mostNested  = 32
	mostColumns = 64
)

// overdone reports whether a text is shown as it is, because a line of it nests too
// deep or has too many table columns.
func overdone(source string) bool {
	for line := range strings.Lines(source) {
		if strings.Count(line, "|") > mostColumns && strings.Trim(line, "|:->+* \t\r\n") == "" {
			return true
		}
		marks := strings.TrimRight(line[:len(line)-len(strings.TrimLeft(line, ">-+*0123456789.) \t"))], " \t\r\n")
		nested := strings.Count(marks, ">")
		for word := range strings.FieldsSeq(marks) {
			if !strings.Contains(word, ">") {
				nested++
			}
		}
		if nested > mostNested && !rule(line) {
			return true
		}
	}
	return false
}

// rule reports whether line is a thematic break, which may have any length.
func rule(line string) bool {
	line = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, line)
	return line != "" && strings.Trim(line, line[:1]) == "" && line[0] != '>'
}

type renderer struct {
	style
	src []byte
}

// blocks renders the children of n, with blank lines between them.
func (r *renderer) blocks(n ast.Node, width int) string {
	var out []string
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		out = append(out, strings.TrimRight(r.block(c, width), "\n"))
	}
	sep := "\n\n"
	if l, ok := n.(*ast.ListItem); ok {
		if list, ok := l.Parent().(*ast.List); ok && list.IsTight {
			sep = "\n"
		}
	}
	return strings.Join(out, sep)
}

func (r *renderer) block(n ast.Node, width int) string {
	switch n := n.(type) {
	case *ast.Heading:
		return ansi.Wrap(r.bold(r.cyan(r.inlines(n))), width, "")
	case *ast.FencedCodeBlock:
		return r.code(r.raw(n), string(n.Language(r.src)))
	case *ast.CodeBlock:
		return r.code(r.raw(n), "")
	case *ast.HTMLBlock:
		return strings.TrimRight(r.raw(n), "\n")
	case *ast.ThematicBreak:
		return r.dim(strings.Repeat("─", min(width, 40)))
	case *ast.Blockquote:
		return indent(r.blocks(n, max(width-2, 4)), r.dim("│ "))
	case *ast.List:
		return r.list(n, width)
	case *extast.Table:
		return r.table(n, width)
	}
	return ansi.Wrap(r.inlines(n), width, "")
}

func (r *renderer) list(l *ast.List, width int) string {
	var out []string
	number := l.Start
	for c := l.FirstChild(); c != nil; c = c.NextSibling() {
		mark := "• "
		if l.IsOrdered() {
			mark = fmt.Sprintf("%d. ", number)
			number++
		}
		pad := strings.Repeat(" ", ansi.StringWidth(mark))
		body := r.blocks(c, max(width-len(pad), 4))
		out = append(out, mark+strings.ReplaceAll(body, "\n", "\n"+pad))
	}
	sep := "\n"
	if !l.IsTight {
		sep = "\n\n"
	}
	return strings.Join(out, sep)
}

func (r *renderer) raw(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(r.src))
	}
	return b.String()
}

// inlines renders the content of a block.
func (r *renderer) inlines(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		b.WriteString(r.inline(c))
	}
	return b.String()
}

func (r *renderer) inline(n ast.Node) string {
	switch n := n.(type) {
	case *ast.Text:
		end := ""
		switch {
		case n.HardLineBreak():
			end = "\n"
		case n.SoftLineBreak(): // a writer's line break is usually intended
			end = "\n"
		}
		return string(n.Segment.Value(r.src)) + end
	case *ast.String:
		return string(n.Value)
	case *ast.CodeSpan:
		if r.plain {
			return "`" + r.inlines(n) + "`"
		}
		return r.cyan(r.inlines(n))
	case *ast.Emphasis:
		if n.Level > 1 {
			return r.bold(r.inlines(n))
		}
		return r.italic(r.inlines(n))
	case *extast.Strikethrough:
		return r.strike(r.inlines(n))
	case *extast.TaskCheckBox:
		if n.IsChecked {
			return "[x] "
		}
		return "[ ] "
	case *ast.Link:
		label, to := r.inlines(n), string(n.Destination)
		if label == to {
			return r.underline(label)
		}
		return label + " (" + r.underline(to) + ")"
	case *ast.AutoLink:
		return r.underline(string(n.URL(r.src)))
	case *ast.RawHTML:
		var b strings.Builder
		for i := range n.Segments.Len() {
			s := n.Segments.At(i)
			b.Write(s.Value(r.src))
		}
		return b.String()
	}
	return r.inlines(n)
}

// code returns an indented block of code.
func (r *renderer) code(text, language string) string {
	lines, c := strings.Split(strings.TrimRight(text, "\n"), "\n"), codeOf(language)
	for i, line := range lines {
		lines[i] = "  " + r.codeLine(line, &c)
	}
	return strings.Join(lines, "\n")
}

// code is the state of a block of code that is read line by line. It may be copied and
// compared.
type code struct {
	diff bool
	scan highlight.Scanner
}

func codeOf(language string) code {
	if language == "diff" || language == "patch" {
		return code{diff: true}
	}
	return code{scan: highlight.For(language)}
}

// codeLine colours the next line of a block by its language. Code in an unknown
// language has a single colour.
func (s style) codeLine(line string, c *code) string {
	line = strings.ReplaceAll(line, "\t", "    ")
	switch {
	case c.diff:
		return s.diffLine(line)
	case !c.scan.Known():
		return s.cyan(line)
	}
	var b strings.Builder
	for _, span := range c.scan.Line(line) {
		b.WriteString(s.word(span))
	}
	return b.String()
}

func (s style) word(span highlight.Span) string {
	switch span.Kind {
	case highlight.Comment:
		return s.dim(span.Text)
	case highlight.String:
		return s.green(span.Text)
	case highlight.Keyword:
		return s.paint(purple, span.Text)
	case highlight.Number:
		return s.yellow(span.Text)
	case highlight.Name:
		return s.cyan(span.Text)
	}
	return span.Text
}

// diffLine colours a line of a unified diff.
func (s style) diffLine(line string) string {
	switch {
	case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		return s.bold(line)
	case strings.HasPrefix(line, "@@"):
		return s.cyan(line)
	case strings.HasPrefix(line, "+"):
		return s.green(line)
	case strings.HasPrefix(line, "-"):
		return s.red(line)
	}
	return line
}

func indent(text, by string) string {
	return by + strings.ReplaceAll(text, "\n", "\n"+by)
}
