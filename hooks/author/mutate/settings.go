package mutate

import (
	"fmt"
	"regexp"
	"strings"

	"minigem/hooks/jsonc"
	"minigem/hooks/protocol"
)

// hangs is the command of a hook that does not end by itself.
const hangs = "sleep 3600"

// Settings returns the mutants of a file that configures hooks: the settings of a
// project or a user, or an extension's hooks.json. They are sorted by class and line.
// file is the name in errors. The error is for a file that is not valid JSON. data is
// not changed: each mutant has its own text.
func Settings(file string, data []byte) ([]Mutant, error) {
	doc, err := jsonc.Parse(file, data)
	if err != nil {
		return nil, fmt.Errorf("reading the settings: %w", err)
	}
	s := settings{file: file, data: data}
	for _, e := range doc.Root().Get("hooks").Members() {
		groups := e.Value.Elements()
		if len(groups) == 0 {
			continue
		}
		s.move(doc, e.Name, e.Value.Line())
		for g, group := range groups {
			s.matcher(e.Name, g, group)
			for h, hook := range group.Get("hooks").Elements() {
				s.entry(place{e.Name, g, h}, hook)
			}
		}
	}
	return sorted(data, s.all), nil
}

// place identifies a hook's entry by the indexes in its lists.
type place struct {
	event       string
	group, hook int
}

// settings collects the mutants of one settings file.
type settings struct {
	file string
	data []byte
	all  []Mutant
}

// change adds a mutant of the file as changed by edit. edit returns false if it changed
// nothing.
func (s *settings) change(class, hook, what string, line int, edit func(hooks jsonc.Node) bool) {
	doc, err := jsonc.Parse(s.file, s.data)
	if err == nil && edit(doc.Root().Get("hooks")) {
		s.all = append(s.all, Mutant{Class: class, Hook: hook, Line: line, What: what, Text: doc.Bytes()})
	}
}

// partners pairs the events that are most easily confused.
var partners = map[protocol.Event]protocol.Event{
	protocol.BeforeTool: protocol.AfterTool, protocol.AfterTool: protocol.BeforeTool,
	protocol.BeforeModel: protocol.AfterModel,
	protocol.AfterModel:  protocol.BeforeModel, protocol.BeforeAgent: protocol.AfterAgent,
	protocol.AfterAgent:   protocol.BeforeAgent,
	protocol.SessionStart: protocol.SessionEnd, protocol.SessionEnd: protocol.SessionStart,
	protocol.BeforeToolSelection: protocol.BeforeModel,
	protocol.PreCompress:         protocol.PostCompact, protocol.PostCompact: protocol.PreCompress,
	protocol.StopFailure:   protocol.AfterAgent,
	protocol.SubagentStart: protocol.SubagentStop, protocol.SubagentStop: protocol.SubagentStart,
	protocol.Notification: protocol.BeforeTool,
}

// move renames an event to its partner or, if that has hooks, to the first event
// without any.
func (s *settings) move(doc *jsonc.Doc, event string, line int) {
	all := doc.Root().Get("hooks")
	for _, to := range append([]protocol.Event{partners[protocol.Event(event)]}, protocol.Events...) {
		if to != "" && !all.Get(string(to)).Exists() {
			s.change(Event, "", fmt.Sprintf("%s -> %s", event, to), line, func(n jsonc.Node) bool {
				return n.Rename(event, string(to))
			})
			return
		}
	}
}

// matcher makes mutants of a group's matcher: without it, and without each of its
// alternatives.
func (s *settings) matcher(event string, g int, group jsonc.Node) {
	n := group.Get("matcher")
	text := n.Text()
	if n.Kind() != jsonc.String || text == "" || text == "*" || text == ".*" {
		return // it already matches everything
	}
	name := ""
	if hooks := group.Get("hooks").Elements(); len(hooks) > 0 {
		name = called(hooks[0])
	}
	edit := func(change func(group jsonc.Node) bool) func(jsonc.Node) bool {
		return func(hooks jsonc.Node) bool { return change(nth(hooks.Get(event), g)) }
	}
	s.change(Matcher, name, fmt.Sprintf("matcher %q removed", text), n.Line(), edit(func(group jsonc.Node) bool {
		return group.Remove("matcher")
	}))
	for _, less := range without(text) {
		s.change(Matcher, name, fmt.Sprintf("matcher %q -> %q", text, less), n.Line(),
			edit(func(group jsonc.Node) bool { return group.Get("matcher").Replace(less) == nil }))
	}
}

// nth returns element i of array, or an empty node. If a name occurs twice, array may
// be the shorter of the two.
func nth(array jsonc.Node, i int) jsonc.Node {
	if all := array.Elements(); i < len(all) {
		return all[i]
	}
	return jsonc.Node{}
}

// list matches a matcher that is a list of alternatives, with what encloses them.
var list = regexp.MustCompile(`^(\^?\(?)([\w.*-]+(?:\|[\w.*-]+)+)(\)?\$?)$`)

// without returns the patterns that omit one of the names in pattern. It returns nil if
// pattern is not a plain list.
func without(pattern string) []string {
	m := list.FindStringSubmatch(pattern)
	if m == nil {
		return nil
	}
	names := strings.Split(m[2], "|")
	var out []string
	for i := range names {
		rest := append(append([]string{}, names[:i]...), names[i+1:]...)
		out = append(out, m[1]+strings.Join(rest, "|")+m[3])
	}
	return out
}

// called returns a hook's name for reports.
func called(hook jsonc.Node) string {
	if name := hook.Get("name").Text(); name != "" {
		return name
	}
	return hook.Get("command").Text()
}

// entry makes mutants of one hook: one that does nothing, one that hangs, and those of
// its other fields. A hook that has no command has no mutants.
func (s *settings) entry(at place, hook jsonc.Node) {
	command := hook.Get("command")
	if command.Kind() != jsonc.String {
		return
	}
	name, line := called(hook), command.Line()
	edit := func(class, what string, change func(hook jsonc.Node) bool) {
		s.change(class, name, what, line, func(hooks jsonc.Node) bool {
			return change(nth(nth(hooks.Get(at.event), at.group).Get("hooks"), at.hook))
		})
	}
	if command.Text() != "true" {
		edit(Script, "the command -> true", func(h jsonc.Node) bool { return h.Get("command").Replace("true") == nil })
	}
	edit(Timeout, "it hangs, and gets 1 ms", func(h jsonc.Node) bool {
		return h.Get("command").Replace(hangs) == nil && h.Add("timeout", 1) == nil
	})
	if hook.Get("onError").Text() == "block" {
		edit(OnError, `onError "block" removed`, func(h jsonc.Node) bool { return h.Remove("onError") })
	}
	for _, c := range changed(command.Text()) {
		edit(c.class, c.what, func(h jsonc.Node) bool { return h.Get("command").Replace(c.line) == nil })
	}
}
