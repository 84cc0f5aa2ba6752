package agents

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"
)

// Matcher says how an agent's matchers find a tool; see [Agent.Fires].
type Matcher struct {
	// Kind is one of
	//
	//	regex             a regular expression, found anywhere in the name
	//	whole-regex       a regular expression for the whole name
	//	words-or-regex    a list of whole names, or else a regular expression
	//	regex-or-aliases  a regular expression, or a list of aliases of the name
	//	none              hooks have no matchers
	//	unknown           nothing is known
	Kind string `json:"kind" toml:"kind"`
	// Case says that upper and lower case differ.
	Case bool `json:"case,omitempty" toml:"case"`
	// Aliases lists other names that matchers accept, by the tool's name for hooks.
	Aliases map[string][]string `json:"aliases,omitempty" toml:"aliases"`
	// Words says that lists of names are accepted, in addition to the regular expression.
	// It counts for "whole-regex" only.
	Words bool `json:"words,omitempty" toml:"words"`
	// Invalid says what an invalid expression does: "never" means that it never matches.
	Invalid string `json:"invalid,omitempty" toml:"invalid"`
	// Evidence says how all this is known; empty means as the rest of the table.
	Evidence Evidence `json:"evidence,omitempty" toml:"evidence"`
}

// matchLimit bounds an expression that backtracks.
const matchLimit = 250 * time.Millisecond

// Fires reports whether a hook with this matcher fires for a tool; name is the tool's
// [Tool.Hook]. known is false if that is unknown. An empty matcher and "*" always fire.
// An expression that takes longer than 250 ms does not.
func (a *Agent) Fires(matcher, name string) (fires, known bool) {
	m := a.Matcher
	if m.Kind == "unknown" || m.Kind == "" {
		return false, false
	}
	if m.Kind == "none" || matcher == "" || matcher == "*" {
		return true, true
	}
	names := append([]string{name}, m.Aliases[name]...)
	switch m.Kind {
	case "words-or-regex":
		if words, ok := wordList(matcher); ok {
			return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(names, w) }), true
		}
		return slices.ContainsFunc(names, func(n string) bool { return search(matcher, n) }), true
	case "regex-or-aliases":
		words, _ := wordList(matcher)
		return search(matcher, name) || slices.ContainsFunc(words, func(w string) bool {
			return slices.Contains(names[1:], w)
		}), true
	case "whole-regex":
		words, ok := wordList(matcher)
		return search("^(?:"+matcher+")$", name) || ok && m.Words && slices.ContainsFunc(words, func(w string) bool {
			return slices.Contains(names, w)
		}), true
	}
	return search(matcher, name), true
}

// wordy matches a matcher that may be a list of names.
var wordy = regexp.MustCompile(`^[A-Za-z0-9_\- ,|]+$`)

// wordList splits a matcher that is a list of names.
func wordList(matcher string) (words []string, ok bool) {
	if !wordy.MatchString(matcher) {
		return nil, false
	}
	for _, w := range strings.FieldsFunc(matcher, func(c rune) bool { return c == ',' || c == '|' }) {
		words = append(words, strings.TrimSpace(w))
	}
	return words, true
}

// search reports whether pattern matches somewhere in name, in JavaScript's syntax. An
// invalid expression matches nothing.
func search(pattern, name string) bool {
	re, err := regexp2.Compile(pattern, regexp2.ECMAScript)
	if err != nil {
		return false
	}
	re.MatchTimeout = matchLimit
	ok, err := re.MatchString(name)
	return err == nil && ok
}
