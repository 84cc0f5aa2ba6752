package agents

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"
)

// Matcher says how an agent's matchers find a tool.
type Matcher struct {
	// Kind: "regex" (anywhere in the name), "whole-regex" (all of the name),
	// "words-or-regex" (a list of whole names, or else a regular expression),
	// "regex-or-aliases" (anywhere in the name, or words that are aliases of it),
	// "none" (hooks have none), "unknown".
	Kind    string              `json:"kind" toml:"kind"`
	Case    bool                `json:"case,omitempty" toml:"case"` // upper and lower case differ
	Aliases map[string][]string `json:"aliases,omitempty" toml:"aliases"`
	// Words: lists of names are taken too, beside the regular expression.
	Words    bool     `json:"words,omitempty" toml:"words"`
	Invalid  string   `json:"invalid,omitempty" toml:"invalid"` // "never": an expression that is none never matches
	Evidence Evidence `json:"evidence,omitempty" toml:"evidence"`
}

// matchLimit bounds an expression that backtracks.
const matchLimit = 250 * time.Millisecond

// Fires reports whether a hook with this matcher fires for the tool that hooks
// of a call by name; known is false where that is unknown.
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

// search is JavaScript's test; an expression that is none matches nothing but
// itself.
func search(pattern, name string) bool {
	re, err := regexp2.Compile(pattern, regexp2.ECMAScript)
	if err != nil {
		return false
	}
	re.MatchTimeout = matchLimit
	ok, err := re.MatchString(name)
	return err == nil && ok
}
