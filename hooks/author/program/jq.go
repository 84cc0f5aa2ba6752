package program

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// filter matches a jq filter that reads one field, or the first that exists of several.
var filter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^\s*\(?\s*((?:\.[A-Za-z_]\w*)+)\??` +
			`((?:\s*//\s*(?:(?:\.[A-Za-z_]\w*)+\??|empty|null|""|"[^"]*"))*)\s*\)?\s*(?:\|.*)?$`)
})

// path matches the beginning of a path in an expression of jq.
var path = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|//\s*)((?:\.[A-Za-z_]\w*)+)`)
})

// jq records the fields that a call of jq reads.
func (f *Facts) jq(c *syntax.CallExpr) {
	if paths := fieldsOf(words(c.Args[1:])); paths != nil {
		f.Fields = append(f.Fields, Field{int(c.Pos().Line()), paths})
	}
}

// fieldsOf returns the fields that jq reads from its input with these arguments, or nil
// if the filter is not a plain one.
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
