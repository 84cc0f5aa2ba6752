package text

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Cleaner is [Clean] for text that arrives in pieces, which may split a character or a
// control sequence. The zero Cleaner is ready to use. It is for one goroutine.
type Cleaner struct {
	rest  []byte // incomplete input
	final bool   // the current piece is the last one
	seen  context
}

// maxHeld is how many bytes of an incomplete control sequence are held.
const maxHeld = 4 << 10

// Clean returns the next piece, cleaned, together with what earlier pieces left
// incomplete.
func (c *Cleaner) Clean(piece []byte) string {
	if len(c.rest) == 0 && plain(string(piece)) {
		if len(piece) > 0 {
			c.seen = context{base: rune(piece[len(piece)-1])}
		}
		return string(piece)
	}
	b := append(c.rest, piece...)
	var out strings.Builder
	at := 0
	for at < len(b) {
		n := c.step(b[at:], &out)
		if n == 0 {
			break
		}
		at += n
	}
	c.rest = slices.Clone(b[at:])
	if len(c.rest) > maxHeld { // only its introducer matters, as its content is never shown
		end := c.rest[len(c.rest)-1:]
		c.rest = c.rest[:introducer(c.rest)]
		if end[0] == escape || !utf8.RuneStart(end[0]) {
			c.rest = append(c.rest, end[0])
		}
	}
	return out.String()
}

// step writes the character at the beginning of b if it may be shown, and skips a
// control sequence. It returns the length, or 0 if it may continue in the next piece.
func (c *Cleaner) step(b []byte, out *strings.Builder) int {
	if !utf8.FullRune(b) && !c.final {
		return 0
	}
	r, n := next(b)
	if n == 0 {
		n = broken(b)
		if n == len(b) && n < 3 && b[0] >= 0xc2 && !c.final {
			return 0 // it may be incomplete
		}
		return n
	}
	if r == escape || r >= 0x80 && r < 0xa0 {
		length, whole := sequence(b)
		if !whole && !c.final {
			return 0
		}
		return length
	}
	if r == '\n' || r == '\t' {
		c.seen = context{base: r}
		out.WriteRune(r)
		return n
	}
	follows := rune(0)
	if c.seen.asks(r) {
		if !utf8.FullRune(b[n:]) && !c.final {
			return 0
		}
		follows, _ = utf8.DecodeRune(b[n:])
	}
	if c.seen.shows(r, follows) {
		out.WriteRune(r)
	}
	return n
}

// next returns the first character of b and its length. A byte that is not UTF-8 is an
// 8-bit control character, or has length 0.
func next(b []byte) (rune, int) {
	r, n := utf8.DecodeRune(b)
	if r != utf8.RuneError || n != 1 {
		return r, n
	}
	if b[0] >= 0x80 && b[0] < 0xa0 {
		return rune(b[0]), 1
	}
	return r, 0
}

// broken returns the length of an invalid character, including its continuation bytes,
// which are not control characters.
func broken(b []byte) int {
	n := 1
	for b[0] >= 0xc2 && n < min(len(b), 3) && !utf8.RuneStart(b[n]) {
		n++
	}
	return n
}

// Control characters that begin and end control sequences. Those above 0x80 are the
// 8-bit forms.
const (
	escape     = 0x1b
	bell       = 0x07
	cancel     = 0x18
	substitute = 0x1a
	dcs        = 0x90
	sos        = 0x98
	csi        = 0x9b
	st         = 0x9c
	osc        = 0x9d
	pm         = 0x9e
	apc        = 0x9f
)

// sequence returns the length of the control sequence at the beginning of b, and
// whether it is complete. A byte that cannot be part of it ends it.
func sequence(b []byte) (length int, whole bool) {
	r, n := next(b)
	if r == escape {
		if n == len(b) {
			return n, false
		}
		if b[n] < 0x40 || b[n] > 0x5f {
			return ended(b, n, 0x30)
		}
		r, n = rune(b[n])+0x40, n+1
	}
	switch r {
	case csi:
		return ended(b, n, 0x40)
	case dcs, sos, osc, pm, apc:
		return stringSequence(b, n)
	}
	return n, true
}

// introducer returns the length of the bytes that introduce the sequence and determine
// its kind.
func introducer(b []byte) int {
	_, n := next(b)
	if b[0] == escape && len(b) > 1 {
		n++
	}
	return max(n, 1)
}

// ended reads parameters and intermediate bytes, which are below final, and a final
// byte.
func ended(b []byte, at int, final byte) (int, bool) {
	for at < len(b) && b[at] >= 0x20 && b[at] < final {
		at++
	}
	if at == len(b) {
		return at, false
	}
	if b[at] >= final && b[at] < 0x7f {
		at++
	}
	return at, true
}

// stringSequence reads up to ST, BEL or CAN. A newline also ends it, so that an
// unterminated sequence does not hide the rest of the text.
func stringSequence(b []byte, at int) (int, bool) {
	for at < len(b) {
		if !utf8.FullRune(b[at:]) {
			return len(b), false
		}
		switch r, n := next(b[at:]); r {
		case '\n':
			return at, true
		case bell, st, cancel, substitute:
			return at + n, true
		case escape:
			if at+1 == len(b) {
				return len(b), false
			}
			if b[at+1] == '\\' {
				return at + 2, true
			}
			return at, true // another sequence begins
		default:
			at += max(n, 1)
		}
	}
	return len(b), false
}
