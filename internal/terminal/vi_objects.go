package terminal

// object returns the range of a text object: a word, quotes or brackets. around
// includes what surrounds it. ok is false if there is none.
func object(name rune, around bool, line []rune, pos int) (from, to int, ok bool) {
	switch name {
	case 'w', 'W':
		return wordObject(line, pos, name == 'W', around)
	case '"', '\'', '`':
		return quoted(name, around, line, pos)
	}
	pairs := map[rune][2]rune{
		'(': {'(', ')'}, ')': {'(', ')'}, 'b': {'(', ')'}, '[': {'[', ']'}, ']': {'[', ']'},
		'{': {'{', '}'}, '}': {'{', '}'}, 'B': {'{', '}'}, '<': {'<', '>'}, '>': {'<', '>'},
	}
	if pair, known := pairs[name]; known {
		return bracketed(pair, around, line, pos)
	}
	return 0, 0, false
}

// wordObject returns the word or the blanks under the cursor. around includes the
// blanks after it, or else those before it.
func wordObject(line []rune, pos int, big, around bool) (from, to int, ok bool) {
	if pos >= len(line) {
		return 0, 0, false
	}
	run := func(at int) (from, to int) {
		from, to = at, at+1
		for from > 0 && class(line[from-1], big) == class(line[at], big) {
			from--
		}
		for to < len(line) && class(line[to], big) == class(line[at], big) {
			to++
		}
		return from, to
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

// quoted returns the range of the quoted text at or after the cursor.
func quoted(quote rune, around bool, line []rune, pos int) (from, to int, ok bool) {
	open := -1
	for i := 0; i < len(line); i++ {
		switch {
		case line[i] == '\\':
			i++
		case line[i] != quote:
		case open < 0:
			open = i
		case i >= pos:
			if around {
				return open, i + 1, true
			}
			return open + 1, i, true
		default:
			open = -1
		}
	}
	return 0, 0, false
}

// bracketed returns the range inside the innermost brackets around the cursor.
func bracketed(pair [2]rune, around bool, line []rune, pos int) (from, to int, ok bool) {
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
		case line[to] == pair[1] && around:
			return from, to + 1, true
		case line[to] == pair[1]:
			return from + 1, to, true
		}
	}
	return 0, 0, false
}
