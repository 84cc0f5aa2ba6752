package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// word finds the value of a word, as far as it does not depend on anything.
func word(w *syntax.Word) Word {
	var text strings.Builder
	known, glob := true, false
	for i, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			s := unescaped(p.Value, "")
			text.WriteString(s)
			glob = glob || strings.ContainsAny(bare(p.Value), "*?[")
			known = known && !strings.Contains(bare(p.Value), "{") &&
				!(i == 0 && strings.HasPrefix(p.Value, "~") || strings.Contains(p.Value, "=~") || strings.Contains(p.Value, ":~"))
		case *syntax.SglQuoted:
			known = known && !p.Dollar
			text.WriteString(p.Value)
		case *syntax.DblQuoted:
			known = known && !p.Dollar
			for _, q := range p.Parts {
				lit, ok := q.(*syntax.Lit)
				if known = known && ok; ok {
					text.WriteString(unescaped(lit.Value, "$`\"\\\n"))
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

// unescaped takes away the backslashes before the characters in special; empty:
// before all. An escaped newline goes, too.
func unescaped(s, special string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && (special == "" || strings.IndexByte(special, s[i+1]) >= 0) {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// bare returns s without its escaped characters.
func bare(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i++
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
