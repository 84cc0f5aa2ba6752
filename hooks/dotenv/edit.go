package dotenv

import (
	"fmt"
	"slices"
	"strings"
)

// Edit returns text, the content of a .env file, with vars added at its end and all
// earlier lines of the same names removed. A variable with an empty value is only
// removed. The rest of the text stays as it is, except that line ends become \n and a
// byte order mark is dropped. Values are written without quotes: it is an error if one
// would not be read back as it is, for example because it contains "#" or a line break.
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
			return "", fmt.Errorf("the value of %s cannot be written to a .env file as it is", v.Name)
		}
	}
	return out, nil
}
