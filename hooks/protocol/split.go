package protocol

import (
	"encoding/json"
	"strings"
)

// rawField is one member of a JSON object, its value as it stands in the text.
type rawField struct {
	key, value string
	depth      int // of the value's nesting; 0: no array or object
}

// split takes a JSON object apart without looking into the values, so that one
// that cannot be read costs no other. The values are balanced, not valid.
func split(text string) (fields []rawField, ok bool) {
	rest, ok := strings.CutPrefix(text, "{")
	if !ok {
		return nil, false
	}
	if rest = blank(rest); strings.HasPrefix(rest, "}") {
		return nil, blank(rest[1:]) == ""
	}
	for {
		var f rawField
		if f, rest, ok = splitField(rest); !ok {
			return nil, false
		}
		fields = append(fields, f)
		switch {
		case strings.HasPrefix(rest, ","):
			rest = blank(rest[1:])
		case strings.HasPrefix(rest, "}"):
			return fields, blank(rest[1:]) == ""
		default:
			return nil, false
		}
	}
}

func splitField(text string) (f rawField, rest string, ok bool) {
	n := stringLength(text)
	if n == 0 || json.Unmarshal([]byte(text[:n]), &f.key) != nil {
		return f, "", false
	}
	if rest, ok = strings.CutPrefix(blank(text[n:]), ":"); !ok {
		return f, "", false
	}
	rest = blank(rest)
	n, f.depth = valueLength(rest)
	f.value = rest[:n]
	return f, blank(rest[n:]), n > 0
}

// blank skips JSON's white space.
func blank(text string) string { return strings.TrimLeft(text, " \t\r\n") }

// stringLength is that of the JSON string that text begins with; 0: none, or it
// never ends.
func stringLength(text string) int {
	if !strings.HasPrefix(text, `"`) {
		return 0
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// valueLength is that of the value that text begins with, and how deeply it is
// nested; 0: it never ends, or its brackets do not match.
func valueLength(text string) (length, depth int) {
	var open []byte // the brackets that are still to come
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			n := stringLength(text[i:])
			if n == 0 {
				return 0, 0
			}
			i += n - 1
		case '{', '[':
			open = append(open, c+2) // both are two before their closing one
			depth = max(depth, len(open))
			continue
		case '}', ']':
			if len(open) == 0 {
				return i, depth // of the object around it
			}
			if open[len(open)-1] != c {
				return 0, 0
			}
			open = open[:len(open)-1]
		case ',':
			if len(open) == 0 {
				return i, depth
			}
			continue
		default:
			continue
		}
		if len(open) == 0 {
			return i + 1, depth
		}
	}
	return 0, 0
}
