package policy

import (
	"path"
	"regexp/syntax"
	"slices"
	"strings"

	"minigem/tools/policy/shell"
)

// pattern holds the known part of the command lines that a commandRegex matches: the
// words of each line, in order. A rule that denies or asks uses it for commands with
// unknown words, and for lines that may run other commands that cannot be read.
type pattern [][]string

// anything marks characters in a pattern that are not known: any number of them, blanks
// included. A star or question mark of the expression is read like that too, which errs
// on the side of the rule.
const anything = "*"

// mostLines limits the alternatives of a pattern. A pattern with more, or one that Go
// cannot parse, may match any line.
const mostLines = 64

// patternOf reads the expression of a rule.
func patternOf(source string) pattern {
	re, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return pattern{{anything}}
	}
	var p pattern
	for _, t := range expand(re.Simplify()) {
		p = append(p, wordsOf(t))
	}
	if p == nil {
		p = pattern{{anything}}
	}
	return p
}

// expand returns the texts that re matches, with anything for what is not known; nil if
// they are too many, or letters of any case.
func expand(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return []string{""}
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			return nil
		}
		return []string{string(re.Rune)}
	case syntax.OpCharClass:
		if n := len(re.Rune); n > 0 && re.Rune[n-1] <= ' ' {
			return []string{" "}
		}
		return []string{anything}
	case syntax.OpCapture:
		return expand(re.Sub[0])
	case syntax.OpPlus:
		if some := expand(re.Sub[0]); len(some) == 1 && some[0] == " " {
			return some
		}
	case syntax.OpAlternate:
		var out []string
		for _, sub := range re.Sub {
			some := expand(sub)
			if out = append(out, some...); some == nil || len(out) > mostLines {
				return nil
			}
		}
		return out
	case syntax.OpConcat:
		return concat(re.Sub)
	}
	return []string{anything}
}

// concat returns the texts that the parts match one after the other.
func concat(subs []*syntax.Regexp) []string {
	out := []string{""}
	for _, sub := range subs {
		some := expand(sub)
		if len(out)*len(some) > mostLines || some == nil {
			return nil
		}
		var next []string
		for _, head := range out {
			for _, tail := range some {
				next = append(next, head+tail)
			}
		}
		out = next
	}
	return out
}

// wordsOf takes a text apart. The folder of a program does not count.
func wordsOf(text string) []string {
	words := strings.Fields(text + " " + anything)
	if folder, name, ok := strings.Cut(words[0], "/"); ok && strings.Trim(folder, anything) == "" {
		words[0] = name
	}
	return words
}

// mentioned reports whether the text may run a line of p.
func (p pattern) mentioned(text string) bool {
	return slices.ContainsFunc(p, func(line []string) bool {
		var parts []string
		for _, word := range line {
			parts = append(parts, strings.SplitAfter(word, anything)...)
		}
		return shell.Mentions(text, parts)
	})
}

// fits reports whether words may be a line of p because some of them are unknown. If
// all are known, the expression itself has decided.
func (p pattern) fits(words []shell.Word) bool {
	known := !slices.ContainsFunc(words, func(w shell.Word) bool { return !w.Known })
	return !known && slices.ContainsFunc(p, func(line []string) bool { return fits(words, line) })
}

// fits compares words with a line as far as that is known.
func fits(words []shell.Word, line []string) bool {
	for i, want := range line {
		name := strings.TrimPrefix(want, anything)
		if i == 0 && len(name) > 1 && isLetter(name[0]) {
			want = name // ".*git push": the line need not be one command, but this is one
		}
		switch {
		case strings.Contains(want, anything):
			return true
		case i >= len(words):
			return false
		case !words[i].Known:
			return true
		case words[i].Text != want && (i > 0 || path.Base(words[i].Text) != want):
			return false
		}
	}
	return true
}
