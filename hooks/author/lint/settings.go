package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"minigem/hooks/claude"
	"minigem/hooks/config"
	"minigem/hooks/elsewhere"
	"minigem/hooks/jsonc"
	"minigem/internal/text"
)

// section reports what the loader found in a file.
func (l *linter) section(s config.Section) {
	for _, p := range slices.Concat(s.Problems, s.Notes) {
		if isClaudes(p) {
			p.Rule = "HK002"
			if p.Fix.Edit == "" && p.Fix.To != "" {
				p.Fix.Edit = config.RenameTool
			}
		}
		l.add(cmp.Or(p.Rule, "HK009"), p.File, p.Line, l.settingsFix(p), "%s", p.Text)
	}
	told := map[string]bool{} // report each once per file
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

// unread reports problems that belong to no section: files that could not be read, and
// faults of all files together.
func (l *linter) unread() {
	for _, p := range l.Setup.Config.Problems {
		if !slices.ContainsFunc(l.Sections, func(s config.Section) bool { return slices.Contains(s.Problems, p) }) {
			l.add(cmp.Or(p.Rule, "HK017"), p.File, p.Line, nil, "%s", p.Text)
		}
	}
}

// isClaudes reports whether an unknown event or tool name is one of Claude Code's.
func isClaudes(p config.Problem) bool {
	return (p.Rule == "HK001" || p.Rule == "HK003") && (claude.Event(p.Fix.From) != "" || claude.Tool(p.Fix.From) != "")
}

// settingsFix returns a fix for the settings, or nil if the right value is not clear.
func (l *linter) settingsFix(p config.Problem) func(*fixer) error {
	doc := l.docs[p.File]
	if doc == nil {
		return nil
	}
	edit := func(change func() error) func(*fixer) error {
		return func(f *fixer) error { f.changed[p.File] = doc; return change() }
	}
	switch p.Fix.Edit {
	case config.RenameEvent:
		if p.Fix.To != "" && !doc.Root().Get("hooks", p.Fix.To).Exists() {
			return edit(func() error { doc.Root().Get("hooks").Rename(p.Fix.From, p.Fix.To); return nil })
		}
	case config.RenameTool:
		return edit(func() error { return fixMatchers(doc, p) })
	case config.LowerType:
		return edit(func() error { return fixTypes(doc, p.Line) })
	case config.MoveOlder:
		return edit(func() error { return fixOlder(doc) })
	case config.ToMilliseconds:
		return edit(func() error { return fixTimeouts(doc, p.Line) })
	case config.DropMark:
		return edit(func() error { doc.BOM = false; return nil })
	case config.ToNumber:
		return edit(func() error { return fixTimeoutText(doc, p.Line) })
	}
	return nil
}

// fixMatchers corrects the name in the matchers on the problem's line.
func fixMatchers(doc *jsonc.Doc, p config.Problem) error {
	return eachGroup(doc, func(g jsonc.Node) error {
		m := g.Get("matcher")
		if m.Kind() != jsonc.String || m.Line() != p.Line {
			return nil
		}
		words := strings.Split(m.Text(), "|")
		for i, w := range words {
			if strings.TrimSpace(w) == p.Fix.From {
				words[i] = p.Fix.To
			}
		}
		return m.Replace(strings.Join(words, "|"))
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

// fixTypes corrects the case of "command" in the entry at a line.
func fixTypes(doc *jsonc.Doc, line int) error {
	return eachEntry(doc, func(h jsonc.Node) error {
		if t := h.Get("type"); t.Line() == line && strings.EqualFold(t.Text(), "command") {
			return t.Replace("command")
		}
		return nil
	})
}

// fixTimeouts turns the seconds at a line into milliseconds.
func fixTimeouts(doc *jsonc.Doc, line int) error {
	return eachEntry(doc, func(h jsonc.Node) error {
		t := h.Get("timeout")
		if ms, ok := t.Float(); ok && t.Line() == line && ms > 0 && ms < 1000 {
			return t.Replace(ms * 1000)
		}
		return nil
	})
}

// fixTimeoutText turns the text at a line into the number that it begins with.
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

// fixOlder moves settings with older names to their current place. If both exist, the
// newer one wins.
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

// disabledNames finds entries in lists of disabled hooks that name no hook.
func (l *linter) disabledNames() {
	known := l.Setup.Names()
	for _, s := range l.Sections {
		for _, d := range s.Disabled {
			if slices.Contains(known, d.ID) {
				continue
			}
			l.add("HK026", s.File, d.Line, nil, "no hook is called %q%s", d.ID, text.DidYouMean(text.Nearest(d.ID, known)))
		}
	}
}
