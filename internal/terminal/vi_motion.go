package terminal

import "unicode"

// motion returns where a motion leads. inclusive means that an operator includes the
// character there. ok is false if r is not a motion, or leads nowhere.
func (v *vi) motion(r rune) (to int, inclusive, ok bool) {
	line, to := v.line, v.pos
	switch r {
	case '0':
		return 0, false, true
	case '^':
		return firstOf(line), false, true
	case '$':
		return max(len(line)-1, 0), true, true
	case ';':
		return v.found(v.find)
	case ',':
		return v.found([2]rune{swapCase(v.find[0]), v.find[1]})
	}
	for range v.times() {
		switch r {
		case 'h':
			to = max(to-1, 0)
		case 'l':
			to = min(to+1, len(line))
		case 'w', 'W':
			if v.operator == 'c' { // as vi does
				to, inclusive = wordEnd(line, to, r == 'W', true), true
			} else {
				to = nextWord(line, to, r == 'W')
			}
		case 'b', 'B':
			to = wordStart(line, to, r == 'B')
		case 'e', 'E':
			to, inclusive = wordEnd(line, to, r == 'E', false), true
		default:
			return 0, false, false
		}
	}
	return to, inclusive, true
}

// found returns where f, F, t or T leads.
func (v *vi) found(find [2]rune) (to int, inclusive, ok bool) {
	step, short := 1, 0
	switch find[0] {
	case 'F':
		step = -1
	case 't':
		short = -1
	case 'T':
		step, short = -1, 1
	case 'f':
	default:
		return 0, false, false
	}
	line, left := v.line, v.times()
	for i := v.pos + step; i >= 0 && i < len(line); i += step {
		if line[i] != find[1] {
			continue
		}
		if left--; left == 0 {
			return i + short, step > 0, true
		}
	}
	return 0, false, false
}

// class returns the class of a character. Words are runs of one class.
func class(r rune, big bool) int {
	switch {
	case r == newlineMark || unicode.IsSpace(r):
		return 0
	case big || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
		return 1
	}
	return 2
}

// past returns the first position from i on, in steps of step, that is not in a word of
// that class.
func past(line []rune, i, step int, big bool, word int) int {
	for i >= 0 && i < len(line) && class(line[i], big) == word {
		i += step
	}
	return i
}

func firstOf(line []rune) int { return past(line, 0, 1, true, 0) % max(len(line), 1) }

func nextWord(line []rune, i int, big bool) int {
	if i < len(line) {
		i = past(line, i, 1, big, class(line[i], big))
	}
	return past(line, i, 1, big, 0)
}

// wordEnd returns the position of the last character of a word. If the cursor is
// already there, it goes on to the next word, unless stay is set.
func wordEnd(line []rune, i int, big, stay bool) int {
	if !stay {
		i++
	}
	if i = past(line, i, 1, big, 0); i >= len(line) {
		return max(len(line)-1, 0)
	}
	return past(line, i, 1, big, class(line[i], big)) - 1
}

func wordStart(line []rune, i int, big bool) int {
	if i = past(line, i-1, -1, big, 0); i <= 0 {
		return 0
	}
	return past(line, i, -1, big, class(line[i], big)) + 1
}
