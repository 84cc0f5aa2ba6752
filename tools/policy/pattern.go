package policy

import (
	"regexp"
	"strings"
	"sync"
)

// pattern is how the command lines begin that a commandRegex matches: the words of
// each alternative, as far as it has plain letters. A rule that holds back compares
// commands with it where words are not known, and where others may be run that
// cannot be read. No words: any line may match.
type pattern [][]string

var blanks = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\\[sb][+*]?| [+*]`) })

// patternOf reads the expression of a rule.
func patternOf(source string) pattern {
	if strings.Contains(source, "|") && strings.ContainsAny(source, `([\`) {
		return pattern{nil}
	}
	var p pattern
	for line := range strings.SplitSeq(source, "|") {
		line = strings.TrimLeft(blanks().ReplaceAllString(line, " "), "^.* ")
		if at := strings.IndexAny(line, `([{.?*+\$`); at >= 0 { // the word before may go on, or lack a letter
			line = line[:strings.LastIndexByte(line[:at], ' ')+1]
		}
		if line == "" || !isLetter(line[0]) {
			return pattern{nil}
		}
		p = append(p, strings.Fields(line))
	}
	return p
}
