package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word finds the value of a word, as far as it does not depend on anything.
func word(w *syntax.Word) Word {
	var text strings.Builder
	known, glob := true, false
	for _, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			text.WriteString(escaped().ReplaceAllString(p.Value, "$1"))
			plain := escaped().ReplaceAllString(p.Value, "") // without escaped characters
			glob = glob || strings.ContainsAny(plain, "*?[")
			known = known && !special().MatchString(plain)
		case *syntax.SglQuoted:
			known = known && !p.Dollar
			text.WriteString(p.Value)
		case *syntax.DblQuoted:
			known = known && !p.Dollar
			for _, q := range p.Parts {
				lit, ok := q.(*syntax.Lit)
				if known = known && ok; ok {
					text.WriteString(quoted().ReplaceAllString(lit.Value, "$1"))
				}
			}
		default:
			known = false
		}
	}
	s := text.String()
	glob = glob && s != "["
	return Word{Text: s, Known: known && !glob, Glob: known && glob}
}

// special is what bash expands: a brace, and a tilde where a path may begin.
var special = option(`[{]|(^|[=:])~`)

// These match what a backslash may precede. $1 is what remains: nothing for an escaped
// newline.
var (
	escaped = option(`(?s)\\(?:\n|(.))`)
	quoted  = option("\\\\(?:\n|([$`\"\\\\]))")
)
