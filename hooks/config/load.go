// Package config reads hooks from settings files, extensions and the front matter of
// skills and agents into a [hooks.Config]. It also edits those files, and remembers
// which hooks of a project the user trusts.
//
// Load each file into a [Section], then merge them and check the project's hooks:
//
//	s, err := config.LoadSettings(hooks.LayerProject, file, data)
//	c := config.Merge(s, userSection)
//	store := config.TrustStore{Dir: geminiDir} // ~/.gemini
//	checks, err := store.Check(root, c)
//	config.Apply(&c, checks, true) // what is new or changed does not run
//
// Loading is lenient: a faulty entry is left out and reported as a [Problem] with
// its line, and the rest stays in force. Finding and reading the settings files is left
// to the caller. This package runs nothing.
package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"minigem/hooks"
	"minigem/hooks/agents"
	"minigem/hooks/condition"
	"minigem/hooks/jsonc"
	"minigem/hooks/protocol"
	"minigem/internal/text"
)

// Section is what one file says about hooks: a settings file, an extension's hooks.json,
// or the front matter of a skill or an agent.
type Section struct {
	// Layer is the layer of all hooks of the file.
	Layer hooks.Layer
	// File is the absolute path of the file.
	File string
	// Extension is the extension's name. LayerExtension only.
	Extension string
	// InProject reports whether the extension is inside the project's folder.
	// LayerExtension only.
	InProject bool
	// Within is the skill or agent whose front matter has the hooks; else the zero Part.
	Within hooks.Part

	// Hooks are the entries that can run, in the order of the file.
	Hooks []hooks.Hook

	// Enabled is hooksConfig.enabled, or an older name of it; nil if the file does not
	// say.
	Enabled *Switch
	// Notifications is hooksConfig.notifications, or its older name; nil if the file does
	// not say. See [Notifications].
	Notifications *Switch
	// MaxRetries is hooksConfig.maxRetries, from 1 to 1000; 0 if the file does not say.
	MaxRetries int
	// BlockedExitCode is hooksConfig.blockedExitCode, from 1 to 255; 0 if the file does
	// not say.
	BlockedExitCode int
	// HTTPHosts is hooksConfig.allowedHttpHosts. It is nil for projects and extensions,
	// which cannot set it.
	HTTPHosts []string
	// Disabled is hooksConfig.disabled, and the older hooks.disabled.
	Disabled []Disabled
	// MayAllow is hooksConfig.mayAllow: further hooks whose permissions count, in
	// addition to the user's and the system's. It is nil for projects and
	// extensions.
	MayAllow []Disabled

	// Problems are the faults to report at the start of a session.
	Problems []Problem
	// Notes are remarks for the linter: legal, but probably not what was meant.
	Notes []Problem
}

// Switch is a boolean of a settings file and its position.
type Switch struct {
	// On is the value in the file.
	On bool
	// Name is the setting as the file has it: "hooksConfig.enabled", or an older name.
	Name string
	// Line counts from 1.
	Line int
}

// Disabled is one entry of a list of hooks in a settings file.
type Disabled struct {
	// ID is a hook's [hooks.Hook.ID]: its name or what it runs.
	ID string
	// Line is the line of the entry, from 1.
	Line int
}

// LoadSettings reads the hooks of a settings document; file is its absolute path, for
// messages and [hooks.Source]. Everything else in the document is ignored. A faulty entry
// is left out and reported in Problems with its line; the rest stays in force. Comments,
// trailing commas and a byte order mark are accepted.
//
// The error is a [*jsonc.SyntaxError], if the document is not JSON or not an object; its
// text begins with file:line:column.
func LoadSettings(layer hooks.Layer, file string, data []byte) (Section, error) {
	l, root, err := newLoader(layer, file, data)
	if err != nil {
		return Section{}, err
	}
	l.hooks(root.Get("hooks"))
	l.hooksConfig(root.Get("hooksConfig"))
	l.older(root)
	return l.Section, nil
}

