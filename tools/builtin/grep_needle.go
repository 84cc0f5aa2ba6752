package builtin

import (
	"bytes"
	"math"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// A search first looks for needles: strings of which every match of the
// expression contains at least one. Lines without a needle need no regular
// expression. Finding bytes is some fifty times as fast as Go's regexp.

// needle is a string to search for.
type needle struct {
	text []byte // if fold is set: lower case, ASCII only
	fold bool   // match upper and lower case
	rare int    // index of its rarest byte in text
}

// maxNeedles limits the passes over a file.
const maxNeedles = 8

// commonBytes are the bytes of source code, the most frequent first (measured
// over the Go distribution).
const commonBytes = " et\t0r\nnaiso,xlcfdu1p./()2m:g\"h=4bS3_6TAE{}yRv8O\\CI5PD97MkXLVFwNB-[]U*GH!W+Y&<z;K%|'Q>qj$Z`#"

// frequency estimates the share of the byte b in a text; with fold, of both its
// cases.
func frequency(b byte, fold bool) float64 {
	share := func(b byte) float64 {
		rank := strings.IndexByte(commonBytes, b)
		if rank < 0 {
			rank = len(commonBytes)
		}
		return 0.06 * math.Pow(0.945, float64(rank))
	}
	if fold && 'a' <= b && b <= 'z' {
		return share(b) + share(upper(b))
	}
	return share(b)
}

// newNeedle chooses the rarest byte of text. With fold, text is in lower case.
func newNeedle(text []byte, fold bool) needle {
	n := needle{text: text, fold: fold}
	for i, b := range text {
		if frequency(b, fold) < frequency(text[n.rare], fold) {
			n.rare = i
		}
	}
	return n
}

// cost estimates the cost of searching for the needle: one pass over the text, a stop
// at each occurrence of its rarest byte, and a regular expression on each line that
// contains it.
func (n needle) cost() float64 {
	found := 1.0
	for _, b := range n.text {
		found *= min(1, 2*frequency(b, n.fold))
	}
	return 0.02 + frequency(n.text[n.rare], n.fold) + 30*found
}

// cost is the cost of searching for all of ns.
func cost(ns []needle) (sum float64) {
	for _, n := range ns {
		sum += n.cost()
	}
	return sum
}

// needles returns strings of which every match of re contains at least one, or nil if
// none are known. exact means that every line with one of them is a match.
func needles(re *syntax.Regexp) (ns []needle, exact bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return literalNeedles(re)
	case syntax.OpCapture:
		return needles(re.Sub[0])
	case syntax.OpPlus:
		return needles(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min < 1 {
			return nil, false
		}
		ns, exact = needles(re.Sub[0])
		return ns, exact && re.Min == 1
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if some, _ := needles(sub); some != nil && (ns == nil || cost(some) < cost(ns)) {
				ns = some
			}
		}
		return ns, false
	case syntax.OpAlternate:
		exact = true
		for _, sub := range re.Sub {
			some, whole := needles(sub)
			if some == nil || len(ns)+len(some) > maxNeedles {
				return nil, false
			}
			ns, exact = append(ns, some...), exact && whole
		}
		return ns, exact
	}
	return nil, false
}

// literalNeedles returns the text of a literal, or without case its longest stretch of
// ASCII.
func literalNeedles(re *syntax.Regexp) ([]needle, bool) {
	if re.Flags&syntax.FoldCase == 0 {
		// The replacement character also matches any byte that is not UTF-8.
		if slices.Contains(re.Rune, utf8.RuneError) {
			return nil, false
		}
		text := []byte(string(re.Rune))
		return []needle{newNeedle(text, false)}, !bytes.ContainsAny(text, "\r\n")
	}
	// Beyond ASCII the cases of a letter may differ in length: only the longest
	// stretch of ASCII is used.
	var best, cur []byte
	for _, r := range re.Rune {
		if r >= utf8.RuneSelf {
			cur = nil
			continue
		}
		cur = append(cur, lower(byte(r)))
		if len(cur) > len(best) {
			best = cur
		}
	}
	if len(best) == 0 {
		return nil, false
	}
	ns := []needle{newNeedle(best, true)}
	exact := len(best) == len(re.Rune) && !bytes.ContainsAny(best, "\r\n")
	// Two ASCII letters have a third case outside ASCII.
	for letter, third := range map[byte]string{'k': "\u212a", 's': "\u017f"} {
		if bytes.IndexByte(best, letter) >= 0 {
			ns, exact = append(ns, newNeedle([]byte(third), false)), false
		}
	}
	return ns, exact
}

// upper and lower convert ASCII letters and leave other bytes as they are.
func upper(b byte) byte {
	if 'a' <= b && b <= 'z' {
		return b - 'a' + 'A'
	}
	return b
}

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b + 'a' - 'A'
	}
	return b
}

// seeker finds one needle in one text, from left to right.
type seeker struct {
	needle
	buf []byte
	at  int // the next occurrence at or after the last requested position; len(buf) if there is none
	// The next occurrence of the rarest byte in lower and upper case; len(buf) if there
	// is none.
	lo, up int
}

// in returns a seeker of n in buf.
func (n needle) in(buf []byte) seeker { return seeker{needle: n, buf: buf, at: -1, lo: -1, up: -1} }

// next returns the first occurrence at or after from, or len(buf) if there is none.
// from never decreases.
func (s *seeker) next(from int) int {
	if s.at >= from {
		return s.at
	}
	if s.fold {
		s.at = s.nextFold(from)
	} else {
		s.at = indexFrom(s.buf, s.text, from)
	}
	return s.at
}

// indexFrom returns the index of text at or after from; len(buf) if there is none.
func indexFrom(buf, text []byte, from int) int {
	if i := bytes.Index(buf[from:], text); i >= 0 {
		return from + i
	}
	return len(buf)
}

// nextFold is next without case: it looks for the rarest byte in both cases, and compares
// there.
func (s *seeker) nextFold(from int) int {
	b := s.text[s.rare]
	other := upper(b)
	last := len(s.buf) - len(s.text)
	for from += s.rare; ; from++ {
		if s.lo < from {
			s.lo = indexByteFrom(s.buf, b, from)
		}
		if other == b {
			s.up = len(s.buf)
		} else if s.up < from {
			s.up = indexByteFrom(s.buf, other, from)
		}
		from = min(s.lo, s.up)
		start := from - s.rare
		if start > last {
			return len(s.buf)
		}
		if s.matches(s.buf[start : start+len(s.text)]) {
			return start
		}
	}
}

// matches reports whether b is the needle, whatever its case.
func (s *seeker) matches(b []byte) bool {
	for i, want := range s.text {
		if lower(b[i]) != want {
			return false
		}
	}
	return true
}

// indexByteFrom returns the index of b at or after from; len(buf) if there is none.
func indexByteFrom(buf []byte, b byte, from int) int {
	if from >= len(buf) {
		return len(buf)
	}
	if i := bytes.IndexByte(buf[from:], b); i >= 0 {
		return from + i
	}
	return len(buf)
}
