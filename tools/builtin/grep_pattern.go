package builtin

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"time"

	"github.com/dlclark/regexp2"
)

// linePattern finds the lines that a search is for. It is safe for concurrent
// use.
type linePattern struct {
	match   func(line []byte) bool // nil: a needle is a match
	needles []needle               // nil: there are none
	run     *byteRun               // where there are no needles; nil: every line is tried
	exclude func(line []byte) bool // nil: nothing is
}

// backtrackLimit bounds one try of an expression that Go's own engine, which
// needs no bound, does not know.
const backtrackLimit = time.Second

// compileLines makes a linePattern of expressions in JavaScript's syntax.
// exclude may be empty.
func compileLines(pattern, exclude string, fixed, caseSensitive bool) (*linePattern, error) {
	if fixed {
		pattern = regexp.QuoteMeta(pattern)
	}
	p := &linePattern{}
	match, tree, err := compileLine(pattern, caseSensitive)
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
	}
	if exclude != "" {
		p.exclude, _, err = compileLine(exclude, caseSensitive)
	}
	return p, err
}

// compileLine prefers Go's engine, whose time is linear in the text. What it
// refuses, lookarounds and back references above all, goes to one that
// backtracks; tree is nil then.
func compileLine(pattern string, caseSensitive bool) (match func([]byte) bool, tree *syntax.Regexp, err error) {
	goPattern, opts := pattern, regexp2.RegexOptions(regexp2.ECMAScript)
	if !caseSensitive {
		goPattern, opts = "(?i)"+pattern, opts|regexp2.IgnoreCase
	}
	if tree, err := syntax.Parse(goPattern, syntax.Perl); err == nil {
		if re, err := regexp.Compile(goPattern); err == nil {
			return re.Match, tree, nil
		}
	}
	js, err := regexp2.Compile(pattern, opts)
	if err != nil {
		return nil, nil, err
	}
	js.MatchTimeout = backtrackLimit
	return func(line []byte) bool {
		ok, err := js.MatchString(string(line))
		return ok && err == nil
	}, nil, nil
}

// scan calls found with the bounds of each matching line of buf, newline left
// out, until it returns false. buf begins at the start of a line.
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

func (p *linePattern) scanAll(buf []byte, found func(start, end int) bool) {
	for start := 0; start < len(buf); {
		end := start
		if p.run != nil {
			if end = p.run.next(buf, start); end == len(buf) {
				return
			}
			start += bytes.LastIndexByte(buf[start:end], '\n') + 1
		}
		end = indexByteFrom(buf, '\n', end)
		if p.wants(buf[start:end]) && !found(start, end) {
			return
		}
		start = end + 1
	}
}

func (p *linePattern) wants(line []byte) bool {
	line = bytes.TrimSuffix(line, []byte("\r"))
	return (p.match == nil || p.match(line)) && (p.exclude == nil || !p.exclude(line))
}
