// Package lazydfa tells which lines of a text hold a match of a regular expression, at
// a few instructions a byte, for searches through many files. It only answers yes or
// no, exactly as package regexp would. Positions of matches and groups are left to
// package regexp. It is an automaton whose states are made on demand. An expression
// that would need too many states is passed to package regexp, so that time stays
// linear in the text, and memory below maxTable per goroutine.
package lazydfa

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"sync"
	"sync/atomic"
	"unicode/utf8"
)

// Matcher is a compiled expression. It is safe for concurrent use.
type Matcher struct {
	re   *regexp.Regexp
	prog *syntax.Prog
	alphabet

	free sync.Pool    // unused tables
	left atomic.Int64 // remaining cost of making states, see maxWork
}

// Compile compiles an expression of package regexp, with the same errors.
func Compile(expr string) (*Matcher, error) {
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	m := &Matcher{re: re, prog: prog}
	m.alphabet = alphabetOf(prog)
	if m.width() <= maxWidth {
		m.left.Store(maxWork)
	}
	return m, nil
}

// Match reports whether text, including newlines, contains a match.
func (m *Matcher) Match(text []byte) bool {
	t := m.take()
	if t == nil {
		return m.re.Match(text)
	}
	defer m.giveBack(t)
	at, ok := t.scan(text, 0, false)
	if !ok {
		return m.re.Match(text)
	}
	return at >= 0
}

// NextLine returns an offset in the first line of buf that contains a match, or -1 if
// there is none. It searches from the offset from, where a line must begin. Lines end
// with "\n" or "\r\n", which are not part of them.
func (m *Matcher) NextLine(buf []byte, from int) int {
	t := m.take()
	if t == nil {
		return m.slowLine(buf, from)
	}
	defer m.giveBack(t)
	at, ok := t.scan(buf, from, true)
	if !ok {
		return m.slowLine(buf, bytes.LastIndexByte(buf[:at], '\n')+1)
	}
	return at
}

// slowLine is NextLine using package regexp.
func (m *Matcher) slowLine(buf []byte, from int) int {
	for from < len(buf) {
		line, _, _ := bytes.Cut(buf[from:], []byte("\n"))
		if m.re.Match(bytes.TrimSuffix(line, []byte("\r"))) {
			return from
		}
		from += len(line) + 1
	}
	return -1
}

// take returns a table to work with, or nil if the expression is too complex for one.
func (m *Matcher) take() *table {
	left := m.left.Load()
	if left <= 0 {
		return nil
	}
	t, ok := m.free.Get().(*table)
	if !ok {
		t = newTable(m)
	}
	t.work, t.mayWork = 0, left
	return t
}

func (m *Matcher) giveBack(t *table) {
	m.left.Add(-t.work)
	m.free.Put(t)
}

// scan searches buf for a match from the offset from on, line by line or as a whole. It
// returns the offset at which it found one, or -1 if there is none. If ok is false, it
// gave up at that offset.
func (t *table) scan(buf []byte, from int, lines bool) (at int, ok bool) {
	if lines && from >= len(buf) {
		return -1, true
	}
	s := t.begin()
	for i := from; i < len(buf); {
		if s == matched {
			return i, true
		}
		if i, s = run(t.rows, &t.column, buf, i, s); i == len(buf) {
			break
		}
		if lines && endsLine(buf, i) {
			if t.step(s, t.end()) == matched {
				return i, true
			}
			if i = afterLine(buf, i); i == len(buf) {
				return -1, true
			}
			s = t.begin()
		} else {
			r, n := utf8.DecodeRune(buf[i:])
			s = t.step(s, t.class(r))
			i += n
		}
		if t.work > t.mayWork && s != matched {
			return i, false
		}
	}
	if s == matched || t.step(s, t.end()) == matched {
		return max(0, len(buf)-1), true
	}
	return -1, true
}

// run handles almost every byte. It stops at one that needs a closer look.
func run(rows []int32, column *[256]uint16, buf []byte, i int, s int32) (int, int32) {
	for ; i < len(buf); i++ {
		next := rows[int(s)+int(column[buf[i]])]
		if next < 0 {
			break
		}
		s = next
	}
	return i, s
}

// endsLine reports whether the line ends at buf[i].
func endsLine(buf []byte, i int) bool {
	return buf[i] == '\n' || buf[i] == '\r' && (i+1 == len(buf) || buf[i+1] == '\n')
}

// afterLine returns the start of the next line if a line ends at buf[i].
func afterLine(buf []byte, i int) int {
	if buf[i] == '\r' {
		i++
	}
	return min(i+1, len(buf))
}
