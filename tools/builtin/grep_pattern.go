package builtin

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"time"

	"github.com/dlclark/regexp2/v2"

	"minigem/internal/lazydfa"
)

// maxBacktracking limits what the search of one line may remember, in slots of
// 8 bytes.
const maxBacktracking = 4 << 20

// linePattern finds the lines that match a search. It is safe for concurrent
// use.
type linePattern struct {
	match   func(line []byte) bool // nil means that every candidate line is a match
	needles []needle               // may be nil
	run     *byteRun               // used without needles; may be nil
	lines   *lazydfa.Matcher       // used without needles and run; nil means that every line is tried
	exclude func(line []byte) bool // lines to leave out; may be nil
}

// backtrackLimit limits one try of an expression that needs a backtracking
// engine; Go's own engine needs no limit.
const backtrackLimit = time.Second

// compileLines compiles expressions in JavaScript's syntax. exclude may be empty. With
// fixed, pattern is plain text; exclude is an expression in any case. Errors come
// from the backtracking engine, which is tried last.
func compileLines(pattern, exclude string, fixed, caseSensitive bool) (*linePattern, error) {
	if fixed {
		pattern = regexp.QuoteMeta(pattern)
	}
	p := &linePattern{}
	match, lines, tree, err := compileLine(pattern, caseSensitive)
	if err != nil {
		return nil, err
	}
	p.match = match
	if tree != nil {
		ns, exact := needles(tree)
		if p.needles = ns; exact {
			p.match = nil
		}
		if ns == nil {
			p.run = findRun(tree)
		}
		if ns == nil && p.run == nil {
			p.lines, p.match = lines, nil
		}
	}
	if exclude != "" {
		p.exclude, _, _, err = compileLine(exclude, caseSensitive)
	}
	return p, err
}

// compileLine prefers Go's syntax, which takes time linear in the text. What
// Go's does not support, mostly lookarounds and back references, goes to a
// backtracking engine; lines and tree are nil then.
func compileLine(pattern string, caseSensitive bool) (match func([]byte) bool, lines *lazydfa.Matcher,
	tree *syntax.Regexp, err error) {
	goPattern, opts := pattern, regexp2.RegexOptions(regexp2.ECMAScript)
	if !caseSensitive {
		goPattern, opts = "(?i)"+pattern, opts|regexp2.IgnoreCase
	}
	if tree, err := syntax.Parse(goPattern, syntax.Perl); err == nil {
		if m, err := lazydfa.Compile(goPattern); err == nil {
			return m.Match, m, tree, nil
		}
	}
	js, err := regexp2.Compile(pattern, opts, regexp2.OptionMaxBacktrackingStackSize(maxBacktracking))
	if err != nil {
		return nil, nil, nil, err
	}
	js.MatchTimeout = backtrackLimit
	return func(line []byte) bool {
		ok, err := js.MatchString(string(line))
		return ok && err == nil
	}, nil, nil, nil
}

// scan calls found with the bounds of each matching line of buf, without its
// newline, until found returns false. buf begins at the start of a line.
func (p *linePattern) scan(buf []byte, found func(start, end int) bool) {
	if p.needles == nil {
		p.scanAll(buf, found)
		return
	}
	var space [maxNeedles]seeker
	seekers := space[:0]
	for _, n := range p.needles {
		seekers = append(seekers, n.in(buf))
	}
	for from := 0; from < len(buf); {
		at := len(buf)
		for i := range seekers {
			at = min(at, seekers[i].next(from))
		}
		if at == len(buf) {
			return
		}
		start := bytes.LastIndexByte(buf[from:at], '\n') + 1 + from
		end := indexByteFrom(buf, '\n', at)
		if p.wants(buf[start:end]) && !found(start, end) {
			return
		}
		from = end + 1
	}
}

// scanAll is scan without needles.
func (p *linePattern) scanAll(buf []byte, found func(start, end int) bool) {
	for from := 0; from < len(buf); {
		start, end := p.candidate(buf, from)
		if start < 0 {
			return
		}
		if p.wants(buf[start:end]) && !found(start, end) {
			return
		}
		from = end + 1
	}
}

// candidate returns the bounds of the next line at or after from that may
// match; start is negative if there is none.
func (p *linePattern) candidate(buf []byte, from int) (start, end int) {
	at := from
	switch {
	case p.run != nil:
		if at = p.run.next(buf, from); at == len(buf) {
			return -1, 0
		}
	case p.lines != nil:
		if at = p.lines.NextLine(buf, from); at < 0 {
			return -1, 0
		}
	}
	start = from + bytes.LastIndexByte(buf[from:at], '\n') + 1
	return start, indexByteFrom(buf, '\n', at)
}

// wants reports whether a candidate line is a match. A carriage return at its end does
// not belong to it.
func (p *linePattern) wants(line []byte) bool {
	line = bytes.TrimSuffix(line, []byte("\r"))
	return (p.match == nil || p.match(line)) && (p.exclude == nil || !p.exclude(line))
}
