package testbed

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"minigem/hooks/dialect"
	"minigem/hooks/hif"
	"minigem/hooks/jsonc"
)

// more is by how much an agent waits longer for a hook than what runs it, so
// that the latter says what a time-out comes to.
const more = 5 * time.Second

// portableJSON reads hooks in the form of HIF, or in that of Claude Code, whose
// answers are translated for each agent.
func portableJSON(data []byte) (all []Portable, lost []string, err error) {
	if hif.Is(data) {
		d, err := hif.Parse(data)
		if err != nil {
			return nil, nil, err
		}
		all, lost = FromHIF(d)
		return all, lost, nil
	}
	return nestedHooks(data)
}

// core are the events of which HIF says that each agent should have them.
var core = []dialect.Point{dialect.BeforeTool, dialect.AfterTool, dialect.BeforePrompt, dialect.AgentStop, dialect.SessionStart, "session_end"}

// FromHIF are the hooks of a document, and what of it is lost.
func FromHIF(d hif.Document) (all []Portable, lost []string) {
	for i, h := range d.Hooks {
		p := Portable{Name: h.Name, Command: hifCommand(h.Handler), Run: []string{"--dialect", "hif"}}
		who := fmt.Sprintf("hook %d (%s)", i+1, h.Event)
		lose := func(format string, args ...any) { lost = append(lost, who+": "+fmt.Sprintf(format, args...)) }
		if p.Event = eventAt(dialect.Point(h.Event)); p.Event == "" {
			lose("there is no word for its event, and it is left out")
			continue
		}
		if p.Optional = !slices.Contains(core, dialect.Point(h.Event)); p.Optional {
			lose("where an agent has no such event, it is left out")
		}
		if !h.Blocking {
			p.Run = append(p.Run, "--observe")
		}
		if h.Handler.TimeoutAction != "block" {
			p.Run = append(p.Run, "--on-error", "allow")
		}
		if t := time.Duration(h.Handler.Timeout * float64(time.Second)); t > 0 {
			p.Run, p.Timeout = append(p.Run, "--timeout", t.String()), t+more
		}
		if h.Handler.Async {
			lose("async: it is waited for")
		}
		if h.Handler.StatusMessage != "" {
			lose("status_message")
		}
		if h.Matcher != nil && HasTools(p.Event) {
			for _, w := range h.Matcher.Words {
				if a := hif.Action(w); a != "" && slices.Contains(portableTools(), a) {
					p.Tools = append(p.Tools, a)
				} else {
					lose("its matcher %q: there is no portable tool for it", w)
				}
			}
			p.Patterns = h.Matcher.Patterns
			for _, s := range h.Matcher.Servers {
				lose("its matcher for the MCP tool %s: nobody measured those", s)
			}
			if len(p.Tools)+len(p.Patterns) == 0 {
				lose("nothing is left of its matcher, and it is left out")
				continue
			}
		}
		if all = append(all, p); p.Event == "AfterTool" { // in some agents, failed tools have an event of their own
			p.Event, p.Optional = "PostToolUseFailure", true
			all = append(all, p)
		}
	}
	return all, lost
}

func eventAt(p dialect.Point) string {
	gemini, err := dialect.Find("gemini")
	if err != nil {
		return ""
	}
	e, ok := gemini.Event(p)
	if !ok || p == "" {
		return ""
	}
	return CanonicalEvent(e.Native)
}

// hifCommand is the command of a handler with its folder and its variables.
func hifCommand(h hif.Handler) string {
	var b strings.Builder
	if h.CWD != "" {
		b.WriteString("cd " + shellWord(h.CWD) + " || exit 2; ")
	}
	for _, name := range slices.Sorted(maps.Keys(h.Env)) {
		b.WriteString("export " + shellWord(name+"="+h.Env[name]) + "; ")
	}
	return b.String() + h.Command
}

// shellWord makes s one word of a shell.
func shellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// nestedHooks reads {"hooks": {EVENT: [{"matcher", "hooks": [{...}]}]}}, as
// Claude Code and plugins have it.
func nestedHooks(data []byte) (all []Portable, lost []string, err error) {
	doc, err := jsonc.Parse(PortableSection, data)
	if err != nil {
		return nil, nil, err
	}
	claude, err := dialect.Find("claude")
	if err != nil {
		return nil, nil, err
	}
	for _, event := range doc.Root().Get("hooks").Members() {
		name := CanonicalEvent(event.Name)
		if name == "" {
			lost = append(lost, fmt.Sprintf("there is no word for the event %s, and its hooks are left out", event.Name))
			continue
		}
		for _, group := range event.Value.Elements() {
			p := Portable{Event: name, Run: []string{"--dialect", "claude"}}
			if m := group.Get("matcher").Text(); m != "" && m != "*" && HasTools(name) {
				for _, action := range portableTools() {
					t, ok := claude.Tool(action)
					if fires, _ := claude.Fires(m, t.Hook); ok && fires {
						p.Tools = append(p.Tools, action)
					}
				}
				if p.Tools == nil {
					lost = append(lost, fmt.Sprintf("the matcher %q of %s is for no portable tool, and its hooks are left out", m, event.Name))
					continue
				}
			}
			for _, h := range group.Get("hooks").Elements() {
				if p.Command = h.Get("command").Text(); h.Get("type").Text() != "command" || p.Command == "" {
					lost = append(lost, fmt.Sprintf("a hook of %s that is not a command is left out", event.Name))
					continue
				}
				if s, ok := h.Get("timeout").Float(); ok && s > 0 && s < 1e6 {
					p.Timeout = time.Duration(s * float64(time.Second))
				}
				all = append(all, p)
			}
		}
	}
	if all == nil {
		return nil, nil, errors.New("there is no hook in it: expected {\"spec\": \"" + hif.Spec + "\", \"hooks\": [...]} or {\"hooks\": {EVENT: [...]}}" + strings.Join(append([]string{""}, lost...), "; "))
	}
	return all, lost, nil
}

// translated are hooks as they are configured: those whose answers are
// translated run behind minigem hooks run.
func (o Options) translated(all []Portable) ([]Portable, error) {
	out := slices.Clone(all)
	for i, p := range out {
		if p.Run == nil {
			continue
		}
		if o.Self == "" {
			return nil, errors.New("its hooks answer in words of another dialect, and there is no minigem here that translates them")
		}
		if p.Name == "" {
			out[i].Name = p.Command
		}
		words := append([]string{shellWord(o.Self), "hooks", "run", "--portable"}, p.Run...)
		out[i].Command = strings.Join(append(words, "--", "sh", "-c", shellWord(p.Command)), " ")
	}
	return out, nil
}
