package hooks

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dlclark/regexp2/v2"

	"minigem/hooks/protocol"
)

// matcher is a compiled expression in JavaScript's syntax, unanchored.
type matcher struct {
	literals []string // match any of them, anywhere; nil means that re is used
	re       *regexp2.Regexp
	invalid  string // why the expression is invalid; literals then holds it whole
	whole    bool   // literals must be the whole name
	negative bool   // there is a negative look-around
}

// matchTimeout limits one comparison. A name has a few dozen characters, so only an
// expression that backtracks exponentially comes near it.
const matchTimeout = 250 * time.Millisecond

// matchers caches the compiled expressions of an engine. It is safe for concurrent use.
type matchers struct {
	mu       sync.Mutex
	compiled map[string]*matcher
}

// compile returns the compiled pattern from the cache.
func (ms *matchers) compile(pattern string) *matcher {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	if m := ms.compiled[pattern]; m != nil {
		return m
	}
	if ms.compiled == nil {
		ms.compiled = map[string]*matcher{}
	}
	m := compile(pattern)
	ms.compiled[pattern] = m
	return m
}

// compile compiles a pattern. Without special characters it is a list of literals, which
// is what most matchers are. An invalid expression is compared literally, as in Gemini
// CLI (core/hooks/hookPlanner.ts).
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

// match reports whether r's matcher accepts s, and if not, why.
func (ms *matchers) match(r *Run, s subject) (matched bool, why string) {
	pattern := strings.TrimSpace(r.Hook.Matcher)
	ev, d := r.Hook.Event, protocol.DialectOf(r.Hook.Dialect)
	if pattern == "" || pattern == "*" {
		if d.Lacks(ev, s.name) {
			return false, fmt.Sprintf("the agent it was written for has no %s with %q: name it in the matcher to get it", ev,
				s.name)
		}
		return true, ""
	}
	switch {
	case !ev.HasSubject():
		r.Warnings = append(r.Warnings, fmt.Sprintf("matcher %q has no effect: %s has nothing to match", pattern, ev))
		return true, ""
	case ev.IsTool():
		matched = ms.matchTool(r, pattern, s)
	case ev.IsAgent():
		if whole, ok := d.WholeNames(pattern); ok {
			matched = slices.Contains(whole, s.name)
		} else {
			matched = matchNames(r, ms.expression(r, pattern), pattern, []string{s.name})
		}
	default:
		matched = slices.ContainsFunc(strings.Split(pattern, "|"), func(t string) bool {
			t = strings.TrimSpace(t)
			return strings.EqualFold(t, s.name) || t != "" && t == d.Triggers[s.name]
		})
	}
	if !matched {
		return false, fmt.Sprintf("matcher %q does not match %q", pattern, s.name)
	}
	return true, ""
}

// matchTool reports whether pattern accepts a tool under any of its names. An MCP tool
// also has Claude Code's name and Gemini CLI's.
func (ms *matchers) matchTool(r *Run, pattern string, s subject) bool {
	d := protocol.DialectOf(r.Hook.Dialect)
	names := d.MatcherNames(s.name)
	if s.mcp != nil {
		names = append(names, "mcp__"+s.mcp.ServerName+"__"+s.mcp.ToolName, "mcp_"+s.mcp.ServerName+"_"+s.mcp.ToolName)
	}
	if whole, ok := d.WholeNames(pattern); ok {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(whole, n) })
	}
	m := ms.expression(r, pattern)
	if m.negative {
		// "Not X" would be true of one of X's other names.
		names = slices.DeleteFunc(names, func(n string) bool { return n != s.name && !strings.HasPrefix(n, "mcp_") })
	}
	return matchNames(r, m, pattern, names) || slices.Contains(strings.Split(pattern, "|"), protocol.ClassNames[s.name]) &&
		protocol.ClassNames[s.name] != ""
}

// expression compiles pattern, and warns in r if it is not valid.
func (ms *matchers) expression(r *Run, pattern string) *matcher {
	m := ms.compile(pattern)
	if m.invalid != "" {
		r.Warnings = append(
			r.Warnings, fmt.Sprintf("matcher %q is not a valid regular expression (%s): it is compared literally", pattern,
				m.invalid))
	}
	return m
}

// matchNames reports whether m matches one of names, or takes too long to say.
func matchNames(r *Run, m *matcher, pattern string, names []string) bool {
	for _, n := range names {
		ok, err := m.match(n)
		if err != nil {
			r.Warnings = append(r.Warnings, fmt.Sprintf("matcher %q took too long on %q and counts as a match", pattern, n))
			return true
		}
		if ok {
			return true
		}
	}
	return false
}
