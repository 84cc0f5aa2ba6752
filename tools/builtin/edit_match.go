package builtin

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// match is a range of a text and its replacement.
type match struct {
	start, end int // bytes
	text       string
}

// matches holds the matches of a strategy, in order and without overlap.
type matches struct {
	found []match
	note  string // remark for the model about how they were found
}

// findEdits looks for old in content; both have the same line ends. The
// strategies go from strict to lenient, and the first one that finds anything
// is used (core/tools/edit.ts).
func findEdits(content, old, new string) matches {
	for _, strategy := range []func(content, old, new string) matches{exact, flexible, tokens, fuzzy} {
		if m := strategy(content, old, new); len(m.found) > 0 {
			return m
		}
	}
	return matches{}
}

// apply returns content with the matches replaced. They must be in order and must not
// overlap.
func (m matches) apply(content string) string {
	var b strings.Builder
	done := 0
	for _, f := range m.found {
		b.WriteString(content[done:f.start])
		b.WriteString(f.text)
		done = f.end
	}
	b.WriteString(content[done:])
	return b.String()
}

// exact finds every occurrence of old as it is; new is put there as it is. Occurrences
// do not overlap: in "aaa", "aa" is found once.
func exact(content, old, new string) (m matches) {
	for from := 0; ; {
		i := strings.Index(content[from:], old)
		if i < 0 {
			return m
		}
		m.found = append(m.found, match{from + i, from + i + len(old), new})
		from += i + len(old)
	}
}

// line is one line of a text, without its newline.
type line struct {
	start, end int
	text       string
}

// splitLines returns the lines of content. A final newline is followed by an empty line.
func splitLines(content string) []line {
	var lines []line
	at := 0
	for s := range strings.SplitSeq(content, "\n") {
		lines = append(lines, line{at, at + len(s), s})
		at += len(s) + 1
	}
	return lines
}

// window returns the match of the n lines from i on. If old ends in a newline,
// the match includes the last line's newline.
func window(content string, lines []line, i, n int, old, new string) match {
	w := match{start: lines[i].start, end: lines[i+n-1].end, text: reindent(new, indentOf(lines[i].text))}
	if strings.HasSuffix(old, "\n") && w.end < len(content) {
		w.end++
	}
	return w
}

// flexible compares whole lines without surrounding space, and gives new the indentation
// of the first line that it found. Blank lines alone are not looked for.
func flexible(content, old, new string) (m matches) {
	wanted := strings.Split(strings.TrimSuffix(old, "\n"), "\n")
	for i := range wanted {
		wanted[i] = strings.TrimSpace(wanted[i])
	}
	if strings.Join(wanted, "") == "" {
		return m // it would match every blank line
	}
	lines := splitLines(content)
	for i := 0; i+len(wanted) <= len(lines); i++ {
		same := true
		for j, w := range wanted {
			if strings.TrimSpace(lines[i+j].text) != w {
				same = false
				break
			}
		}
		if same {
			m.found = append(m.found, window(content, lines, i, len(wanted), old, new))
			i += len(wanted) - 1
		}
	}
	return m
}

// delimiter matches the characters that are tokens by themselves.
var delimiter = regexp.MustCompile(`[():\[\]{}><=]`)

// tokens compares the words and brackets of old, with any space between them, starting
// at the beginning of a line. new gets the indentation that was found. The expression
// is made of old's words, so only its length can be a fault.
func tokens(content, old, new string) (m matches) {
	words := strings.Fields(delimiter.ReplaceAllString(old, " $0 "))
	if len(words) == 0 {
		return m
	}
	var pattern strings.Builder
	pattern.WriteString(`(?m)^[ \t]*`)
	for i, w := range words {
		if i > 0 {
			pattern.WriteString(gap(words[i-1], w))
		}
		pattern.WriteString(regexp.QuoteMeta(w))
	}
	if strings.HasSuffix(old, "\n") {
		pattern.WriteString(`[ \t]*\n`)
	}
	re, err := regexp.Compile(pattern.String())
	if err != nil {
		return m // too long for the regexp engine
	}
	for _, at := range re.FindAllStringIndex(content, -1) {
		indent := indentOf(content[at[0]:at[1]])
		m.found = append(m.found, match{at[0], at[1], reindent(new, indent)})
	}
	return m
}

