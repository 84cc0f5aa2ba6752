package builtin

import (
	"math"
	"regexp/syntax"
	"unicode/utf8"
)

// byteRun lets a search without needles skip text: every match contains this number of
// bytes of the class in a row. "[0-9]{6}" is found by looking at every sixth byte.
type byteRun struct {
	class  [256]bool
	length int
}

// maxRun limits the length of a run.
const maxRun = 64

// usefulRun is the share of a text up to which such runs are worth searching
// for.
const usefulRun = 0.05

// share estimates how often the run occurs in a text.
func (r *byteRun) share() float64 {
	sum := 0.0
	for b, in := range r.class {
		if in && b < utf8.RuneSelf {
			sum += frequency(byte(b), false)
		}
	}
	return math.Pow(min(1, sum), float64(r.length))
}

// findRun returns the rarest run that every match of re contains, or nil if no run is
// rare enough to help.
func findRun(re *syntax.Regexp) *byteRun {
	r := runOf(re)
	if r == nil || r.share() > usefulRun {
		return nil
	}
	return r
}

// runOf returns a run that every match of re contains; nil if none is known.
func runOf(re *syntax.Regexp) *byteRun {
	switch re.Op {
	case syntax.OpCharClass:
		return classRun(re.Rune)
	case syntax.OpCapture, syntax.OpPlus:
		return runOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min < 1 {
			return nil
		}
		r := runOf(re.Sub[0])
		if r != nil && re.Sub[0].Op == syntax.OpCharClass {
			r.length = min(re.Min, maxRun)
		}
		return r
	case syntax.OpConcat:
		var best *byteRun
		for _, sub := range re.Sub {
			if r := runOf(sub); r != nil && (best == nil || r.share() < best.share()) {
				best = r
			}
		}
		return best
	}
	return nil
}

// classRun returns a run of the class's runes, given as pairs of first and
// last. Beyond ASCII every byte counts, which finds too much but misses
// nothing.
func classRun(ranges []rune) *byteRun {
	r := &byteRun{length: 1}
	for i := 0; i+1 < len(ranges); i += 2 {
		for c := ranges[i]; c <= min(ranges[i+1], utf8.RuneSelf-1); c++ {
			r.class[c] = true
		}
		if ranges[i+1] >= utf8.RuneSelf {
			for b := utf8.RuneSelf; b < 256; b++ {
				r.class[b] = true
			}
		}
	}
	r.class['\n'] = false // a match stays within a line
	return r
}

// next returns the index of the first run at or after from, or len(buf) if there is
// none.
func (r *byteRun) next(buf []byte, from int) int {
	for i := from + r.length - 1; i < len(buf); {
		if !r.class[buf[i]] {
			i += r.length
			continue
		}
		begin := i
		for begin > from && i-begin < r.length-1 && r.class[buf[begin-1]] {
			begin--
		}
		end := i + 1
		for end < len(buf) && end-begin < r.length && r.class[buf[end]] {
			end++
		}
		if end-begin >= r.length {
			return begin
		}
		i = end + r.length
	}
	return len(buf)
}
