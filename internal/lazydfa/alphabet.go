package lazydfa

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// alphabet groups the characters that an expression cannot distinguish into classes.
type alphabet struct {
	firsts []rune // the first character of each class, which extends to the next class
	// column maps a byte that is a whole character to its class. All other bytes, parts
	// of longer characters and ends of lines, map to the column for a closer look.
	column [256]uint16
}

// maxWidth limits the columns of a table.
const maxWidth = 4096

// alphabetOf splits the characters wherever an instruction of prog does.
func alphabetOf(prog *syntax.Prog) alphabet {
	splits := []rune{0, '\n', '\n' + 1}
	split := func(first, last rune) { splits = append(splits, first, last+1) }
	for i := range prog.Inst {
		switch in := &prog.Inst[i]; in.Op {
		case syntax.InstRune, syntax.InstRune1:
			if len(in.Rune) == 1 {
				split(in.Rune[0], in.Rune[0])
				if syntax.Flags(in.Arg)&syntax.FoldCase != 0 {
					for r := unicode.SimpleFold(in.Rune[0]); r != in.Rune[0]; r = unicode.SimpleFold(r) {
						split(r, r)
					}
				}
				continue
			}
			for j := 0; j+1 < len(in.Rune); j += 2 {
				split(in.Rune[j], in.Rune[j+1])
			}
		case syntax.InstEmptyWidth: // \b distinguishes word characters
			split('0', '9')
			split('A', 'Z')
			split('_', '_')
			split('a', 'z')
		}
	}
	slices.Sort(splits)
	a := alphabet{firsts: slices.Compact(splits)}
	for b := range a.column {
		a.column[b] = uint16(min(a.width()-1, maxWidth))
		if b < utf8.RuneSelf && b != '\n' && b != '\r' {
			a.column[b] = uint16(min(a.class(rune(b)), maxWidth))
		}
	}
	return a
}

// class returns the class of a character.
func (a *alphabet) class(r rune) int {
	i, found := slices.BinarySearch(a.firsts, r)
	if !found {
		i--
	}
	return i
}

// end returns the class of the end of the text.
func (a *alphabet) end() int { return len(a.firsts) }

// width returns the number of columns: the classes, the end, and the closer look.
func (a *alphabet) width() int { return len(a.firsts) + 2 }

// one returns a character of a class, or -1 for the end.
func (a *alphabet) one(class int) rune {
	if class == a.end() {
		return -1
	}
	return a.firsts[class]
}