// gap returns the expression for the space between two tokens: two words need
// some.
func gap(a, b string) string {
	last, first := []rune(a), []rune(b)
	if isWord(last[len(last)-1]) && isWord(first[0]) {
		return `\s+`
	}
	return `\s*`
}

// isWord reports whether two such runes next to each other are one token.
func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// Limits of fuzzy matching: texts shorter than fuzzyMinLength characters are too alike,
// and above fuzzyMaxWork it would take too long.
const (
	fuzzyMinLength = 10
	fuzzyMaxWork   = 4e8 // lines × length²
	fuzzyMaxScore  = 0.1
	fuzzySpaceCost = 0.1
)

// fuzzy finds windows of as many lines as old has that differ in at most a tenth of old's
// characters; of overlapping ones the best. Space counts a tenth. The model is told where
// the matches were.
func fuzzy(content, old, new string) (m matches) {
	lines := splitLines(content)
	target := []rune(strings.TrimSuffix(old, "\n"))
	if len(target) < fuzzyMinLength || float64(len(lines))*float64(len(target))*float64(len(target)) > fuzzyMaxWork {
		return m
	}
	type candidate struct {
		line  int
		score float64
	}
	n := strings.Count(string(target), "\n") + 1
	var candidates []candidate
	bare := withoutSpace(target)
	for i := 0; i+n <= len(lines); i++ {
		text := []rune(content[lines[i].start:lines[i+n-1].end])
		if s := fuzzyScore(text, target, bare); s <= fuzzyMaxScore {
			candidates = append(candidates, candidate{i, s})
		}
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(a.score, b.score) })
	var chosen []int
	for _, c := range candidates {
		if !slices.ContainsFunc(chosen, func(l int) bool { return max(l, c.line)-min(l, c.line) < n }) {
			chosen = append(chosen, c.line)
		}
	}
	slices.Sort(chosen)
	var where []string
	for _, i := range chosen {
		m.found = append(m.found, window(content, lines, i, n, old, new))
		where = append(where, lineRange(i+1, n))
	}
	if len(where) > 0 {
		m.note = fmt.Sprintf("Applied fuzzy match at %s.", strings.Join(where, ", "))
	}
	return m
}

// lineRange names n lines from first on, which counts from 1.
func lineRange(first, n int) string {
	if n == 1 {
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d-%d", first, first+n-1)
}

// fuzzyScore is the weighted edit distance of text and target, divided by
// target's length.
func fuzzyScore(text, target, bareTarget []rune) float64 {
	length := float64(len(target))
	bareText := withoutSpace(text)
	// A window beyond these limits is rejected: stop counting.
	limit := int(fuzzyMaxScore * length)
	bare := editDistance(bareText, bareTarget, limit)
	if bare > limit {
		return 1
	}
	all := editDistance(text, target, bare+int(length))
	return (float64(bare) + fuzzySpaceCost*float64(max(all-bare, 0))) / length
}

// withoutSpace returns a copy of r without white space.
func withoutSpace(r []rune) []rune {
	return slices.DeleteFunc(slices.Clone(r), unicode.IsSpace)
}

// editDistance is Levenshtein's distance, or some number above limit if the
// distance is above it.
func editDistance(a, b []rune, limit int) int {
	if d := len(a) - len(b); max(d, -d) > limit {
		return limit + 1
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, ra := range a {
		diagonal, best := row[0], i+1
		row[0] = i + 1
		for j, rb := range b {
			cost := diagonal
			if ra != rb {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
			best = min(best, cost)
		}
		if best > limit {
			return limit + 1
		}
	}
	return row[len(b)]
}

// reindent replaces the indentation of text's first line by indent, in all lines that
// have it. Blank lines stay as they are.
func reindent(text, indent string) string {
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	base := indentOf(lines[0])
	for i, l := range lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		lines[i] = indent + strings.TrimPrefix(l, base)
	}
	return strings.Join(lines, "\n")
}

// indentOf returns the indentation of s's first line.
func indentOf(s string) string {
	return s[:len(s)-len(strings.TrimLeft(s, " \t"))]
}
