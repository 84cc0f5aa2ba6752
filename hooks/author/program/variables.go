package program

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// variable matches the beginning of a variable in a shell's text.
var variable = regexp.MustCompile(`\$\{?[A-Za-z_]`)

// SingleQuotedVariable reports whether a variable is in single quotes in command, where
// the shell does not expand it. It returns false if the command cannot be parsed.
func SingleQuotedVariable(command string) bool {
	file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	if err != nil {
		return false
	}
	found := false
	syntax.Walk(file, func(n syntax.Node) bool {
		if q, ok := n.(*syntax.SglQuoted); ok && variable.MatchString(q.Value) {
			found = true
		}
		return true
	})
	return found
}
