package terminal

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// markdown renders an answer while it streams: a block is written once it is
// complete, so that nothing that was written is ever drawn again.
type markdown struct {
	style style
	width func() int
	out   func(string)

	buf   string // the block that is not complete
	wrote bool   // something of this answer was written
}

// pending is what is not written yet.
func (m *markdown) pending() string { return m.buf }

// write takes in a piece and reports whether anything was written.
func (m *markdown) write(s string) bool {
	m.buf += s
	wrote := false
	for {
		n := m.complete()
		if n == 0 {
			return wrote
		}
		m.block(m.buf[:n])
		m.buf = m.buf[n:]
		wrote = true
	}
}

// flush writes the rest.
func (m *markdown) flush() {
	if m.buf != "" {
		m.block(m.buf)
	}
	m.buf, m.wrote = "", false
}

// complete is the length of the first block, with the blank line that ends it;
// 0: it goes on. A fence is over with its closing line.
func (m *markdown) complete() int {
	at, fence := 0, ""
	for line := range strings.SplitAfterSeq(m.buf, "\n") {
		if !strings.HasSuffix(line, "\n") {
			return 0
		}
		at += len(line)
		text := strings.TrimSpace(line)
		mark := fenceOf(text)
		switch {
		case fence == "" && mark != "":
			fence = mark
		case fence != "" && strings.HasPrefix(text, fence) && strings.Trim(text, fence[:1]) == "":
			return at
		case fence == "" && text == "" && strings.TrimSpace(m.buf[:at]) != "":
			return at
		case fence == "" && strings.HasPrefix(text, "#"):
			return at
		}
	}
	return 0
}

func fenceOf(line string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

func (m *markdown) block(raw string) {
	text := renderMarkdown(Clean(raw), m.style, m.width()-1)
	if text == "" {
		return
	}
	if m.wrote {
		text = "\n" + text
	}
	m.wrote = true
	m.out(text + "\n")
}

// truncate cuts text to width columns; sequences of ours do not count.
func truncate(text string, width int) string { return ansi.Truncate(text, max(width, 1), "…") }
