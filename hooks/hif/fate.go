package hif

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"minigem/hooks/dialect"
)

// What happens to a hook in an agent.
const (
	Kept     = "kept"
	Degraded = "degraded" // it runs, and not all of it is kept
	Lost     = "lost"     // it never runs
	Inverted = "inverted" // what refuses in HIF lets pass there
	Unknown  = "unknown"  // nobody measured it
)

// Fate is what happens to a hook where its command stands in an agent's
// configuration as it is.
type Fate struct {
	Hook  string   `json:"hook"`
	Agent string   `json:"agent"`
	Fate  string   `json:"fate"`
	Why   []string `json:"why,omitempty"`
}

// worse are the fates, the worst last.
var worse = []string{Kept, Degraded, Unknown, Lost, Inverted}

func (f *Fate) is(fate, format string, args ...any) {
	if slices.Index(worse, fate) > slices.Index(worse, f.Fate) {
		f.Fate = fate
	}
	f.Why = append(f.Why, fmt.Sprintf(format, args...))
}

// Fates are those of all hooks of d in all of the agents, by their tables.
func Fates(d Document, agents []*dialect.Agent) []Fate {
	var all []Fate
	for i, h := range d.Hooks {
		name := h.Name
		if name == "" {
			name = fmt.Sprintf("%d (%s)", i+1, h.Event)
		}
		for _, a := range agents {
			f := Fate{Hook: name, Agent: a.ID, Fate: Kept}
			f.judge(h, a)
			all = append(all, f)
		}
	}
	return all
}

func (f *Fate) judge(h Hook, a *dialect.Agent) {
	e, ok := a.Event(dialect.Point(h.Event))
	if !ok && a.Evidence == dialect.Documented {
		f.is(Unknown, "whether it has such an event is not known")
		return
	}
	if !ok {
		f.is(Lost, "no event of it is known there")
		return
	}
	if e.Fires == "no" {
		f.is(Degraded, "%s does not fire in a run without a terminal", e.Native)
	}
	f.tools(h, a)
	f.handler(h.Handler, a)
	f.answers(h, a)
}

// tools: a matcher is about tools that the agent has.
func (f *Fate) tools(h Hook, a *dialect.Agent) {
	if h.Matcher == nil {
		return
	}
	found, missing := 0, Degraded
	if a.Evidence == dialect.Documented {
		missing = Unknown // what its tools are called, its documents do not tell
	}
	for _, w := range h.Matcher.Words {
		if _, ok := a.Tool(Action(w)); ok {
			found++
		} else {
			f.is(missing, "no tool for %s is known there", w)
		}
	}
	for _, p := range h.Matcher.Patterns {
		re, err := regexp.Compile(p)
		if err == nil && slices.ContainsFunc(a.Tools, func(t dialect.Tool) bool { return re.MatchString(t.Hook) }) {
			found++
		} else {
			f.is(Degraded, "the pattern %q is for no tool that is known there", p)
		}
	}
	for _, s := range h.Matcher.Servers {
		f.is(Unknown, "nobody measured matchers for MCP tools such as %s", s)
		found++
	}
	if found == 0 && missing != Unknown {
		f.is(Lost, "it never fires")
	}
	if a.Matcher.Kind == "none" {
		f.is(Degraded, "there are no matchers: it runs for all tools")
	}
}

// handler: what an entry can say.
func (f *Fate) handler(h Handler, a *dialect.Agent) {
	takes := func(key string) string {
		for _, r := range a.Entry {
			if r.Name == key {
				return r.Value
			}
		}
		return ""
	}
	for _, k := range []struct {
		key string
		set bool
	}{{"async", h.Async}, {"env", len(h.Env) > 0}, {"cwd", h.CWD != ""}} {
		switch v := takes(k.key); {
		case !k.set || v == "yes":
		case v == "":
			f.is(Unknown, "nobody measured %s", k.key)
		default:
			f.is(Degraded, "%s: %s", k.key, v)
		}
	}
	if h.StatusMessage != "" {
		f.is(Degraded, "status_message is not shown")
	}
	if h.Timeout > 0 && a.Timeout.Unit == "" {
		f.is(Degraded, "there is no time-out to set")
	}
	if h.TimeoutAction == "block" && a.Timeout.OnExpiry == "allow" {
		f.is(Inverted, "at the time-out the action goes on")
	}
}

// answers: how a hook of the format refuses.
func (f *Fate) answers(h Hook, a *dialect.Agent) {
	p := dialect.Point(h.Event)
	if !slices.Contains([]dialect.Point{dialect.BeforeTool, dialect.BeforePrompt, dialect.AgentStop}, p) {
		return
	}
	if !a.Reads(p) {
		f.is(Unknown, "what it makes of answers is unknown")
		return
	}
	exit2 := a.Read(dialect.Answer{Point: p, Exit: 2, Stderr: "no"})
	deny := a.Read(dialect.Answer{Point: p, Stdout: `{"decision":"deny","reason":"no"}`})
	f.answer(exit2, h.Blocking, "exit 2")
	f.answer(deny, true, `"decision": "deny"`)
}

func (f *Fate) answer(got dialect.Effect, refuses bool, says string) {
	switch {
	case got.Kind == dialect.Unknown:
		f.is(Unknown, "nobody measured what %s does", says)
	case refuses && !got.Prevents():
		f.is(Inverted, "%s", strings.TrimSuffix(says+" lets pass: "+got.Because(), ": "))
	case !refuses && got.Prevents():
		f.is(Degraded, "%s refuses, though the hook only observes", says)
	}
}
