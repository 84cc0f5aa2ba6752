package terminal

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// markdown renders an answer while it streams. It writes each block once it is
// complete, and code line by line, so nothing is ever redrawn. How much it holds back
// is limited.
type markdown struct {
	style style
	width func() int
	out   func(string)
	begin func() // called before the first output of an answer; may be nil

	line  strings.Builder // the incomplete line
	lines strings.Builder // the complete lines of the incomplete block
	began bool            // lines contains more than blanks
	inner string          // the open fence inside the block, or empty
	fence string          // the open fence whose code is written line by line, or empty
	lang  code            // the state of its colouring
	tight bool            // the next lines belong to these without a blank line
	joins bool            // the next output belongs to the last without a blank line
	wrote bool            // some of this answer has been written
}

// A block longer than longBlock is written in parts, at a line that looks like the
// start of a paragraph or a list item. One longer than hugeBlock is cut at any line.
const (
	longBlock = 8 << 10
	// mostPending is how much of an incomplete block is rendered to show its end.
	mostPending = 4 << 10
	hugeBlock   = 256 << 10
)

// pending returns what has not been written yet, or the end of it.
func (m *markdown) pending() open {
	if m.fence != "" {
		line := m.line.String()
		return open{source: line[max(len(line)-mostPending, 0):], code: true, lang: m.lang}
	}
	lines, line := m.lines.String(), m.line.String()
	over := max(len(lines)+len(line)-mostPending, 0)
	text := lines[min(over, len(lines)):] + line[max(over-len(lines), 0):]
	if over > 0 {
		head := ""
		if top := strings.SplitAfterN(lines, "\n", 3); len(top) == 3 && strings.Contains(top[0], "|") {
			head = top[0] + top[1] // the rows of a table need its heading
		}
		_, end, whole := strings.Cut(text, "\n")
		if !whole {
			head, end = "", strings.ToValidUTF8(text, "")
		}
		text = head + end
	}
	if strings.TrimSpace(text) == "" {
		return open{}
	}
	return open{source: text, apart: !m.joins}
}

// write adds a piece of the answer and writes what is complete.
func (m *markdown) write(s string) {
	for line := range strings.SplitAfterSeq(s, "\n") {
		m.line.WriteString(line)
		if strings.HasSuffix(line, "\n") || m.line.Len() > hugeBlock {
			whole := m.line.String()
			m.line.Reset()
			m.take(whole)
		}
	}
}

// flush writes the rest of the answer.
func (m *markdown) flush() {
	if m.line.Len() > 0 {
		m.take(m.line.String())
	}
	m.block()
	m.line.Reset()
	m.fence, m.inner, m.tight, m.joins, m.wrote = "", "", false, false, false
}

// take adds a line.
func (m *markdown) take(line string) {
	text := strings.TrimSpace(line)
	mark := fenceOf(text)
	closes := func(fence string) bool {
		return strings.HasPrefix(text, fence) && strings.Trim(text, fence[:1]) == ""
	}
	switch {
	case m.fence != "" && closes(m.fence):
		m.fence = ""
		return
	case m.fence != "":
		m.code(line)
		return
	case m.inner != "" && closes(m.inner):
		m.lines.WriteString(line)
		m.inner = ""
		m.block()
		return
	case m.inner != "":
	case mark != "" && strings.HasPrefix(line, mark):
		m.block()
		m.fence = mark
		lang, _, _ := strings.Cut(strings.Trim(text, mark+" "), " ")
		m.lang = codeOf(lang)
		m.gap()
		return
	case mark != "":
		m.inner = mark
	case text == "" && m.began, strings.HasPrefix(text, "#"):
		m.lines.WriteString(line)
		m.block()
		return
	}
	if m.tooLong(line) || m.item(line) {
		m.block()
	}
	m.lines.WriteString(line)
	m.began = m.began || text != ""
}

// tooLong reports whether the block must be written before line.
func (m *markdown) tooLong(line string) bool {
	n := m.lines.Len()
	return n > hugeBlock || n > longBlock && m.inner == "" && strings.IndexAny(line, " \t|\r\n") != 0
}

// item reports whether the lines so far can be written because line begins the next
// item of their list, or a list after their paragraph. The first item should be visible
// before the last one arrives.
func (m *markdown) item(line string) bool {
	if m.inner != "" || !m.began {
		return false
	}
	first := m.lines.String()
	mark, number := itemOf(line)
	before, numberBefore := itemOf(first)
	switch {
	case mark == "":
		return false
	case before != "": // a list counts on from its first item, whatever is written
		m.tight = before == mark && (number < 0 || number == numberBefore+1)
	default: // a paragraph; what has cells may be a table, and a sentence may go on with a number
		m.tight = (number < 0 || number == 1) && !strings.ContainsAny(first[:1], " \t>") && !strings.Contains(first, "|")
	}
	return m.tight
}

// itemOf returns the mark and number of an outermost list item that begins in text. The
// number is -1 for bullets. mark is empty if there is no item.
func itemOf(text string) (mark string, number int) {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	rest := text[digits:]
	if len(rest) < 3 || rest[1] != ' ' || strings.TrimSpace(rest[1:]) == "" {
		return "", 0
	}
	number, err := strconv.Atoi(text[:digits])
	switch {
	case digits == 0 && strings.IndexByte("-*+", rest[0]) >= 0:
		return rest[:1], -1
	case err == nil && digits < 10 && strings.IndexByte(".)", rest[0]) >= 0:
		return rest[:1], number
	}
	return "", 0
}

func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// block writes the block collected so far.
func (m *markdown) block() {
	raw, tight := m.lines.String(), m.tight
	m.lines.Reset()
	m.began, m.tight = false, false
	text := renderMarkdown(Clean(raw), m.style, m.width()-1)
	if text == "" {
		return
	}
	m.gap()
	m.out(text + "\n")
	m.joins = tight
}

// gap separates the next output from what was written before.
func (m *markdown) gap() {
	switch {
	case m.joins:
		m.joins = false
	case m.wrote:
		m.out("\n")
	case m.begin != nil:
		m.begin()
	}
	m.wrote = true
}

// code writes a line of code.
func (m *markdown) code(line string) {
	m.out("  " + m.style.codeLine(Clean(strings.TrimRight(line, "\r\n")), &m.lang) + "\n")
}

// truncate cuts text to width columns, not counting our own sequences.
func truncate(text string, width int) string { return ansi.Truncate(text, max(width, 1), "…") }