// newLoader parses data and reports what Gemini CLI or minigem would misread in the file
// as a whole.
func newLoader(layer hooks.Layer, file string, data []byte) (*loader, jsonc.Node, error) {
	doc, err := jsonc.Parse(file, data)
	if err != nil {
		return nil, jsonc.Node{}, err
	}
	l := &loader{Section: Section{Layer: layer, File: file}}
	if doc.BadUTF8 > 0 {
		l.problem(doc.BadUTF8, "a byte that is not UTF-8; it reads as U+FFFD").Rule = "HK016"
	}
	l.portable(doc)
	root := doc.Root()
	if root.Kind() != jsonc.Object {
		return nil, root, &jsonc.SyntaxError{File: file, Line: root.Line(), Column: 1,
			Text: "the file must hold an object, not " + string(root.Kind())}
	}
	l.repeated("", root)
	return l, root, nil
}

// portable reports what makes Gemini CLI refuse the whole file (0.61 exits with 52, and
// ignores an extension's hooks).
func (l *loader) portable(doc *jsonc.Doc) {
	if doc.BOM {
		p := l.note(1, "a byte order mark: Gemini CLI cannot read the file")
		p.Rule, p.Fix.Edit = "HK013", DropMark
	}
	if doc.TrailingComma > 0 {
		l.note(doc.TrailingComma, "a comma after the last of a list: Gemini CLI cannot read the file").Rule = "HK013"
	}
	if l.Layer == hooks.LayerExtension && doc.Comment > 0 {
		l.note(doc.Comment, "a comment: Gemini CLI cannot read an extension's hooks with one").Rule = "HK013"
	}
}

// loader collects a Section.
type loader struct{ Section }

// problem adds a fault. The result is valid until the next one. Callers use it to set
// the rule and the fix.
func (l *loader) problem(line int, format string, args ...any) *Problem {
	l.Problems = append(l.Problems, Problem{File: l.File, Line: line, Text: fmt.Sprintf(format, args...)})
	return &l.Problems[len(l.Problems)-1]
}

// note adds a remark. The result is valid until the next one.
func (l *loader) note(line int, format string, args ...any) *Problem {
	l.Notes = append(l.Notes, Problem{File: l.File, Line: line, Text: fmt.Sprintf(format, args...)})
	return &l.Notes[len(l.Notes)-1]
}

// repeated reports names that occur twice in an object. The last one counts.
func (l *loader) repeated(where string, n jsonc.Node) {
	for _, m := range n.Members() {
		if m.Shadowed && (where != "" || m.Name == "hooks" || m.Name == "hooksConfig") {
			l.problem(m.Line, "%q occurs twice%s; only the last one counts", m.Name, where).Rule = "HK011"
		}
	}
}

// object reports whether n is an object, and what is wrong if it is something
// else.
func (l *loader) object(name string, n jsonc.Node) bool {
	if n.Exists() && n.Kind() != jsonc.Object {
		l.problem(n.Line(), "%s must be an object, not %s", name, n.Kind())
	}
	if n.Kind() == jsonc.Object {
		l.repeated(" in "+name, n)
		return true
	}
	return false
}

// hooks reads the object of events. Names that begin with "$", "_" or "//" are taken
// for comments.
func (l *loader) hooks(n jsonc.Node) {
	if !l.object("hooks", n) {
		return
	}
	for _, m := range n.Members() {
		switch {
		case m.Shadowed:
		case slices.Contains(protocol.Events, protocol.Event(m.Name)):
			l.groups(protocol.Event(m.Name), m.Value)
		case slices.Contains(olderHookKeys, m.Name): // see older
		case strings.HasPrefix(m.Name, "$") || strings.HasPrefix(m.Name, "_") || strings.HasPrefix(m.Name, "//"):
		default:
			meant := suggestEvent(m.Name)
			p := l.problem(m.Line, "there is no event %q, its hooks never run%s", m.Name, text.DidYouMean(meant))
			p.Rule, p.Fix = "HK001", Fix{Edit: RenameEvent, From: m.Name, To: meant}
		}
	}
}

