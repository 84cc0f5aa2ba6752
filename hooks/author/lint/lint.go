// Package lint finds what is wrong with hooks before they are needed: entries
// that are left out, matchers that never match, programs that are not there or
// do not do what was meant, and what Gemini CLI 0.61 takes otherwise. Each kind
// of finding has a code that does not change, see Rules and docs/LINT.md.
//
// The package runs nothing. It prints nothing either: see Text, JSON and SARIF.
package lint

import (
	"cmp"
	"fmt"
	"slices"

	"minigem/hooks"
	"minigem/hooks/agents"
	"minigem/hooks/author/inspect"
	"minigem/hooks/author/program"
	"minigem/hooks/config"
	"minigem/hooks/jsonc"
	"minigem/internal/text"
)

// Severity says how bad a finding is.
type Severity string

const (
	Error   Severity = "error"   // a hook does not run, or does nothing
	Warning Severity = "warning" // it probably does not do what was meant
	Note    Severity = "note"    // good to know; no reason for an exit code
)

// Finding is one thing that was found.
type Finding struct {
	Code     string   `json:"code"`
	Severity Severity `json:"severity"`
	File     string   `json:"file"`
	Line     int      `json:"line"` // from 1; 0: the file as a whole
	Message  string   `json:"message"`
	Fixable  bool     `json:"fixable,omitempty"`
	Fixed    bool     `json:"fixed,omitempty"`

	fix func(*fixer) error
}

// Input is what is linted.
type Input struct {
	Setup    *inspect.Setup
	Sections []config.Section // one a file
	Path     string           // PATH, for programs without a slash

	For []*agents.Agent // other agents on which the hooks are to do the same
}

// Scope is what was looked at.
type Scope struct {
	Base  string `json:"-"`     // the folder that files are named relative to in SARIF
	Files int    `json:"files"` // those that configure hooks, and were read
	Hooks int    `json:"hooks"`
}

// Scope says what Run looks at.
func (in Input) Scope() Scope {
	s := Scope{Base: in.Setup.Place.Dir, Hooks: len(in.Setup.Config.Hooks)}
	for _, f := range in.Setup.Files {
		if f.Data != nil {
			s.Files++
		}
	}
	return s
}

// Run lints in and returns what it found, sorted by file and line, each finding
// once.
func Run(in Input) []Finding {
	l := &linter{Input: in, docs: map[string]*jsonc.Doc{}, facts: map[string][]program.Facts{}}
	for _, f := range in.Setup.Files {
		if f.Data == nil {
			continue
		}
		if doc, err := jsonc.Parse(f.Path, f.Data); err == nil {
			l.docs[f.Path] = doc
		}
	}
	for _, s := range in.Sections {
		l.section(s)
	}
	l.unread()
	if scope := in.Scope(); scope.Hooks == 0 && len(l.found) == 0 {
		l.add("HK018", in.Setup.Place.Dir, 0, nil, "no hook was found in %s: nothing was looked at",
			text.Plural(scope.Files, "file"))
	}
	l.plans()
	for _, h := range in.Setup.Config.Hooks {
		l.command(h)
		l.programs(h)
		for _, a := range in.For {
			l.elsewhere(h, a)
		}
	}
	l.disabledNames()
	slices.SortStableFunc(l.found, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Message, b.Message))
	})
	return slices.CompactFunc(l.found, func(a, b Finding) bool {
		return a.File == b.File && a.Line == b.Line && a.Code == b.Code && a.Message == b.Message
	})
}

// Bad reports whether any finding is more than a note, and was not fixed.
func Bad(all []Finding) bool {
	return slices.ContainsFunc(all, func(f Finding) bool { return f.Severity != Note && !f.Fixed })
}

type linter struct {
	Input
	docs  map[string]*jsonc.Doc // by file, those with no syntax error
	facts map[string][]program.Facts
	found []Finding
}

// add notes a finding of the rule with this code; fix may be nil.
func (l *linter) add(code, file string, line int, fix func(*fixer) error, format string, args ...any) {
	l.found = append(l.found, Finding{
		Code: code, Severity: ruleOf(code).Severity, File: file, Line: line,
		Message: fmt.Sprintf(format, args...), Fixable: fix != nil, fix: fix,
	})
}

func ruleOf(code string) Rule {
	i := slices.IndexFunc(Rules, func(r Rule) bool { return r.Code == code })
	if i < 0 {
		panic("no rule has the code " + code)
	}
	return Rules[i]
}

// of are the facts of h's programs.
func (l *linter) of(h hooks.Hook) []program.Facts {
	f, ok := l.facts[h.Target()]
	if !ok {
		f = program.Read(h, l.Setup.Place)
		l.facts[h.Target()] = f
	}
	return f
}
