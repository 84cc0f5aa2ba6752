package protocol

import "strings"

// extents says where the JSON objects and arrays of a text end, whatever is
// around them and whatever they are in.
type extents struct {
	text  string
	ends  []int // by where it begins: the end of the valid object or array there; 0: none
	steps int   // bytes looked at
}

// measure finds them in time linear in the text: it goes from the last bracket
// to the first, so that what an object holds is known before and stepped over.
func measure(text string) *extents {
	last := strings.LastIndexAny(text, "{[")
	e := &extents{text: text, ends: make([]int, last+1)}
	for i := last; i >= 0; i-- {
		if text[i] == '{' || text[i] == '[' {
			e.ends[i] = e.container(i)
		}
	}
	return e
}

// container is the end of the object or array that begins at i; 0: it is not valid.
func (e *extents) container(i int) (end int) {
	inObject, closing := e.text[i] == '{', e.text[i]+2 // both brackets are two before their closing one
	if i = e.blank(i + 1); e.at(i) == closing {
		return i + 1
	}
	for {
		if inObject {
			if i = e.str(i); i == 0 {
				return 0
			}
			if i = e.blank(i); e.at(i) != ':' {
				return 0
			}
			i = e.blank(i + 1)
		}
		if i = e.value(i); i == 0 {
			return 0
		}
		i = e.blank(i)
		switch e.at(i) {
		case closing:
			return i + 1
		case ',':
			i = e.blank(i + 1)
		default:
			return 0
		}
	}
}

// at is the byte at i; 0 at the end of the text.
func (e *extents) at(i int) byte {
	e.steps++
	if i < len(e.text) {
		return e.text[i]
	}
	return 0
}

// blank skips JSON's white space.
func (e *extents) blank(i int) int {
	for {
		switch e.at(i) {
		case ' ', '\t', '\r', '\n':
			i++
		default:
			return i
		}
	}
}

// value is the end of the JSON value that begins at i; 0: there is none.
func (e *extents) value(i int) (end int) {
	switch c := e.at(i); c {
	case '{', '[':
		return e.ends[i]
	case '"':
		return e.str(i)
	case 't':
		return e.word(i, "true")
	case 'f':
		return e.word(i, "false")
	case 'n':
		return e.word(i, "null")
	default:
		return e.number(i)
	}
}

func (e *extents) word(i int, word string) (end int) {
	e.steps += len(word)
	if strings.HasPrefix(e.text[i:], word) {
		return i + len(word)
	}
	return 0
}

// str is the end of the JSON string that begins at i; 0: there is none.
func (e *extents) str(i int) (end int) {
	if e.at(i) != '"' {
		return 0
	}
	for i++; ; i++ {
		switch c := e.at(i); {
		case c == '"':
			return i + 1
		case c < ' ': // the end of the text, too
			return 0
		case c != '\\':
			continue
		}
		i++
		switch e.at(i) {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		case 'u':
			for range 4 {
				if i++; !strings.ContainsRune("0123456789abcdefABCDEF", rune(e.at(i))) {
					return 0
				}
			}
		default:
			return 0
		}
	}
}

// number is the end of the JSON number that begins at i; 0: there is none.
func (e *extents) number(i int) (end int) {
	if e.at(i) == '-' {
		i++
	}
	first := i
	if i = e.digits(i); i == 0 || e.text[first] == '0' && i > first+1 {
		return 0
	}
	if e.at(i) == '.' {
		if i = e.digits(i + 1); i == 0 {
			return 0
		}
	}
	if c := e.at(i); c != 'e' && c != 'E' {
		return i
	}
	if i++; e.at(i) == '+' || e.at(i) == '-' {
		i++
	}
	return e.digits(i)
}

// digits is the end of the digits that begin at i; 0: there are none.
func (e *extents) digits(i int) (end int) {
	first := i
	for c := e.at(i); '0' <= c && c <= '9'; c = e.at(i) {
		i++
	}
	if i == first {
		return 0
	}
	return i
}
