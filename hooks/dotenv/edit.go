package dotenv

import (
	"fmt"
	"slices"
	"strings"
)

// Edit returns text, that of a .env file, with these variables in place of those
// of the same names; one with an empty value is removed. The rest of the text stays
// as it is, but for line ends. A value that needs quotes is an error: a quote that is not closed
// further up would end at one of them.
func Edit(text string, vars ...Var) (string, error) {
	var b strings.Builder
	text = unified(text)
	for rest := text; rest != ""; {
		before := rest
		var v Var
		var ok bool
		v, rest, ok = nextVar(rest)
		if !ok || !slices.ContainsFunc(vars, func(one Var) bool { return one.Name == v.Name }) {
			b.WriteString(before[:len(before)-len(rest)])
		}
	}
	out := b.String()
	for _, v := range vars {
		if v.Value == "" {
			continue
		}
		if out != "" && !strings.HasSuffix(out, "\n") {
			out += "\n"
		}
		out += v.Name + "=" + v.Value + "\n"
	}
	all := parse(out)
	for _, v := range vars {
		i := slices.IndexFunc(all, func(one Var) bool { return one.Name == v.Name })
		if v.Value != "" && (i < 0 || all[i] != v) {
			return "", fmt.Errorf("the value of %s cannot stand in a .env file as it is", v.Name)
		}
	}
	return out, nil
}
