package lint

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"minigem/internal/text"
)

// Formats lists the formats that [Write] knows. It must not be changed.
var Formats = []string{"text", "json", "sarif"}

// Write writes findings in one of [Formats], and what was examined. SARIF has version
// 2.1.0, and leaves out fixed findings. short, if not nil, shortens the paths in text.
// An unknown format is an error, and so is what w returns.
func Write(w io.Writer, format string, all []Finding, scope Scope, short func(string) string) error {
	switch format {
	case "json":
		return writeJSON(w, map[string]any{"findings": append([]Finding{}, all...), "scope": scope})
	case "sarif":
		return writeJSON(w, sarif(all, scope.Base))
	case "text":
		_, err := io.WriteString(w, lines(all, scope, short))
		return err
	}
	return fmt.Errorf("there is no format %q", format)
}

// writeJSON writes v, indented, with characters such as "<" as they are. The error is
// w's, or says that v has no JSON form.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// lines writes the findings for people, one a line, and then how many there are.
func lines(all []Finding, scope Scope, short func(string) string) string {
	var b strings.Builder
	counts := map[Severity]int{}
	fixable, fixed := 0, 0
	for _, f := range all {
		where := f.File
		if f.Line > 0 {
			where = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		state := ""
		switch {
		case f.Fixed:
			state, fixed = " (fixed)", fixed+1
		case f.Fixable:
			state, fixable = " (--fix)", fixable+1
		}
		if !f.Fixed {
			counts[f.Severity]++
		}
		fmt.Fprintf(&b, "%s: %s %s: %s%s\n", where, f.Severity, f.Code, text.VisibleLine(f.Message), state)
	}
	if len(all) == 0 {
		return fmt.Sprintf("no findings; checked %s\n", scope)
	}
	fmt.Fprintf(&b, "\n%s, %s, %s", text.Plural(counts[Error], "error"), text.Plural(counts[Warning], "warning"),
		text.Plural(counts[Note], "note"))
	if fixed > 0 {
		fmt.Fprintf(&b, "; %d fixed", fixed)
	}
	if fixable > 0 {
		fmt.Fprintf(&b, "; --fix can do %d of them", fixable)
	}
	fmt.Fprintf(&b, "; checked %s\nminigem hooks lint --explain CODE explains a finding\n", scope)
	if short == nil {
		return b.String()
	}
	return short(b.String())
}

// String returns, for example, "3 hooks in 2 files".
func (s Scope) String() string {
	return text.Plural(s.Hooks, "hook") + " in " + text.Plural(s.Files, "file")
}

// sarif is the Static Analysis Results Interchange Format, 2.1.0.
func sarif(all []Finding, base string) any {
	type m = map[string]any
	var rules, results []m
	for _, r := range Rules {
		rules = append(rules, m{
			"id": r.Code, "name": r.Name, "shortDescription": m{"text": r.Title}, "fullDescription": m{"text": r.Why},
			"help": m{"text": r.Do}, "defaultConfiguration": m{"level": string(r.Severity)},
		})
	}
	for _, f := range all {
		if f.Fixed {
			continue
		}
		physical := m{"artifactLocation": m{"uri": reference(base, f.File)}}
		if f.Line > 0 {
			physical["region"] = m{"startLine": f.Line}
		}
		results = append(results, m{
			"ruleId": f.Code, "level": string(f.Severity), "message": m{"text": f.Message},
			"locations": []m{{"physicalLocation": physical}},
		})
	}
	if results == nil {
		results = []m{}
	}
	return m{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []m{{"tool": m{"driver": m{"name": "minigem hooks lint", "rules": rules}}, "results": results}},
	}
}

// reference is file as a URI reference, relative to base if it lies there.
func reference(base, file string) string {
	if rel, ok := text.Below(base, file); ok {
		return (&url.URL{Path: filepath.ToSlash(rel)}).String()
	}
	path := filepath.ToSlash(file)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/x
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
