package config

import (
	"slices"
	"strings"

	"minigem/hooks/protocol"

	"mvdan.cc/sh/v3/syntax"
)

// VariableUse is a use, in a command, of one of the variables that every hook gets
// ([protocol.Variables]).
type VariableUse struct {
	// Name is the variable's name, one of [protocol.Variables].
	Name string
	// Start and End are byte offsets in the command, from the dollar sign to after the
	// name or brace.
	Start int
	// End is after the last byte.
	End int
	// Short reports whether it is written $NAME, not ${NAME}.
	Short bool
	// Quoted reports whether it is in double quotes or in a here-document, where the
	// shell does not split its value.
	Quoted bool
}

// VariableUses finds the variables that every hook gets in a command for bash, in the
// order of the text. It returns nil if bash could not parse the command. Uses in single
// quotes, in arithmetic and in backquotes are left out.
func VariableUses(command string) []VariableUse {
	if !slices.ContainsFunc(protocol.Variables(), func(name string) bool { return strings.Contains(command, name) }) {
		return nil
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(command), "")
	if err != nil {
		return nil
	}
	f := useFinder{}
	f.in(file, false)
	slices.SortFunc(f.uses, func(a, b VariableUse) int { return a.Start - b.Start })
	return f.uses
}

// QuoteVariables returns command with double quotes around each unquoted use that
// [VariableUses] finds, so that a path with a space in it is one word for bash, as it is
// in Gemini CLI.
func QuoteVariables(command string) string {
	var at []int
	for _, u := range VariableUses(command) {
		if !u.Quoted {
			at = append(at, u.Start, u.End)
		}
	}
	slices.Sort(at)
	for _, i := range slices.Backward(at) {
		command = command[:i] + `"` + command[i:]
	}
	return command
}

// useFinder collects uses of variables.
type useFinder struct{ uses []VariableUse }

// in searches below n. Command substitutions start unquoted: what is in them is split,
// even if they are quoted themselves.
func (f *useFinder) in(n syntax.Node, quoted bool) {
	syntax.Walk(n, func(at syntax.Node) bool {
		if at == n {
			return true
		}
		switch at := at.(type) {
		case *syntax.DblQuoted:
			f.in(at, true)
			return false
		case *syntax.Redirect:
			f.redirect(at, quoted)
			return false
		case *syntax.CmdSubst:
			if !at.Backquotes {
				f.in(at, false)
			}
			return false
		case *syntax.ProcSubst:
			f.in(at, false)
			return false
		case *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause:
			return false
		case *syntax.ParamExp:
			if f.note(at, quoted) {
				f.in(at, true)
				return false
			}
		}
		return true
	})
}

// redirect searches the target of a redirection, and a here-document, in which nothing is
// split.
func (f *useFinder) redirect(r *syntax.Redirect, quoted bool) {
	if r.Word != nil {
		f.in(r.Word, quoted)
	}
	if r.Hdoc != nil {
		f.in(r.Hdoc, true)
	}
}

// note records p if it is a plain use of one of the variables, and reports whether it is.
func (f *useFinder) note(p *syntax.ParamExp, quoted bool) bool {
	if p.Param == nil || !slices.Contains(protocol.Variables(), p.Param.Value) || p.Excl || p.Length || p.Width {
		return false
	}
	f.uses = append(f.uses, VariableUse{p.Param.Value, int(p.Pos().Offset()), int(p.End().Offset()), p.Short, quoted})
	return true
}
