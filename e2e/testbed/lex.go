package testbed

import (
	"fmt"
	"strings"
)

// words splits a line of a script at blanks. Single quotes keep their content as it is.
// Double quotes do too, except for \" \\ \n and \t. Elsewhere a backslash is an ordinary
// character, so patterns need no escaping. A word that begins with # begins a comment.
func words(line string) ([]string, error) {
	var out []string
	var word strings.Builder
	inWord := false
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == ' ' || c == '\t':
			if inWord {
				out, inWord = append(out, word.String()), false
				word.Reset()
			}
		case c == '#' && !inWord:
			return out, nil
		case c == '\'' || c == '"':
			n, err := quoted(line[i:], &word)
			if err != nil {
				return nil, err
			}
			i, inWord = i+n-1, true
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	if inWord {
		out = append(out, word.String())
	}
	return out, nil
}

// quoted parses a quoted text at the start of s and returns its length, including the
// quotes.
func quoted(s string, to *strings.Builder) (int, error) {
	quote := s[0]
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return i + 1, nil
		case s[i] == '\\' && quote == '"' && i+1 < len(s):
			i++
			to.WriteString(unescape(s[i]))
		default:
			to.WriteByte(s[i])
		}
	}
	return 0, fmt.Errorf("unclosed %c", quote)
}

func unescape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case '"', '\\':
		return string(c)
	}
	return `\` + string(c)
}
