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
	known := true
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
		default:
			known = false
		}
	}
	known = known && !bare.home && !(bare.brace && bare.separator)
	return Word{Text: b.String(), Known: known && !bare.pattern, Glob: known && bare.pattern}
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

// plainNumbers reports whether an arithmetic expression names no variable: the
// value of one is evaluated in turn, commands in it included.
func plainNumbers(x syntax.ArithmExpr) bool {
	plain := true
	syntax.Walk(x, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Lit:
			plain = plain && strings.Trim(n.Value, "0123456789") == ""
		case *syntax.SglQuoted, *syntax.DblQuoted, *syntax.ParamExp, *syntax.CmdSubst:
			plain = false
		}
		return true
	})
	return plain
}

// evaluates reports whether an expansion does more than to read a variable.
func evaluates(p *syntax.ParamExp) bool {
	switch {
	case p.Index != nil && !wholeArray(p.Index) && !plainNumbers(p.Index):
	case p.Slice != nil && !(plainOrNil(p.Slice.Offset) && plainOrNil(p.Slice.Length)):
	case p.Exp == nil:
		return false
	case p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull:
	case p.Exp.Op == syntax.OtherParamOps:
	default:
		return false
	}
	return true
}

func plainOrNil(x syntax.ArithmExpr) bool { return x == nil || plainNumbers(x) }

func wholeArray(x syntax.ArithmExpr) bool {
	w, ok := x.(*syntax.Word)
	return ok && (w.Lit() == "@" || w.Lit() == "*")
}

// arithmeticTest reports whether [[ ]] evaluates something as arithmetic.
func arithmeticTest(t *syntax.TestClause) bool {
	found := false
	syntax.Walk(t, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.BinaryTest:
			switch n.Op {
			case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
				found = true
			}
		case *syntax.UnaryTest:
			found = found || n.Op == syntax.TsVarSet || n.Op == syntax.TsRefVar
		case *syntax.ParamExp, *syntax.CmdSubst, *syntax.ArithmExp:
			found = true
		}
		return true
	})
	return found
}
