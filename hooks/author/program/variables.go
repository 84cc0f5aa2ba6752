package program

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// hookVariables are those that Gemini CLI replaces in the text of a command.
var hookVariables = []string{"GEMINI_PROJECT_DIR", "GEMINI_CWD", "GEMINI_PLANS_DIR", "CLAUDE_PROJECT_DIR"}

// Use is a variable in a command.
type Use struct {
	Name  string
	Start int // byte offsets in the command
	End   int
	Short bool // $NAME, not ${NAME}
}

// QuotedVariables are the hooks' variables that stand in double quotes without
// braces, where Gemini CLI puts quotes into quotes.
func QuotedVariables(command string) []Use {
	return variables(command, func(u Use, quoted bool) bool { return quoted && u.Short })
}

// BareVariables are the hooks' variables that stand without quotes, so that the
// shell splits their values at spaces.
func BareVariables(command string) []Use {
	return variables(command, func(_ Use, quoted bool) bool { return !quoted })
}

func variables(command string, want func(u Use, quoted bool) bool) []Use {
	file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	if err != nil {
		return nil
	}
	var out []Use
	note := func(p *syntax.ParamExp, quoted bool) {
		u := Use{p.Param.Value, int(p.Pos().Offset()), int(p.End().Offset()), p.Short}
		if slices.Contains(hookVariables, u.Name) && want(u, quoted) {
			out = append(out, u)
		}
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DblQuoted:
			for _, part := range n.Parts {
				if p, ok := part.(*syntax.ParamExp); ok {
					note(p, true)
				}
			}
			return false
		case *syntax.Assign: // not split
			return false
		case *syntax.ParamExp:
			note(n, false)
		}
		return true
	})
	return out
}

var variable = regexp.MustCompile(`\$\{?[A-Za-z_]`)

// SingleQuotedVariable reports whether a variable stands in single quotes,
// where the shell leaves it alone.
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
