package terminal

import "strings"

// object returns the range of a text object: a word, quotes or brackets. around
// includes what surrounds it. ok is false if there is none.
func object(name rune, around bool, line []rune, pos int) (from, to int, ok bool) {
	switch name {
	case 'w', 'W':
		return wordObject(line, pos, name == 'W', around)
	case '"', '\'', '`':
		from, to, ok = quoted(name, line, pos)
	}
	for _, pair := range []string{"()b", "[]", "{}B", "<>"} {
		if strings.ContainsRune(pair, name) {
			from, to, ok = bracketed([]rune(pair), line, pos)
		}
	}
	if ok && around {
		from, to = from-1, to+1
	}
	return from, to, ok
}

// wordObject returns the word or the blanks under the cursor. around includes the
// blanks after it, or else those before it.
func wordObject(line []rune, pos int, big, around bool) (from, to int, ok bool) {
	if pos >= len(line) {
		return 0, 0, false
	}
	run := func(at int) (from, to int) {
		word := class(line[at], big)
		return past(line, at, -1, big, word) + 1, past(line, at, 1, big, word)
	}
	from, to = run(pos)
	switch {
	case !around:
	case to < len(line) && (class(line[to], big) == 0 || class(line[pos], big) == 0):
		_, to = run(to)
	case from > 0 && class(line[from-1], big) == 0:
		from, _ = run(from - 1)
	}
	return from, to, true
}

// quoted returns the range inside the quotes at or after the cursor.
func quoted(quote rune, line []rune, pos int) (from, to int, ok bool) {
	open := -1
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\':
			i++
		case line[i] != quote:
		case open < 0:
			open = i
		case i >= pos:
			return open + 1, i, true
		default:
			open = -1
		}
	}
	return 0, 0, false
}

// bracketed returns the range inside the innermost brackets around the cursor.
func bracketed(pair []rune, line []rune, pos int) (from, to int, ok bool) {
	if pos >= len(line) {
		return 0, 0, false
	}
	from, depth := pos, 0
	if line[pos] == pair[1] {
		from--
	}
	for ; from >= 0 && (line[from] != pair[0] || depth > 0); from-- {
		switch line[from] {
		case pair[1]:
			depth++
		case pair[0]:
			depth--
		}
	}
	if from < 0 {
		return 0, 0, false
	}
	depth = 0
	for to = from + 1; to < len(line); to++ {
		switch {
		case line[to] == pair[0]:
			depth++
		case line[to] == pair[1] && depth > 0:
			depth--
		case line[to] == pair[1]:
			return from + 1, to, true
		}
	}
	return 0, 0, false
}
