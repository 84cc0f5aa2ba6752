package lint

import (
	"fmt"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/claude"
	"minigem/hooks/config"
	"minigem/hooks/elsewhere"
	"minigem/hooks/jsonc"
	"minigem/internal/text"
)

// ruleOfRemark says which rule a remark of the loader belongs to: the first whose text
// is in it.
var ruleOfRemark = []struct{ text, code string }{
	{"there is no event", "HK001"},
	{"no built-in tool is called", "HK003"},
	{"is what early documents call", "HK024"},
	{" never has ", "HK004"},
	{"has no field", "HK005"},
	{"has the type", "HK007"},
	{`has no "type"`, "HK007"},
	{"has the unknown type", "HK007"},
	{`needs "command"`, "HK008"},
	{`needs "url"`, "HK008"},
	{`needs "prompt"`, "HK008"},
	{`needs "server" and "tool"`, "HK008"},
	{`has a "url" that is not one`, "HK008"},
	{"without encryption", "HK069"},
	{"are written for Claude Code", "HK019"},
	{"PreCompress cannot block", "HK019"},
	{"Notification runs for permission prompts", "HK019"},
	{"has an empty command", "HK008"},
	{"NUL character, which no shell takes", "HK008"},
	{"skipped", "HK006"},
	{"must be an array of groups", "HK006"},
	{"is an older name", "HK010"},
	{"occurs twice", "HK011"},
	{"timeout is in milliseconds", "HK012"},
	{"Gemini CLI cannot read", "HK013"},
	{"should be a", "HK014"},
	{"not UTF-8", "HK016"},
}

// section takes over what the loader said of a file.
func (l *linter) section(s config.Section) {
	for _, p := range slices.Concat(s.Problems, s.Notes) {
		code := codeOf(p, "HK009")
		if isClaudes(code, p.Text) {
			code = "HK002"
		}
		l.add(code, p.File, p.Line, l.settingsFix(code, p), "%s", p.Text)
	}
	told := map[string]bool{} // once a file
	for _, h := range s.Hooks {
		for _, f := range []struct {
			used       bool
			difference string
		}{{h.OnError != "", "on-error"}, {h.Dialect != "", "dialect"}, {h.Dialect == "" && h.Args != nil, "args"},
			{h.Dialect == "" && h.Once, "once"}, {h.Dialect == "" && h.Async, "async"},
			{h.Dialect == "" && h.Kind() != "command", "kind"}, {h.Dialect == "" && h.Event.IsAdded(), "event-added"},
			{h.Dialect == "" && elsewhere.NamesAddedTrigger(h), "trigger-added"}} {
			if f.used && !(told[f.difference] && (f.difference == "dialect" || f.difference == "event-added")) {
				told[f.difference] = true
				l.add("HK015", h.Source.File, h.Source.Line, nil, "%s", elsewhere.DifferenceByID(f.difference))
			}
		}
	}
	for _, f := range []struct {
		value           int
		key, difference string
	}{{s.MaxRetries, "maxRetries", "max-retries"}, {s.BlockedExitCode, "blockedExitCode", "blocked-exit-code"}} {
		if doc := l.docs[s.File]; doc != nil && f.value > 0 {
			l.add("HK015", s.File, doc.Root().Get("hooksConfig", f.key).Line(), nil, "%s",
				elsewhere.DifferenceByID(f.difference))
		}
	}
}

// codeOf is the rule that a remark belongs to.
func codeOf(p hooks.Problem, otherwise string) string {
	for _, t := range ruleOfRemark {
		if strings.Contains(p.Text, t.text) {
			return t.code
		}
	}
	return otherwise
}

// unread reports files that could not be read, so that no section is there for
// them, and of what is wrong with all files together.
func (l *linter) unread() {
	for _, p := range l.Setup.Config.Problems {
		if !slices.ContainsFunc(l.Sections, func(s config.Section) bool { return slices.Contains(s.Problems, p) }) {
			l.add(codeOf(p, "HK017"), p.File, p.Line, nil, "%s", p.Text)
		}
	}
}

// isClaudes: the name that nothing has is one of Claude Code's.
func isClaudes(code, text string) bool {
	if code != "HK001" && code != "HK003" {
		return false
	}
	_, rest, _ := strings.Cut(text, `"`)
	name, _, _ := strings.Cut(rest, `"`)
	return claude.Event(name) != "" || claude.Tool(name) != ""
}

// settingsFix changes the document, or is nil where the right value is not clear.
func (l *linter) settingsFix(code string, p hooks.Problem) func(*fixer) error {
	doc := l.docs[p.File]
	if doc == nil {
		return nil
	}
	edit := func(change func() error) func(*fixer) error {
		return func(f *fixer) error { f.changed[p.File] = doc; return change() }
	}
	switch code {
	case "HK001", "HK002":
		if from, to := names(p.Text); to != "" && strings.HasPrefix(p.Text, "there is no event") &&
			!doc.Root().Get("hooks", to).Exists() {
			return edit(func() error { doc.Root().Get("hooks").Rename(from, to); return nil })
		}
		return l.matcherFix(p, edit)
	case "HK003":
		if wrong, _ := names(p.Text); config.ToolAlias(wrong) != "" { // another name may mean anything
			return l.matcherFix(p, edit)
		}
	case "HK007":
		if strings.Contains(p.Text, `it is written "command"`) {
			return edit(func() error { return fixTypes(doc, p.Line) })
		}
	case "HK010":
		return edit(func() error { return fixOlder(doc) })
	case "HK012":
		return edit(func() error { return fixTimeouts(doc, p.Line) })
	case "HK013":
		if doc.BOM && strings.Contains(p.Text, "byte order mark") {
			return edit(func() error { doc.BOM = false; return nil })
		}
	case "HK014":
		if strings.Contains(p.Text, "timeout should be") {
			return edit(func() error { return fixTimeoutText(doc, p.Line) })
		}
	}
	return nil
}

