package program

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// filter is one of jq that reads a field, or the first of several that is there.
var filter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^\s*\(?\s*((?:\.[A-Za-z_]\w*)+)\??` +
			`((?:\s*//\s*(?:(?:\.[A-Za-z_]\w*)+\??|empty|null|""|"[^"]*"))*)\s*\)?\s*(?:\|.*)?$`)
})

var path = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|//\s*)((?:\.[A-Za-z_]\w*)+)`)
})

// jq keeps which fields a call of it reads.
func (f *Facts) jq(c *syntax.CallExpr) {
	if paths := fieldsOf(words(c.Args[1:])); paths != nil {
		f.Fields = append(f.Fields, Field{int(c.Pos().Line()), paths})
	}
}

// fieldsOf are the fields that jq reads of its input with these arguments; nil:
// they are not plain.
func fieldsOf(args []string) [][]string {
	i := slices.IndexFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") })
	if i < 0 || slices.ContainsFunc(args[:i], func(a string) bool {
		return strings.HasPrefix(a, "--arg") || a == "-n" || a == "--null-input"
	}) {
		return nil
	}
	m := filter().FindStringSubmatch(args[i])
	if m == nil {
		return nil
	}
	var all [][]string
	for _, p := range path().FindAllStringSubmatch(m[1]+m[2], -1) {
		all = append(all, strings.Split(strings.TrimPrefix(p[1], "."), "."))
	}
	return all
}
