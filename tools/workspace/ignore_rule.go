package workspace

import (
	"bytes"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// rule is one line of an ignore file, in the syntax of gitignore(5).
type rule struct {
	keep    bool // began with "!", so that matches are not ignored
	dirOnly bool // ended with "/"
	path    bool // had a slash elsewhere: matches whole paths, not base names
	how     matching
	text    string // the pattern, in doublestar's syntax; for suffix without "*"
}

// matching says how a rule compares; most rules need no glob matching.
type matching int

// Only byGlob needs a glob matcher; the others compare strings.
const (
	byGlob matching = iota
	byEqual
	bySuffix // "*.log"
)

// parseRules reads an ignore file. Lines that gitignore(5) calls invalid match
// nothing.
func parseRules(data []byte) []rule {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	var rules []rule
	for line := range strings.Lines(string(data)) {
		if r, ok := parseRule(strings.TrimRight(line, "\r\n")); ok {
			rules = append(rules, r)
		}
	}
	return rules
}

// parseRule reads one line; ok is false for a comment, a blank line and an invalid
// pattern.
func parseRule(line string) (rule, bool) {
	line = trimSpaces(line)
	if line == "" || line[0] == '#' {
		return rule{}, false
	}
	var r rule
	if line[0] == '!' {
		r.keep, line = true, line[1:]
	}
	if strings.HasSuffix(line, "/") {
		r.dirOnly, line = true, line[:len(line)-1]
	}
	r.path = strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return rule{}, false
	}
	if rest, ok := strings.CutPrefix(line, "**/"); ok && !strings.Contains(rest, "/") {
		r.path, line = false, rest // the same thing, and cheaper
	}
	r.how, r.text = classify(line)
	return r, r.how != byGlob || doublestar.ValidatePattern(r.text)
}

// trimSpaces cuts trailing spaces that are not escaped.
func trimSpaces(s string) string {
	t := strings.TrimRight(s, " ")
	cut := len(t)
	for cut < len(s) && escaped(s, cut) {
		cut++
	}
	return s[:cut]
}

// escaped reports whether an odd number of backslashes precedes s[i].
func escaped(s string, i int) bool {
	n := 0
	for i > n && s[i-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}

// classify returns the cheapest way to compare with pattern p.
func classify(p string) (matching, string) {
	if !strings.ContainsAny(p, `*?[\`) {
		return byEqual, p
	}
	if rest, ok := strings.CutPrefix(p, "*"); ok && !strings.ContainsAny(rest, `*?[\/`) {
		return bySuffix, rest
	}
	// A trailing /** matches what is inside, not the directory itself; and
	// braces mean nothing to Git.
	if strings.HasSuffix(p, "/**") {
		p += "/*"
	}
	return byGlob, strings.NewReplacer(`\\`, `\\`, `\{`, `\{`, `\}`, `\}`, `{`, `\{`, `}`, `\}`).Replace(p)
}

// match compares a slash-separated path relative to the rule's directory; name
// is its last component.
func (r *rule) match(rel, name string, isDir bool) bool {
	if r.dirOnly && !isDir {
		return false
	}
	if !r.path {
		rel = name
	}
	switch r.how {
	case byEqual:
		return rel == r.text
	case bySuffix:
		return strings.HasSuffix(rel, r.text) && (!r.path || !strings.Contains(rel, "/"))
	}
	return doublestar.MatchUnvalidated(r.text, rel)
}

// ruleSet holds the rules of one file.
type ruleSet struct {
	rules        []rule
	names, paths *index // nil if there are few rules
	// base is the directory that the rules apply to, relative to the workspace
	// directory ("" for itself). If it is above the workspace directory, above
	// is the path from it to the workspace directory.
	base, above string
}

// verdict is what one file of rules says about a path. The next file is asked only if
// it is silent.
type verdict int

const (
	silent verdict = iota
	ignored
	kept
)

// newRuleSet reads an ignore file; nil if it has no rule.
func newRuleSet(data []byte) *ruleSet {
	rules := parseRules(data)
	if rules == nil {
		return nil
	}
	s := &ruleSet{rules: rules}
	s.names, s.paths, _ = indexed(rules)
	return s
}

// judge applies the rules to rel, relative to the workspace directory, whose
// last component is name. The last rule that matches wins.
func (s *ruleSet) judge(rel, name string, isDir bool) verdict {
	if s.base != "" {
		rel = strings.TrimPrefix(rel[len(s.base):], "/")
	}
	last := s.last(rel, name, isDir)
	switch {
	case last < 0:
		return silent
	case s.rules[last].keep:
		return kept
	}
	return ignored
}

// last returns the number of the last rule that matches, or -1.
func (s *ruleSet) last(rel, name string, isDir bool) int32 {
	if s.names != nil {
		match := func(i int32) bool { return s.rules[i].match(rel, name, isDir) }
		found := s.names.last(name, -1, match)
		if s.above != "" {
			rel = s.above + "/" + rel
		}
		return s.paths.last(rel, found, match)
	}
	above := s.above // not yet part of rel
	for i := len(s.rules) - 1; i >= 0; i-- {
		r := &s.rules[i]
		if r.path && above != "" {
			rel, above = above+"/"+rel, ""
		}
		if r.match(rel, name, isDir) {
			return int32(i)
		}
	}
	return -1
}