// names are what stands in quotes in a remark: the wrong name and, where there
// is one, the right one.
func names(text string) (wrong, right string) {
	parts := strings.Split(text, `"`)
	if len(parts) > 1 {
		wrong = parts[1]
	}
	if len(parts) > 3 && strings.Contains(parts[2], "did you mean") {
		right = parts[3]
	}
	return wrong, right
}

// matcherFix puts the right name into the matchers of the line.
func (l *linter) matcherFix(p hooks.Problem, edit func(func() error) func(*fixer) error) func(*fixer) error {
	wrong, right := names(p.Text)
	if right == "" || !strings.HasPrefix(p.Text, "matcher") {
		return nil
	}
	return edit(func() error {
		return eachGroup(l.docs[p.File], func(g jsonc.Node) error {
			m := g.Get("matcher")
			if m.Kind() != jsonc.String || m.Line() != p.Line {
				return nil
			}
			words := strings.Split(m.Text(), "|")
			for i, w := range words {
				if strings.TrimSpace(w) == wrong {
					words[i] = right
				}
			}
			return m.Replace(strings.Join(words, "|"))
		})
	})
}

// eachGroup visits the groups of all events.
func eachGroup(doc *jsonc.Doc, visit func(jsonc.Node) error) error {
	for _, event := range doc.Root().Get("hooks").Members() {
		for _, g := range event.Value.Elements() {
			if err := visit(g); err != nil {
				return err
			}
		}
	}
	return nil
}

// eachEntry visits the hooks of all groups.
func eachEntry(doc *jsonc.Doc, visit func(jsonc.Node) error) error {
	return eachGroup(doc, func(g jsonc.Node) error {
		for _, h := range g.Get("hooks").Elements() {
			if err := visit(h); err != nil {
				return err
			}
		}
		return nil
	})
}

func fixTypes(doc *jsonc.Doc, line int) error {
	return eachEntry(doc, func(h jsonc.Node) error {
		if t := h.Get("type"); t.Line() == line && strings.EqualFold(t.Text(), "command") {
			return t.Replace("command")
		}
		return nil
	})
}

func fixTimeouts(doc *jsonc.Doc, line int) error {
	return eachEntry(doc, func(h jsonc.Node) error {
		t := h.Get("timeout")
		if ms, ok := t.Float(); ok && t.Line() == line && ms > 0 && ms < 1000 {
			return t.Replace(ms * 1000)
		}
		return nil
	})
}

func fixTimeoutText(doc *jsonc.Doc, line int) error {
	return eachEntry(doc, func(h jsonc.Node) error {
		t := h.Get("timeout")
		var ms float64
		if t.Line() != line || t.Kind() != jsonc.String {
			return nil
		}
		if _, err := fmt.Sscanf(strings.TrimSpace(t.Text()), "%g", &ms); err != nil {
			return fmt.Errorf("reading the timeout %q: %w", t.Text(), err)
		}
		return t.Replace(ms)
	})
}

// fixOlder moves what has an older name to where it belongs now. The newer one
// wins where both stand.
func fixOlder(doc *jsonc.Doc) error {
	root := doc.Root()
	for _, id := range root.Get("hooks", "disabled").Strings() {
		if slices.Contains(doc.Root().Get("hooksConfig", "disabled").Strings(), id) {
			continue
		}
		if err := doc.Append(id, "hooksConfig", "disabled"); err != nil {
			return err
		}
	}
	for _, m := range []struct{ parent, name, now string }{
		{"hooks", "enabled", "enabled"}, {"tools", "enableHooks", "enabled"}, {"hooks", "notifications", "notifications"},
	} {
		old := root.Get(m.parent, m.name)
		if old.Kind() != jsonc.Bool {
			continue
		}
		if !doc.Root().Get("hooksConfig", m.now).Exists() {
			if err := doc.Set(old.IsTrue(), "hooksConfig", m.now); err != nil {
				return err
			}
		}
		root.Get(m.parent).Remove(m.name)
	}
	root.Get("hooks").Remove("disabled")
	return nil
}

// disabledNames finds entries of lists that name no hook.
func (l *linter) disabledNames() {
	known := l.Setup.Names()
	for _, s := range l.Sections {
		for _, d := range s.Disabled {
			if slices.Contains(known, d.ID) {
				continue
			}
			said := fmt.Sprintf("no hook is called %q", d.ID)
			if near := text.Nearest(d.ID, known); near != "" {
				said += fmt.Sprintf("; did you mean %q?", near)
			}
			l.add("HK026", s.File, d.Line, nil, "%s", said)
		}
	}
}
