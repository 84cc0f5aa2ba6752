package builtin

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// plainText removes control sequences and bytes that are not UTF-8 from a
// command's output. Characters and sequences may be split over writes.
type plainText struct {
	parser *ansi.Parser
	held   []byte // the beginning of a character
	out    strings.Builder
	cr     bool // the last byte was a carriage return
}

// newPlainText keeps what is printed, newlines, tabs and lone carriage returns, by which
// programs draw progress.
func newPlainText() *plainText {
	p := &plainText{parser: ansi.NewParser()}
	p.parser.SetHandler(ansi.Handler{
		Print: func(r rune) { p.put(string(r)) },
		Execute: func(b byte) {
			switch b {
			case '\n':
				p.cr = false // CR LF is one newline
				p.put("\n")
			case '\t':
				p.put("\t")
			case '\r':
				p.put("")
				p.cr = true
			}
		},
	})
	return p
}

// put writes s, after a carriage return that was held back.
func (p *plainText) put(s string) {
	if p.cr {
		p.out.WriteByte('\r')
		p.cr = false
	}
	p.out.WriteString(s)
}

// write returns the text that b adds.
func (p *plainText) write(b []byte) string {
	b = append(p.held, b...)
	p.held = nil
	if n := incomplete(b); n > 0 {
		p.held = bytes.Clone(b[len(b)-n:])
		b = b[:len(b)-n]
	}
	p.parser.Parse(bytes.ToValidUTF8(b, []byte("\uFFFD")))
	defer p.out.Reset()
	return p.out.String()
}

// incomplete returns the length of an unfinished character at the end of b.
func incomplete(b []byte) int {
	for n := 1; n <= min(utf8.UTFMax-1, len(b)); n++ {
		if tail := b[len(b)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// cleanOutput returns the text of a whole output, without surrounding space.
func cleanOutput(b []byte) string {
	text := string(b)
	if bytes.ContainsFunc(b, unusual) {
		p := newPlainText()
		text = p.write(b) + strings.Repeat("\uFFFD", min(len(p.held), 1))
	}
	return strings.TrimRight(text, " \t\r\n")
}

// unusual reports whether b needs the parser.
func unusual(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7F }
