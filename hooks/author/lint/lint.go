// Package lint finds what is wrong with hooks before they are needed: entries that are
// left out, matchers that never match, programs that are missing or do not do what was
// meant, and what Gemini CLI 0.61 treats differently.
//
//	in := lint.Input{Setup: setup, Sections: sections, Path: os.Getenv("PATH")}
//	found := lint.Run(in)
//	err := lint.Fix(found, setup.Files) // optional
//	err = lint.Write(os.Stdout, "text", found, in.Scope(), nil)
//
// Each kind of finding has a code that does not change; see [Rules] and docs/LINT.md. The
// package runs no hook, and writes only to the files that [Fix] mends.
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
	// Error means that a hook does not run, or does nothing.
	Error Severity = "error"
	// Warning means that a hook probably does not do what was meant.
	Warning Severity = "warning"
	// Note is good to know. It does not change the exit code.
	Note Severity = "note"
)

// Finding is one thing that was found.
type Finding struct {
	// Code is the code of its [Rule], such as "HK001".
	Code string `json:"code"`
	// Severity is the rule's severity.
	Severity Severity `json:"severity"`
	// File is the absolute path of the settings file or program.
	File string `json:"file"`
	// Line counts from 1; 0 means the file as a whole.
	Line int `json:"line"`
	// Message says, in a sentence, what is wrong and what to do.
	Message string `json:"message"`
	// Fixable says that [Fix] can mend it.
	Fixable bool `json:"fixable,omitempty"`
	// Fixed says that [Fix] has mended it.
	Fixed bool `json:"fixed,omitempty"`

	fix func(*fixer) error
}

// Input is what to lint.
type Input struct {
	// Setup is the configuration; required.
	Setup *inspect.Setup
	// Sections has one entry per settings file, with its problems and notes.
	Sections []config.Section
	// Path is the variable PATH, for programs without a slash.
	Path string

	// For lists other agents on which the hooks should do the same.
	For []*agents.Agent
}

// Scope is what was examined.
type Scope struct {
	// Base is the folder to which paths in SARIF are relative.
	Base string `json:"-"`
	// Files counts the files that configure hooks and were read.
	Files int `json:"files"`
	// Hooks counts the hooks that were found.
	Hooks int `json:"hooks"`
}

// Scope returns what [Run] examines. It reads nothing: it counts what in.Setup holds.
func (in Input) Scope() Scope {
	s := Scope{Base: in.Setup.Place.Dir, Hooks: len(in.Setup.Config.Hooks)}
	for _, f := range in.Setup.Files {
		if f.Data != nil {
			s.Files++
		}
	}
	return s
}

// Run lints in and returns the findings, sorted by file, line and code, each once. If
// there is no hook and no other finding, it returns the finding HK018. It reads
// programs that hooks run, and changes nothing. The slice is the caller's.
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
		l.add("HK018", in.Setup.Place.Dir, 0, nil, "no hook was found in %s: nothing was checked",
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

// Bad reports whether any finding is more than a note and was not fixed. It decides
// about the exit code of "hooks lint".
func Bad(all []Finding) bool {
	return slices.ContainsFunc(all, func(f Finding) bool { return f.Severity != Note && !f.Fixed })
}

// linter collects findings. Files are parsed once.
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

// ruleOf returns the rule with the code, which must exist.
func ruleOf(code string) Rule {
	i := slices.IndexFunc(Rules, func(r Rule) bool { return r.Code == code })
	if i < 0 {
		panic("no rule has the code " + code)
	}
	return Rules[i]
}

// of are the facts of h's programs. They are read once for each command.
func (l *linter) of(h hooks.Hook) []program.Facts {
	f, ok := l.facts[h.Target()]
	if !ok {
		f = program.Read(h, l.Setup.Place)
		l.facts[h.Target()] = f
	}
	return f
}
