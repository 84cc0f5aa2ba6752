package protocol

import (
	"encoding/json"
	"strings"
)

// walk knows where the JSON objects and arrays in a text end, whatever surrounds them,
// and decodes objects.
type walk struct {
	text  string
	spans []span // by where the object or array begins
	steps int    // bytes looked at
}

// span is a JSON object or array. The zero span means that it is not valid.
type span struct {
	end   int32 // just after its closing bracket
	depth int32 // how deeply it is nested, itself included
}

// measure finds the spans of text in linear time. It goes from the last bracket to the
// first, so that the contents of an object are already known and can be skipped.
func measure(text string) *walk {
	last := strings.LastIndexAny(text, "{[")
	w := &walk{text: text, spans: make([]span, last+1)}
	for i := last; i >= 0; i-- {
		if text[i] == '{' || text[i] == '[' {
			w.spans[i] = w.container(i, nil)
		}
	}
	return w
}

// container returns the object or array that begins at i. visit, which may be
// nil, is called with each member of an object: its key, its value and where
// the value begins.
func (w *walk) container(i int, visit func(key, value string, at int)) (s span) {
	inObject, closing, deepest := w.text[i] == '{', w.text[i]+2, int32(0) // the closing bracket is two characters on
	if i = w.blank(i + 1); w.at(i) == closing {
		return span{int32(i + 1), 1}
	}
	for {
		key := i
		keyEnd := i
		if inObject {
			if keyEnd = w.str(i); keyEnd == 0 {
				return span{}
			}
			if i = w.blank(keyEnd); w.at(i) != ':' {
				return span{}
			}
			i = w.blank(i + 1)
		}
		value := i
		if i = w.value(i); i == 0 {
			return span{}
		}
		if value < len(w.spans) {
			deepest = max(deepest, w.spans[value].depth)
		}
		if visit != nil {
			visit(w.text[key:keyEnd], w.text[value:i], value)
		}
		i = w.blank(i)
		switch w.at(i) {
		case closing:
			return span{int32(i + 1), deepest + 1}
		case ',':
			i = w.blank(i + 1)
		default:
			return span{}
		}
	}
}

// members decodes the valid object at offset at, and keeps its order and its duplicates.
// In the outer object hookSpecificOutput is decoded the same way.
func (w *walk) members(at int, outer bool) (out []member) {
	seen := map[string]bool{}
	w.container(at, func(key, value string, at int) {
		var m member
		_ = json.Unmarshal([]byte(key), &m.key) // it is a valid string
		switch {
		case outer && m.key == "hookSpecificOutput" && value[0] == '{':
			m.value = w.members(at, false)
		case at < len(w.spans) && w.spans[at].depth > maxDepth:
			m.value = tooDeep
		case json.Unmarshal([]byte(value), &m.value) != nil:
			m.value = outOfRange
		}
		m.dup, seen[m.key] = seen[m.key], true
		out = append(out, m)
	})
	return out
}

// at returns the byte at i, or 0 at the end of the text.
func (w *walk) at(i int) byte {
	w.steps++
	if i < len(w.text) {
		return w.text[i]
	}
	return 0
}

// blank skips JSON's white space.
func (w *walk) blank(i int) int {
	for {
		switch w.at(i) {
		case ' ', '\t', '\r', '\n':
			i++
		default:
			return i
		}
	}
}

// value returns the end of the JSON value that begins at i, or 0.
func (w *walk) value(i int) (end int) {
	switch c := w.at(i); c {
	case '{', '[':
		return int(w.spans[i].end)
	case '"':
		return w.str(i)
	case 't':
		return w.word(i, "true")
	case 'f':
		return w.word(i, "false")
	case 'n':
		return w.word(i, "null")
	default:
		return w.number(i)
	}
}

// word returns the end of the literal word at i, or 0.
func (w *walk) word(i int, word string) (end int) {
	w.steps += len(word)
	if strings.HasPrefix(w.text[i:], word) {
		return i + len(word)
	}
	return 0
}

// str returns the end of the JSON string that begins at i, or 0.
func (w *walk) str(i int) (end int) {
	if w.at(i) != '"' {
		return 0
	}
	for i++; ; i++ {
		switch c := w.at(i); {
		case c == '"':
			return i + 1
		case c < ' ': // the end of the text, too
			return 0
		case c != '\\':
			continue
		}
		i++
		switch w.at(i) {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		case 'u':
			for range 4 {
				if i++; !strings.ContainsRune("0123456789abcdefABCDEF", rune(w.at(i))) {
					return 0
				}
			}
		default:
			return 0
		}
	}
}

// number returns the end of the JSON number that begins at i, or 0.
func (w *walk) number(i int) (end int) {
	if w.at(i) == '-' {
		i++
	}
	first := i
	if i = w.digits(i); i == 0 || w.text[first] == '0' && i > first+1 {
		return 0
	}
	if w.at(i) == '.' {
		if i = w.digits(i + 1); i == 0 {
			return 0
		}
	}
	if c := w.at(i); c != 'e' && c != 'E' {
		return i
	}
	if i++; w.at(i) == '+' || w.at(i) == '-' {
		i++
	}
	return w.digits(i)
}

// digits returns the end of the digits that begin at i, or 0.
func (w *walk) digits(i int) (end int) {
	first := i
	for c := w.at(i); '0' <= c && c <= '9'; c = w.at(i) {
		i++
	}
	if i == first {
		return 0
	}
	return i
}
