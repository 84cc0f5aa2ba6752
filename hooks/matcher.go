package hooks

import (
	"slices"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"
)

// matcher is a compiled expression in JavaScript's syntax, unanchored.
type matcher struct {
	literals []string // any of them, anywhere; nil: use re
	re       *regexp2.Regexp
	invalid  string // why the expression is none; literals then holds it whole
	whole    bool   // literals must be the whole name
	negative bool   // there is a negative look-around
}

// matchTimeout bounds one comparison. A name has a few dozen characters; only
// an expression that backtracks exponentially comes near.
const matchTimeout = 250 * time.Millisecond

// matcher compiles pattern once.
func (e *Engine) matcher(pattern string) *matcher {
	e.mu.Lock()
	defer e.mu.Unlock()
	if m := e.matchers[pattern]; m != nil {
		return m
	}
	if e.matchers == nil {
		e.matchers = map[string]*matcher{}
	}
	m := compile(pattern)
	e.matchers[pattern] = m
	return m
}

func compile(pattern string) *matcher {
	if !strings.ContainsAny(pattern, `\.+*?()[]{}^$`) {
		return &matcher{literals: strings.Split(pattern, "|")}
	}
	re, err := regexp2.Compile(pattern, regexp2.ECMAScript)
	if err != nil {
		return &matcher{literals: []string{pattern}, whole: true, invalid: err.Error()}
	}
	if slow(pattern) {
		re.MatchTimeout = matchTimeout
	}
	return &matcher{re: re, negative: strings.Contains(pattern, "(?!") || strings.Contains(pattern, "(?<!")}
}

// slow reports whether pattern could backtrack exponentially: a repeated group,
// a reference back, many repetitions. The clock that bounds a comparison costs
// a goroutine, so it is set only then.
func slow(pattern string) bool {
	for _, sign := range []string{")*", ")+", "){", `\1`, `\2`, `\k`} {
		if strings.Contains(pattern, sign) {
			return true
		}
	}
	return strings.Count(pattern, "*")+strings.Count(pattern, "+")+strings.Count(pattern, "{") > 4
}

// match reports whether name matches; an error means that it took too long.
func (m *matcher) match(name string) (bool, error) {
	switch {
	case m.whole:
		return slices.Contains(m.literals, name), nil
	case m.re != nil:
		return m.re.MatchString(name)
	}
	return slices.ContainsFunc(m.literals, func(l string) bool { return strings.Contains(name, l) }), nil
}
