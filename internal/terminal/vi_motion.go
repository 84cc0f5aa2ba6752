package terminal

import "unicode"

// motion returns where a motion leads. inclusive means that an operator includes the
// character there. ok is false if r is not a motion, or leads nowhere.
func (v *vi) motion(r rune, line []rune, pos int) (to int, inclusive, ok bool) {
	to = pos
	switch r {
	case '0':
		return 0, false, true
	case '^':
		return firstOf(line), false, true
	case '$':
		return max(len(line)-1, 0), true, true
	case ';':
		return v.found(v.find, line, pos)
	case ',':
		return v.found([2]rune{swapCase(v.find[0]), v.find[1]}, line, pos)
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
			return pos, false, false
		}
	}
	return to, inclusive, true
}

// found returns where f, F, t or T leads.
func (v *vi) found(find [2]rune, line []rune, pos int) (to int, inclusive, ok bool) {
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
		return pos, false, false
	}
	left := v.times()
	for i := pos + step; i >= 0 && i < len(line); i += step {
		if line[i] != find[1] {
			continue
		}
		if left--; left == 0 {
			return i + short, step > 0, true
		}
	}
	return pos, false, false
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

func firstOf(line []rune) int {
	for i, r := range line {
		if class(r, true) != 0 {
			return i
		}
	}
	return 0
}

func nextWord(line []rune, i int, big bool) int {
	if i < len(line) {
		for here := class(line[i], big); i < len(line) && class(line[i], big) == here && here != 0; {
			i++
		}
	}
	for i < len(line) && class(line[i], big) == 0 {
		i++
	}
	return i
}

// wordEnd returns the position of the last character of a word. If the cursor is
// already there, it goes on to the next word, unless stay is set.
func wordEnd(line []rune, i int, big, stay bool) int {
	if !stay {
		i++
	}
	for i < len(line) && class(line[i], big) == 0 {
		i++
	}
	if i >= len(line) {
		return max(len(line)-1, 0)
	}
	for here := class(line[i], big); i+1 < len(line) && class(line[i+1], big) == here; {
		i++
	}
	return i
}

func wordStart(line []rune, i int, big bool) int {
	i--
	for i > 0 && class(line[i], big) == 0 {
		i--
	}
	if i <= 0 {
		return 0
	}
	for here := class(line[i], big); i > 0 && class(line[i-1], big) == here; {
		i--
	}
	return i
}
