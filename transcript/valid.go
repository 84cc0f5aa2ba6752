package transcript

import (
	"strings"

	"github.com/tidwall/gjson"
)

// valid reports whether line is JSON. Nearly all bytes of a session stand in a
// few long strings, so that they are checked by a tight loop and the library
// is given the rest, with empty strings in their place.
func valid(line string) bool {
	if len(line) < 512 {
		return gjson.Valid(line)
	}
	skeleton := make([]byte, 0, 512)
	for {
		open := strings.IndexByte(line, '"')
		if open < 0 {
			return gjson.ValidBytes(append(skeleton, line...))
		}
		end := validString(line[open+1:])
		if end < 0 {
			return false
		}
		skeleton = append(append(skeleton, line[:open]...), '"', '"')
		line = line[open+1+end:]
	}
}

// validString returns the index after the quote that closes the string which s
// is the rest of, -1 if it is not valid.
func validString(s string) int {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return i + 1
		case c < ' ':
			return -1
		case c == '\\':
			if i++; i == len(s) || !validEscape(s[i:]) {
				return -1
			}
		}
	}
	return -1
}

func validEscape(s string) bool {
	switch s[0] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
	default:
		return false
	}
	if len(s) < 5 {
		return false
	}
	for _, c := range []byte(s[1:5]) {
		if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F') {
			return false
		}
	}
	return true
}
