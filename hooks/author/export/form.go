package export

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"minigem/hooks/agents"
	"minigem/hooks/author/forms"
	"minigem/hooks/jsonc"
)

// form describes where and how an agent configures hooks. file is relative to the
// project, or begins with "~" for the home. add reports false, without an error, if the
// hook is already there.
type form struct {
	file string
	// names writes a list of tools as a matcher.
	names func(tools []string) string
	add   func(x *exporter, event, matcher, command string, timeout int) (added bool, err error)
}

// list writes tools as a matcher that compares whole names or finds them anywhere.
func list(tools []string) string { return strings.Join(tools, "|") }

// anchored writes tools as a regular expression for whole names.
func anchored(tools []string) string { return "^(?:" + strings.Join(tools, "|") + ")$" }

// formsOf holds the forms by the agents' ids. An agent that is not here cannot be
// exported to.
var formsOf = map[string]form{
	"claude":  {".claude/settings.json", list, addNested},
	"codex":   {".codex/hooks.json", list, addNested},
	"qwen":    {".qwen/settings.json", anchored, addNested},
	"copilot": {".github/hooks/minigem.json", list, addFlat},
	"kimi":    {"~/.kimi-code/config.toml", anchored, addTOML},
	"cline":   {".clinerules/hooks", list, addProgram},
}

// matcher translates h's matcher. If the agent has no name for what it matches, the
// result matches all tools, and "minigem hooks run" checks the tool itself.
func (x *exporter) matcher(h hook) (matcher string, ok bool) {
	if h.matcher == "" || h.matcher == "*" {
		return "", true
	}
	if !h.event.IsTool() {
		if slices.Contains([]string{"claude", "qwen", "codex"}, x.Agent) && h.event.HasSubject() {
			return h.matcher, true
		}
		x.say(h, "differs", "the matcher %q of %s is left out: the hook runs every time", h.matcher, h.event)
		return "", true
	}
	speaker, err := agents.Find(cmp.Or(h.dialect, "gemini"))
	if err != nil {
		speaker = x.gemini
	}
	var names []string
	matched, known, missing := 0, 0, ""
	for _, action := range agents.Actions {
		ours, ok := speaker.Tool(action)
		if !ok {
			continue
		}
		known++
		if fires, _ := speaker.Fires(h.matcher, ours.Hook); !fires {
			continue
		}
		matched++
		theirs, ok := x.agent.Tool(action)
		switch {
		case !ok:
			missing = ours.Hook
			x.say(h, "differs", "%s has no tool that is %s: it runs commands instead, and a hook on commands sees them",
				x.agent.Name, ours.Hook)
		case !slices.Contains(names, theirs.Hook):
			names = append(names, theirs.Hook)
		}
	}
	switch {
	case matched == known:
		return "", true
	case matched == 0:
		if x.Bare {
			x.say(h, "lost", "no tool of %s is known that the matcher %q is for", x.agent.Name, h.matcher)
			return "", false
		}
		return "", true // for MCP tools and others: --match decides
	case len(names) == 0:
		x.say(h, "lost", "%s has no tool that is %s", x.agent.Name, missing)
		return "", false
	}
	if x.agent.Matcher.Kind == "none" && x.Bare {
		x.say(h, "differs", "%s has no matchers: the hook runs for all tools", x.agent.Name)
	}
	return x.form.names(names), true
}

// present reports whether the JSON configuration already has this command for the
// event.
func present(doc *jsonc.Doc, e forms.Entry) bool {
	for _, group := range doc.Root().Get("hooks", e.Event).Elements() {
		entries := append(group.Get("hooks").Elements(), group)
		for _, n := range entries {
			if n.Get("command").Text() == e.Command || n.Get("bash").Text() == e.Command {
				return group.Get("matcher").Text() == e.Matcher
			}
		}
	}
	return false
}

// addNested adds a hook in Gemini CLI's and Claude Code's form: groups with a matcher.
func addNested(x *exporter, event, matcher, command string, timeout int) (bool, error) {
	return addJSON(x, forms.Nested, forms.Entry{Event: event, Matcher: matcher, Command: command, Timeout: timeout})
}

// addFlat adds a hook as an entry of its event, without groups.
func addFlat(x *exporter, event, matcher, command string, timeout int) (bool, error) {
	return addJSON(x, forms.Flat, forms.Entry{Event: event, Matcher: matcher, Command: command, Timeout: timeout})
}

// addJSON adds a hook to the agent's file by write. Comments and the order of the file
// stay.
func addJSON(x *exporter, write func(*jsonc.Doc, forms.Entry) error, e forms.Entry) (bool, error) {
	d, err := x.open(x.form.file)
	if err != nil || present(d.doc, e) {
		return false, err
	}
	if err := write(d.doc, e); err != nil {
		return false, fmt.Errorf("adding a hook to %s: %w", d.name, err)
	}
	return true, nil
}

// addTOML appends a table to the file and leaves its other lines alone.
func addTOML(x *exporter, event, matcher, command string, timeout int) (bool, error) {
	d, err := x.open(x.form.file)
	if err != nil {
		return false, err
	}
	before, err := tomlHooks(d)
	if err != nil {
		return false, err
	}
	for _, h := range before {
		if h.Event == event && h.Command == command && h.Matcher == matcher {
			return false, nil
		}
	}
	text := strings.TrimRight(d.text, "\n")
	if text != "" {
		text += "\n\n"
	}
	text += "[[hooks]]\nevent = " + tomlText(event) + "\ncommand = " + tomlText(command) + "\n"
	if matcher != "" {
		text += "matcher = " + tomlText(matcher) + "\n"
	}
	if timeout > 0 {
		text += "timeout = " + strconv.Itoa(timeout) + "\n"
	}
	d.text = text
	after, err := tomlHooks(d)
	if err != nil || len(after) != len(before)+1 {
		return false, fmt.Errorf("%s: a hook cannot be added after what is there; write hooks as [[hooks]]", d.name)
	}
	return true, nil
}

// tomlHook is a hook in config.toml of Kimi.
type tomlHook struct{ Event, Command, Matcher string }

// tomlHooks returns the hooks that the file has.
func tomlHooks(d *draft) ([]tomlHook, error) {
	var all struct{ Hooks []tomlHook }
	if err := toml.Unmarshal([]byte(d.text), &all); err != nil {
		return nil, fmt.Errorf("reading %s: %w", d.name, err)
	}
	return all.Hooks, nil
}

// tomlText writes s as a string of TOML.
func tomlText(s string) string {
	data, err := toml.Marshal(map[string]string{"v": s})
	if err != nil {
		return strconv.Quote(s) // unreachable: a text can be written
	}
	return strings.TrimSpace(strings.TrimPrefix(string(data), "v = "))
}

// addProgram writes the program of an event. An agent has one program per event, and an
// existing one is kept.
func addProgram(x *exporter, event, _, command string, _ int) (bool, error) {
	d, err := x.open(x.form.file + "/" + event)
	if err != nil {
		return false, err
	}
	text := "#!/bin/sh\n" + command + "\n"
	if d.text == text {
		return false, nil
	}
	if d.text != "" {
		x.remarks = append(
			x.remarks, fmt.Sprintf("lost: %s: there is already a program for %s, and %s has one per event: call this there: %s",
				d.name, event, x.agent.Name, command))
		return false, nil
	}
	d.text, d.program = text, true
	return true, nil
}
