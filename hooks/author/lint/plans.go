package lint

import (
	"regexp"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/author/inspect"
	"minigem/hooks/config"
	"minigem/hooks/jsonc"
	"minigem/internal/text"
)

// plans checks what the engine's plan shows: matchers, shadowed hooks, order.
func (l *linter) plans() {
	for _, p := range l.Setup.Explain(nil, "", nil).Events {
		for _, h := range p.Hooks {
			l.matcher(p, h)
			l.shadow(h)
			for _, d := range h.Upstream {
				if slices.Contains(differences["HK024"], d.ID) && h.Dialect() != "claude" {
					l.add("HK024", h.File, h.Line, nil, "matcher %q: %s", h.Matcher, d.Text)
				}
			}
		}
		if p.Sequential {
			l.inTurn(p)
		}
	}
}

// matcher looks for matchers that match nothing, everything, or something else than was
// meant.
func (l *linter) matcher(p inspect.EventPlan, h inspect.HookPlan) {
	pattern := strings.TrimSpace(h.Matcher)
	if pattern == "" || pattern == "*" {
		return
	}
	at := l.matcherLine(h)
	if !p.Event.HasSubject() {
		if strings.Trim(pattern, ".*^$()+") == "" {
			return // it matches everything on purpose
		}
		l.add("HK023", h.File, at, nil, "matcher %q has no effect: %s has nothing to match", pattern, p.Event)
		return
	}
	if strings.Contains(pattern, "||") || strings.HasPrefix(pattern, "|") || strings.HasSuffix(pattern, "|") {
		l.add("HK064", h.File, at, nil, "matcher %q has an empty alternative, which matches everything", pattern)
	}
	if !p.Event.IsTool() && !p.Event.IsAgent() {
		return // the loader has checked the triggers
	}
	if glob.MatchString(pattern) {
		l.add("HK067", h.File, at, l.globFix(h),
			"matcher %q looks like a glob, but it is a regular expression: write %q", pattern, unglob(pattern))
	}
	if fault := hooks.Matcher(pattern).Fault(); fault != "" {
		l.add("HK020", h.File, at, nil, "matcher %q is not a regular expression, so it is compared literally: %s",
			pattern, fault)
		return
	}
	if p.Event.IsAgent() {
		return // users name their agents themselves
	}
	parts := []string{pattern}
	if inner := strings.Trim(pattern, "^$()"); len(h.Matches) > 0 && !strings.ContainsAny(inner, `()[]\`) {
		parts = strings.Split(inner, "|")
	}
	for _, part := range parts {
		if !plainWords(part) && config.MatchesNone(h.Dialect(), part) {
			l.add("HK022", h.File, at, nil, "matcher: %q matches none of the built-in tools%s", part,
				text.DidYouMean(config.Misspelled(strings.Trim(part, "^$.*"))))
		}
	}
	l.loose(h, pattern, at)
}

// glob finds a * that no regular expression would contain: at the beginning, or after a
// letter or an underscore.
var glob = regexp.MustCompile(`(^|[|(]|(?:^|[^\\])\w)\*`)

// unglob translates a glob to the regular expression that was probably meant.
func unglob(pattern string) string {
	return "^(" + glob.ReplaceAllString(strings.Trim(pattern, "^$"), "$1.*") + ")$"
}

// globFix returns a fix that rewrites h's matcher as a regular expression.
func (l *linter) globFix(h inspect.HookPlan) func(*fixer) error {
	doc := l.docs[h.File]
	if doc == nil {
		return nil
	}
	return func(f *fixer) error {
		f.changed[h.File] = doc
		return eachGroup(doc, func(g jsonc.Node) error {
			if m := g.Get("matcher"); m.Text() == h.Matcher {
				return m.Replace(unglob(strings.TrimSpace(h.Matcher)))
			}
			return nil
		})
	}
}

// plainWords reports whether a pattern consists of plain names. The loader reports
// those that no tool has.
func plainWords(pattern string) bool {
	return strings.Trim(pattern, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_- |") == ""
}

// loose finds matchers of plain names that also match other tools.
func (l *linter) loose(h inspect.HookPlan, pattern string, at int) {
	if !plainWords(pattern) || h.Dialect() == "claude" { // Claude Code matches plain names exactly
		return
	}
	words := strings.Split(strings.ReplaceAll(pattern, " ", ""), "|")
	var more []string
	for _, tool := range h.Matches {
		holds := slices.ContainsFunc(words, func(w string) bool { return w != tool && strings.Contains(tool, w) })
		if holds && !slices.Contains(words, tool) {
			more = append(more, tool)
		}
	}
	switch {
	case len(more) > 0:
		l.add("HK021", h.File, at, nil, "matcher %q is not anchored: it matches %s; ^(%s)$ matches these names alone",
			pattern, strings.Join(h.Matches, ", "), strings.Join(words, "|"))
	case len(h.Matches) > 0:
		l.add("HK028", h.File, at, nil, "matcher %q is not anchored: besides %s it matches any tool whose name contains it, "+
			"such as my_%s_x",
			pattern, strings.Join(h.Matches, ", "), words[0])
	}
}

// matcherLine returns the line of h's matcher.
func (l *linter) matcherLine(h inspect.HookPlan) int {
	doc := l.docs[h.File]
	if doc == nil {
		return h.Line
	}
	for _, event := range doc.Root().Get("hooks").Members() {
		for _, g := range event.Value.Elements() {
			for _, entry := range g.Get("hooks").Elements() {
				if entry.Line() == h.Line && g.Get("matcher").Text() == h.Matcher {
					return g.Get("matcher").Line()
				}
			}
		}
	}
	return h.Line
}

// shadow reports hooks that do not run because another one has the same name, and those
// other ones.
func (l *linter) shadow(h inspect.HookPlan) {
	if at := strings.Index(h.Skipped, "shadowed by"); at >= 0 {
		l.add("HK025", h.File, h.Line, nil, "%s: it does not run%s", h.Skipped[at:], exceptFor(h))
	}
	for _, w := range h.Warnings {
		if strings.HasPrefix(w, "shadows ") {
			l.add("HK025", h.File, h.Line, nil, "%s", w)
		}
	}
}

// exceptFor names the subjects for which a hook runs nevertheless.
func exceptFor(h inspect.HookPlan) string {
	if len(h.RunsFor) == 0 {
		return ""
	}
	return ", but for " + strings.Join(h.RunsFor, ", ")
}

// inTurn finds an event where one sequential hook makes hooks of other groups
// sequential too.
func (l *linter) inTurn(p inspect.EventPlan) {
	i := slices.IndexFunc(p.Hooks, func(h inspect.HookPlan) bool { return h.Order > 0 && h.Sequential })
	others := slices.ContainsFunc(p.Hooks, func(h inspect.HookPlan) bool { return h.Order > 0 && !h.Sequential })
	if i >= 0 && others {
		l.add("HK027", p.Hooks[i].File, p.Hooks[i].Line, nil,
			"\"sequential\" makes all hooks of %s that match run one after the other, including those of other groups", p.Event)
	}
}