// groups reads the array of an event. A group that cannot be used is reported, and the
// next one is read.
func (l *loader) groups(event protocol.Event, n jsonc.Node) {
	if n.Kind() != jsonc.Array {
		l.problem(n.Line(), "hooks.%s must be an array of groups, not %s", event, n.Kind()).Rule = "HK006"
		return
	}
	for _, group := range n.Elements() {
		l.group(event, group)
	}
}

// groupFields are the fields of a group. Anything else in it is ignored with a problem.
var groupFields = []string{"matcher", "sequential", "hooks"}

// group reads a group of hooks, and checks its matcher once for each dialect in it.
func (l *loader) group(event protocol.Event, n jsonc.Node) {
	base, ok := l.groupBase(event, n)
	if !ok {
		return
	}
	checked := map[string]bool{} // what a matcher can match depends on the dialect
	for _, entry := range n.Get("hooks").Elements() {
		h, ok := l.hook(base, entry)
		if !ok {
			continue
		}
		l.Hooks = append(l.Hooks, h)
		if !checked[h.Dialect] {
			checked[h.Dialect] = true
			l.checkMatcher(event, h.Dialect, n.Get("matcher"))
		}
	}
}

// groupBase returns what the hooks of a group have in common, or false if the group
// cannot be used.
func (l *loader) groupBase(event protocol.Event, n jsonc.Node) (hooks.Hook, bool) {
	base := hooks.Hook{Event: event}
	list, matcher, sequential := n.Get("hooks"), n.Get("matcher"), n.Get("sequential")
	switch {
	case n.Kind() != jsonc.Object:
		l.problem(n.Line(), `a group of %s must be an object with "hooks", not %s: skipped`, event, n.Kind()).Rule = "HK006"
		return base, false
	case !list.Exists() && n.Get("command").Exists():
		p := l.problem(n.Line(), `a hook of %s is where its group should be: write {"hooks": [{...}]} around it; skipped`,
			event)
		p.Rule = "HK006"
		return base, false
	}
	l.fields("a group of "+string(event), n, groupFields)
	switch {
	case list.Kind() != jsonc.Array:
		l.problem(n.Line(), `a group of %s needs "hooks", an array: skipped`, event).Rule = "HK006"
		return base, false
	case matcher.Kind() == jsonc.String:
		base.Matcher = matcher.Text()
	case matcher.Kind() != jsonc.Null:
		l.problem(matcher.Line(), "matcher must be a string, not %s: the group is skipped", matcher.Kind()).Rule = "HK006"
		return base, false
	}
	if base.Sequential = sequential.IsTrue(); sequential.Exists() && sequential.Kind() != jsonc.Bool {
		l.problem(sequential.Line(), "sequential must be true or false, not %s: ignored", sequential.Kind())
	}
	return base, true
}

// fields reports members that are unknown or repeated.
func (l *loader) fields(where string, n jsonc.Node, known []string) {
	l.repeated(" in "+where, n)
	for _, m := range n.Members() {
		if slices.Contains(known, m.Name) || strings.HasPrefix(m.Name, "$") ||
			strings.HasPrefix(m.Name, "_") || strings.HasPrefix(m.Name, "//") {
			continue
		}
		p := l.problem(m.Line, "%s has no field %q, it is ignored%s", where, m.Name,
			text.DidYouMean(text.Nearest(m.Name, known)))
		p.Rule = "HK005"
	}
}

// precedence orders the layers by whose switches win, the highest last
// (core/hooks/hookRegistry.ts). It differs from the order in which hooks run.
var precedence = []hooks.Layer{hooks.LayerExtension, hooks.LayerSystemDefaults, hooks.LayerUser, hooks.LayerProject,
	hooks.LayerSystem}

