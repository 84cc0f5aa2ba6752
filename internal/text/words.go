package text

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
)

// Plural formats a counted noun: "1 hook", "2 hooks", "2 matches", "2 retries".
func Plural(n int, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "sh"), strings.HasSuffix(noun, "s"),
		strings.HasSuffix(noun, "x"):
		noun += "es"
	case len(noun) > 1 && strings.HasSuffix(noun, "y") && !strings.ContainsRune("aeiou", rune(noun[len(noun)-2])):
		noun = noun[:len(noun)-1] + "ies"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// longestWord is the length in bytes beyond which a word does not count as a typo.
const longestWord = 64

// Nearest returns the one of words that word is probably a misspelling of: it differs
// in case or separators, by up to three letters in long words and one in short ones, or
// it is cut off. If several are equally near, it returns the first. It returns "" if
// none is similar.
func Nearest(word string, words []string) string {
	if len(word) > longestWord {
		return ""
	}
	typed := fold(word)
	best, least := "", 2*len(typed)
	for _, w := range words {
		meant := fold(w)
		d := 2 * Distance(typed, meant)
		switch limit := 2 * slips(max(len(typed), len(meant))); {
		case d == 0:
			return w
		case isBeginning(typed, meant):
			d = min(d, 3) // farther than one letter, nearer than two
		case d > limit:
			continue
		}
		if d < least {
			best, least = w, d
		}
	}
	return best
}

// slips returns how many letters of an n-letter word may be wrong.
func slips(n int) int {
	switch {
	case n < 4:
		return 1
	case n < 9:
		return 2
	}
	return 3
}

// DidYouMean returns the end of a sentence that suggests word, `; did you mean "x"?`,
// or "" if word is empty.
func DidYouMean(word string) string {
	if word == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", word)
}

// None says that there is no thing called name, and what was probably meant. If no name
// is near, it ends with otherwise.
func None(thing, name string, there []string, otherwise string) string {
	return fmt.Sprintf("there is no %s %q%s", thing, name, cmp.Or(DidYouMean(Nearest(name, there)), otherwise))
}

// isBeginning reports whether typed is a prefix of meant. If typed is long, its last
// two letters may differ.
func isBeginning(typed, meant string) bool {
	n := 0
	for n < len(typed) && n < len(meant) && typed[n] == meant[n] {
		n++
	}
	return n == len(typed) && n > 1 || n >= 6 && n >= len(typed)-2
}

// fold removes case and separators, which people get wrong most often.
func fold(s string) string {
	return strings.Map(func(c rune) rune {
		if c == '_' || c == '-' || c == ' ' {
			return -1
		}
		return unicode.ToLower(c)
	}, s)
}

// Distance returns the edit distance of a and b in bytes: insertions, deletions,
// replacements, and swaps of neighbours.
func Distance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(last[j+1]+1, row[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}

// Word returns s as one word of a POSIX shell, in quotes.
func Word(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
