package transcript

import (
	"iter"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// cursor reads valid JSON once, from left to right. A string that is not needed
// is skipped by searching for the next quote, which is as fast as memory: the
// long strings of a session are read once when they are checked and once more
// when they are needed. On invalid text it panics.
type cursor struct {
	text string
	at   int
}

// peek skips space and returns the byte after it.
func (c *cursor) peek() byte {
	for {
		switch b := c.text[c.at]; b {
		case ' ', '\t', '\n', '\r':
			c.at++
		default:
			return b
		}
	}
}

// more moves to the next element of the list or object that end closes, or past
// its end.
func (c *cursor) more(end byte) bool {
	b := c.peek()
	if b == ',' {
		c.at++
		b = c.peek()
	}
	if b == end {
		c.at++
		return false
	}
	return true
}

// keys iterates over an object. The loop's body may read the value of the key
// or leave it; it must not stop early if anything after the object is to be
// read.
func (c *cursor) keys() iter.Seq[string] {
	return func(yield func(string) bool) {
		for c.at++; c.more('}'); {
			key := c.alias()
			c.peek()
			c.at++ // the colon
			c.peek()
			from := c.at
			if !yield(key) {
				return
			}
			if c.at == from {
				c.skip()
			}
		}
	}
}

// items iterates over a list as keys does over an object.
func (c *cursor) items() iter.Seq[byte] {
	return func(yield func(byte) bool) {
		for c.at++; c.more(']'); {
			from := c.at
			if !yield(c.peek()) {
				return
			}
			if c.at == from {
				c.skip()
			}
		}
	}
}

// skip skips a value and returns its text.
func (c *cursor) skip() string {
	c.peek()
	from, depth := c.at, 0
	for ; c.at < len(c.text); c.at++ {
		switch c.text[c.at] {
		case '"':
			c.at = endOfString(c.text, c.at) - 1
			if depth == 0 {
				c.at++
				return c.text[from:c.at]
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // the end of a number or a word
				return c.text[from:c.at]
			}
			if depth--; depth == 0 {
				c.at++
				return c.text[from:c.at]
			}
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return c.text[from:c.at]
			}
		}
	}
	return c.text[from:]
}

// endOfString returns the index after the string that opens at i.
func endOfString(s string, i int) int {
	for from := i + 1; ; {
		end := from + strings.IndexByte(s[from:], '"')
		slashes := end
		for s[slashes-1] == '\\' {
			slashes--
		}
		if (end-slashes)%2 == 0 {
			return end + 1
		}
		from = end + 1
	}
}

// alias reads a string without copying it, if possible: it may keep the file in
// memory.
func (c *cursor) alias() string {
	raw := c.skip()
	return unescape(raw[1 : len(raw)-1])
}

// str reads a copy of a string; any other value reads as the empty string.
func (c *cursor) str() string {
	if c.peek() != '"' {
		c.skip()
		return ""
	}
	raw := c.skip()
	raw = raw[1 : len(raw)-1]
	if text := unescape(raw); len(text) != len(raw) {
		return text
	}
	return strings.Clone(raw)
}

// value reads any value like encoding/json. A number that is too large is null,
// as JavaScript writes it.
func (c *cursor) value() any {
	switch c.peek() {
	case '"':
		return c.str()
	case '{':
		o := map[string]any{}
		for key := range c.keys() {
			o[strings.Clone(key)] = c.value()
		}
		return o
	case '[':
		a := []any{}
		for range c.items() {
			a = append(a, c.value())
		}
		return a
	}
	switch word := c.skip(); word {
	case "true", "false":
		return word == "true"
	case "null":
		return nil
	default:
		n, err := strconv.ParseFloat(word, 64)
		if err != nil || math.IsInf(n, 0) {
			return nil
		}
		return n
	}
}

// unescape returns s itself if it has no escapes. Half a surrogate pair becomes
// U+FFFD, as in encoding/json.
func unescape(s string) string {
	next := strings.IndexByte(s, '\\')
	if next < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for next >= 0 {
		b.WriteString(s[:next])
		n := 2
		if s[next+1] == 'u' {
			var r rune
			r, n = escapedRune(s[next:])
			b.WriteRune(r)
		} else {
			b.WriteByte(plainEscape[s[next+1]])
		}
		s = s[next+n:]
		next = strings.IndexByte(s, '\\')
	}
	b.WriteString(s)
	return b.String()
}

// plainEscape maps the letter of each escape of JSON, except \u, to its character.
var plainEscape = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escapedRune reads \uXXXX, or two of them that are one character, and returns
// how many bytes it read.
func escapedRune(s string) (rune, int) {
	hex := func(s string) rune { n, _ := strconv.ParseUint(s[2:6], 16, 32); return rune(n) }
	r := hex(s)
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
		if pair := utf16.DecodeRune(r, hex(s[6:])); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}
