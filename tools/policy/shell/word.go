package shell

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word finds the value of a word, as far as it does not depend on anything.
func word(w *syntax.Word) Word {
	if w == nil {
		return Word{}
	}
	var b strings.Builder
	var bare unquoted
	known, piped := true, false
	for i, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			bare.read(&b, p.Value, i == 0)
		case *syntax.SglQuoted:
			known = known && !p.Dollar
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			text, ok := quoted(p)
			known = known && ok
			b.WriteString(text)
		case *syntax.ProcSubst:
			known, piped = false, true
		default:
			known = false
		}
	}
	if b.String() == "[" {
		bare.pattern = false // a command, for want of its end
	}
	known = known && !bare.home && !(bare.brace && bare.separator)
	return Word{Text: b.String(), Known: known && !bare.pattern, Glob: known && bare.pattern, Piped: piped}
}

// unread reports whether the parser left as text what bash expands, as it does
// within the parentheses of a regular expression.
func unread(w *syntax.Word) bool {
	for _, p := range w.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			continue
		}
		for i := 0; i < len(lit.Value); i++ {
			switch c := lit.Value[i]; {
			case c == '\\':
				i++
			case c == '`', (c == '$' || c == '<' || c == '>') && i+1 < len(lit.Value) && strings.IndexByte("({[", lit.Value[i+1]) >= 0:
				return true
			}
		}
	}
	return false
}

// unquoted notes what the shell would make of the unquoted parts of a word.
type unquoted struct {
	home             bool // a home directory
	pattern          bool // the files that match
	brace, separator bool // together: several words
}

// read writes s without its backslashes.
func (u *unquoted) read(b *strings.Builder, s string, first bool) {
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
			if i < len(s) && s[i] != '\n' {
				b.WriteByte(s[i])
			}
			continue
		case '*', '?', '[':
			u.pattern = true
		case '~':
			u.home = u.home || first && i == 0 || i > 0 && (s[i-1] == '=' || s[i-1] == ':')
		case '{':
			u.brace = true
		case ',':
			u.separator = true
		case '.':
			u.separator = u.separator || i > 0 && s[i-1] == '.'
		}
		b.WriteByte(s[i])
	}
}

func quoted(q *syntax.DblQuoted) (string, bool) {
	var b strings.Builder
	for _, p := range q.Parts {
		lit, ok := p.(*syntax.Lit)
		if !ok {
			return b.String(), false
		}
		for i := 0; i < len(lit.Value); i++ {
			c := lit.Value[i]
			if c == '\\' && i+1 < len(lit.Value) && strings.IndexByte("$`\"\\\n", lit.Value[i+1]) >= 0 {
				i++
				if c = lit.Value[i]; c == '\n' {
					continue
				}
			}
			b.WriteByte(c)
		}
	}
	return b.String(), !q.Dollar
}

// base is the name of a command without its folder.
func base(name string) string {
	if name == "" {
		return ""
	}
	return path.Base(name)
}

// standardName reports whether the name, being that of a well-known command,
// really is that command.
func standardName(name string) bool {
	dir := path.Dir(name)
	return !strings.Contains(name, "/") || dir == "/bin" || dir == "/usr/bin"
}

// harmless are variables that change no more than wording, colour or width.
var harmless = map[string]bool{
	"LANG": true, "LANGUAGE": true, "TZ": true, "NO_COLOR": true, "FORCE_COLOR": true, "CLICOLOR": true,
	"CLICOLOR_FORCE": true, "COLUMNS": true, "LINES": true, "CI": true, "NODE_ENV": true, "GOOS": true, "GOARCH": true,
	"CGO_ENABLED": true, "GOMAXPROCS": true, "RUST_BACKTRACE": true, "VERBOSE": true, "TERM": true,
}

// harmlessEnvironment: programs may heed any variable, so that only known ones
// are harmless.
func harmlessEnvironment(name string) bool {
	return harmless[name] || strings.HasPrefix(name, "LC_")
}

// harmlessVariable: a variable of the shell alone matters to a program only
// when it is exported already, which lower-case ones hardly are.
func harmlessVariable(name string) bool {
	if harmlessEnvironment(name) {
		return true
	}
	return name == strings.ToLower(name) && !strings.HasSuffix(name, "_proxy") && !strings.HasPrefix(name, "npm_")
}

// plainNumbers reports whether an arithmetic expression is made of numbers
// alone: the value of a variable is evaluated in turn, commands in it included.
func plainNumbers(x syntax.ArithmExpr) bool {
	plain := true
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case nil, *syntax.Word, *syntax.ArithmExp, *syntax.BinaryArithm, *syntax.UnaryArithm, *syntax.ParenArithm:
		case *syntax.Lit:
			plain = plain && strings.Trim(n.Value, "0123456789") == ""
		default:
			plain = false
		}
		return true
	})
	return plain
}

// evaluates reports whether an operator of an expansion does more than to give
// the value, or a part of it, or another one.
func evaluates(e *syntax.Expansion) bool {
	if e == nil {
		return false
	}
	switch e.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
		syntax.ErrorUnset, syntax.ErrorUnsetOrNull,
		syntax.RemSmallSuffix, syntax.RemLargeSuffix, syntax.RemSmallPrefix, syntax.RemLargePrefix,
		syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		return false
	}
	return true
}

func wholeArray(x syntax.ArithmExpr) bool {
	w, ok := x.(*syntax.Word)
	return ok && (w.Lit() == "@" || w.Lit() == "*")
}

// arithmeticTest reports whether an operator of [[ ]] evaluates its operands, or
// may do so for all that is known.
func arithmeticTest(t *syntax.TestClause) bool {
	found := false
	syntax.Walk(t, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryTest:
			switch n.Op {
			case syntax.TsReMatch, syntax.TsNewer, syntax.TsOlder, syntax.TsDevIno, syntax.TsMatchShort, syntax.TsMatch, syntax.TsNoMatch,
				syntax.TsBefore, syntax.TsAfter, syntax.AndTest, syntax.OrTest:
			default:
				found = true
			}
		case *syntax.UnaryTest:
			found = found || n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar
		}
		return true
	})
	return found
}

// readsNothing reports whether the words of [[ ]] stand there as they are.
func readsNothing(t *syntax.TestClause) bool {
	plain := true
	syntax.Walk(t, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ArithmExp, *syntax.ProcSubst:
			plain = false
		}
		return true
	})
	return plain
}
