package policy

import (
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"
)

// anything marks characters in a pattern that are not known: any number of them, blanks
// included. A star of the expression is read like that too, which errs on the side of the
// rule.
const anything = "*"

// mostLines limits the alternatives of a pattern; more may be anything.
const mostLines = 64

// folder matches what an expression says about the folder of a program: only its name
// counts.
var folder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[*/]+\b`) })

// patternOf returns the known words of the command lines that a commandRegex matches. A
// rule that denies or asks uses them for commands with unknown words, and for lines that
// may run other commands that cannot be read. An expression that Go cannot parse may match
// any line.
func patternOf(source string) (lines [][]string) {
	re, err := syntax.Parse(strings.NewReplacer(`\s+`, " ", `\s`, " ").Replace(source), syntax.Perl)
	if err != nil {
		return [][]string{{anything}}
	}
	for _, text := range expand(re.Simplify()) {
		var line []string
		for _, word := range strings.Fields(folder().ReplaceAllString(text, "") + " " + anything) {
			line = append(line, strings.SplitAfter(word, anything)...)
		}
		lines = append(lines, line)
	}
	return lines
}

// expand returns the texts that re matches, with anything for what is not known.
func expand(re *syntax.Regexp) []string {
	out := []string{""}
	switch op := re.Op; {
	case op == syntax.OpAlternate:
		out = nil
		for _, sub := range re.Sub {
			out = append(out, expand(sub)...)
		}
	case op == syntax.OpConcat, op == syntax.OpCapture:
		for _, sub := range re.Sub {
			var next []string
			tails := expand(sub)
			if len(out)*len(tails) > mostLines {
				return []string{anything}
			}
			for _, head := range out {
				for _, tail := range tails {
					next = append(next, head+tail)
				}
			}
			out = next
		}
	case op == syntax.OpLiteral && re.Flags&syntax.FoldCase == 0:
		return []string{string(re.Rune)}
	case op < syntax.OpBeginLine || op > syntax.OpNoWordBoundary: // between these, what has no width
		return []string{anything}
	}
	if len(out) > mostLines {
		return []string{anything}
	}
	return out
}
