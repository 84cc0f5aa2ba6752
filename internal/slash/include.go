package slash

import (
	"strings"
	"unicode"
)

// Includes returns the paths that text names with an "@", each once and without
// escapes. "\@" is not an include, and neither is an "@" inside a word
// (cli/ui/hooks/atCommandProcessor.ts).
func Includes(text string) []string {
	var out []string
	seen := map[string]bool{}
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		if runes[i] != '@' || i > 0 && !unicode.IsSpace(runes[i-1]) && !strings.ContainsRune(`"'([{<,;`, runes[i-1]) {
			continue
		}
		path, end := pathAt(runes, i+1)
		i = end - 1
		if path != "" && !seen[path] {
			seen[path] = true
			out = append(out, path)
		}
	}
	return out
}

// pathAt reads a path up to white space, a character that paths do not contain, or
// punctuation that ends a sentence. A backslash escapes the next character.
func pathAt(text []rune, at int) (path string, end int) {
	var b strings.Builder
	for at < len(text) {
		r := text[at]
		switch {
		case r == '\\' && at+1 < len(text):
			at++
			b.WriteRune(text[at])
		case unicode.IsSpace(r) || strings.ContainsRune(`,;!?()[]{}"'<>`, r):
			return b.String(), at
		case (r == '.' || r == ':') && (at+1 == len(text) || unicode.IsSpace(text[at+1])):
			return b.String(), at
		default:
			b.WriteRune(r)
		}
		at++
	}
	return b.String(), at
}