// Merge makes one configuration of all sections: the hooks in running order, with those
// that any section disables marked, and all problems. Sections of one layer keep their
// order; layers may be given in any order. Of the switches the layer with the highest
// precedence wins: extensions, system defaults, user, project, system, the last being the
// highest. Allowed hosts are united.
//
// The result has Conditions (hooks/condition) and a Speaker (hooks/agents). No hook is
// marked as untrusted yet; see [TrustStore.Check].
func Merge(sections ...Section) Loaded {
	c := Loaded{Config: hooks.Config{Conditions: condition.Rules{}, Speaker: agents.Speaker{}}}
	disabled, mayAllow := map[string]string{}, map[string]bool{}
	for _, s := range inOrder(sections, Section.place) {
		for _, d := range s.MayAllow {
			mayAllow[d.ID] = true
		}
		for _, d := range s.Disabled {
			if disabled[d.ID] == "" {
				disabled[d.ID] = fmt.Sprintf("disabled in %s:%d", s.File, d.Line)
			}
		}
		c.Problems = append(c.Problems, s.Problems...)
		c.HTTPHosts = append(c.HTTPHosts, s.HTTPHosts...)
	}
	for _, s := range inOrder(sections, Section.place) {
		for _, h := range s.Hooks {
			h.Disabled = disabled[h.ID()]
			h.Env = maps.Clone(h.Env)
			h.MayAllow = h.Source.Standing() >= hooks.Source{Layer: hooks.LayerUser}.Standing() && h.Within == (hooks.Part{}) ||
				mayAllow[h.ID()]
			c.Hooks = append(c.Hooks, h)
		}
	}
	unencrypted(&c)
	for _, s := range inOrder(sections, Section.precedence) {
		if s.Enabled != nil {
			c.Off = ""
			if !s.Enabled.On {
				c.Off = fmt.Sprintf("%s is false in %s:%d", s.Enabled.Name, s.File, s.Enabled.Line)
			}
		}
		if s.MaxRetries > 0 {
			c.MaxRetries = s.MaxRetries
		}
		if s.BlockedExitCode > 0 {
			c.BlockedExitCode = s.BlockedExitCode
		}
	}
	return c
}

// unencrypted reports hooks whose payload would leave the machine unencrypted. They
// fail when they run. Hooks of the kinds that send nothing are not concerned.
func unencrypted(c *Loaded) {
	for _, h := range c.Hooks {
		host := h.Unencrypted(c.HTTPHosts)
		if host == "" {
			continue
		}
		text := fmt.Sprintf("a hook of %s fails, because it would send to %s without encryption: use https, or list the "+
			"host in hooksConfig.allowedHttpHosts of your own settings", h.Event, host)
		c.Problems = append(c.Problems, Problem{
			File: h.Source.File, Line: h.Source.Line, Text: text, Rule: "HK069",
		})
	}
}

// Notifications reports whether the terminal should show that hooks run
// (hooksConfig.notifications). The default is true; of several sections that say
// something, the one with the highest precedence wins, as in [Merge].
func Notifications(sections ...Section) bool {
	on := true
	for _, s := range inOrder(sections, Section.precedence) {
		if s.Notifications != nil {
			on = s.Notifications.On
		}
	}
	return on
}

// inOrder returns sections sorted by a rank. Equal ones keep their order.
func inOrder(sections []Section, by func(Section) int) []Section {
	return slices.SortedStableFunc(slices.Values(sections), func(a, b Section) int { return cmp.Compare(by(a), by(b)) })
}

// place returns the rank of the hooks of s in running order. It is the order of
// [hooks.Source.Rank], in which the engine runs hooks anyway.
func (s Section) place() int { return hooks.Source{Layer: s.Layer, InProject: s.InProject}.Rank() }

// precedence returns the section's place among the layers by whose switches win. The
// highest wins.
func (s Section) precedence() int { return slices.Index(precedence, s.Layer) }
