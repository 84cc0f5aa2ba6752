package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"

	// newlineMark represents a newline inside a prompt. It is a private-use character
	// that Clean removes from all other text.
	newlineMark = '\ue000'

	// A paste beyond these limits is folded in the prompt.
	shownLines = 8
	shownBytes = 1000

	// Without brackets, a paste is recognized by how much arrives at once: this many
	// newlines, or this many bytes that include a newline.
	burstLines = 3
	burstBytes = 1024
	quietTime  = 100 * time.Millisecond // a pause this long ends such a paste
	burstTime  = time.Second            // how long more of it may follow
)

// pastes holds the large pastes of a prompt. Each is a single character in the line, so
// the line editor only handles a short line.
type pastes struct {
	texts map[rune]string
	next  rune
}

// fold returns what goes into the line for a paste.
func (p *pastes) fold(text string) string {
	if strings.Count(text, "\n") < shownLines && len(text) <= shownBytes {
		return strings.ReplaceAll(text, "\n", string(newlineMark))
	}
	if p.texts == nil {
		p.texts, p.next = map[rune]string{}, firstPaste
	}
	mark := p.next
	p.texts[mark] = text
	if p.next++; p.next > lastPaste {
		p.next = firstPaste
	}
	return string(mark)
}

// unfold replaces the marks in a line with the pasted texts and newlines.
func (p *pastes) unfold(line string) string {
	if !strings.ContainsFunc(line, private) {
		return line
	}
	var b strings.Builder
	for _, r := range line {
		switch {
		case r == newlineMark:
			b.WriteByte('\n')
		case r >= firstPaste && r <= lastPaste:
			b.WriteString(p.texts[r])
		case !private(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// keep drops all pastes except those in line.
func (p *pastes) keep(line []byte) {
	for mark := range p.texts {
		if !bytes.ContainsRune(line, mark) {
			delete(p.texts, mark)
		}
	}
}

// label returns what the user sees for a mark.
func (p *pastes) label(mark rune) string {
	text, ok := p.texts[mark]
	switch n := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1; {
	case !ok:
		return "[pasted text that is gone]"
	case n == 1:
		return fmt.Sprintf("[pasted: %d characters]", utf8.RuneCountInString(text))
	default:
		return fmt.Sprintf("[pasted: %d lines]", n)
	}
}

// private reports whether a character has a meaning only within this package.
func private(r rune) bool { return r == newlineMark || r >= keyUp && r <= lastPaste }

// pasted returns a paste as clean text.
func pasted(s string) string {
	s = Clean(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"))
	return strings.ReplaceAll(s, "\t", "    ")
}

// isBurst reports whether bytes that arrived at once are a paste without brackets
// rather than typed keys. That is more likely right after another paste, since a busy
// system delivers a paste in pieces.
func isBurst(b []byte, another bool) bool {
	if bytes.IndexByte(b, keyEscape[0]) >= 0 {
		return false
	}
	ends := bytes.Count(b, []byte("\r")) + bytes.Count(b, []byte("\n")) - bytes.Count(b, []byte("\r\n"))
	return ends >= burstLines || ends > 0 && len(b) >= burstBytes || another && len(b) > 8
}
