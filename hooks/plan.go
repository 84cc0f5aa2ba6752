package hooks

// Which hooks of an event run, and in which order:
//
//   - project, the extensions inside it, user, system defaults, system, the other
//     extensions; within a layer as configured;
//   - a disabled or untrusted hook never runs, nor one whose matcher does not
//     match;
//   - of several hooks with the same name, target, dialect and condition one runs, in its
//     own position and with its own settings: the one of the highest standing, and among
//     equals the first. Project hooks have the lowest standing. The others are shadowed;
//   - if one of them is sequential, a shadowed one too, all run one after the
//     other.

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"minigem/hooks/protocol"
)

// onceRan is the reason why a hook with Once does not run again.
const onceRan = "it runs only once, and has run"

// at describes where an event happens.
type at struct {
	agent Subagent
	skill func(name string) bool // reports whether a skill is active; nil means that none is
}

// without says why h does not run here: its skill or agent is not active.
func (a at) without(h Hook) string {
	switch w := h.Within; {
	case w.Agent != "" && (a.agent.Type != w.Agent || a.agent.File != "" && a.agent.File != h.Source.File):
		return "it runs in the agent " + w.Agent + " alone"
	case w.Skill != "" && (a.skill == nil || !a.skill(w.Skill)):
		return "it runs while the skill " + w.Skill + " is active"
	}
	return ""
}

// subject is what matchers see: a tool, an agent, or a lifecycle event's trigger.
type subject struct {
	name string
	mcp  *protocol.MCPContext
}

// layerRank orders the layers; 1 is left for extensions inside the project.
var layerRank = map[Layer]int{
	LayerProject: 0, LayerUser: 2, LayerSystemDefaults: 3, LayerSystem: 4, LayerExtension: 5,
}

// Rank orders hooks by their place of running, the lowest first: project, extensions
// inside it, user, system defaults, system, other extensions. Hooks of one rank run in
// configured order.
func (s Source) Rank() int {
	if s.InProject {
		return layerRank[LayerProject] + 1
	}
	return layerRank[s.Layer]
}

// Standing decides which of several equal hooks runs: the one with the highest
// standing, and among equals the first. Project hooks, and extensions inside the
// project, have the lowest, 0. So a project cannot replace a guard of the user or the
// system by a copy with too short a timeout, another environment or an earlier
// position.
func (s Source) Standing() int {
	switch {
	case s.OfProject():
		return 0
	case s.Layer == LayerExtension:
		return 1
	}
	return layerRank[s.Layer]
}

// planAt implements Plan for an event that happens at where.
func (o ownRules) planAt(f Firing, where at) Plan {
	e, p := o.e, Plan{}
	for _, h := range f.Config.Hooks {
		if h.Event == f.Event {
			p.Runs = append(p.Runs, Run{Hook: h})
		}
	}
	slices.SortStableFunc(p.Runs, func(a, b Run) int {
		return cmp.Compare(a.Hook.Source.Rank(), b.Hook.Source.Rank())
	})
	for i := range p.Runs {
		r := &p.Runs[i]
		why := ""
		r.Matched, why = e.matchers.match(r, subject{f.Subject, f.Use.MCP})
		r.Skipped = r.skip(f.Config.Off, why, e.Runner == nil)
		if r.Skipped == "" {
			r.Skipped = where.without(r.Hook)
		}
		if r.Skipped == "" && e.hadIts(r.Hook, f.Origin.SessionID) {
			r.Skipped = onceRan
		}
		if r.Skipped == "" && r.Hook.If != "" && !f.Event.IsTool() {
			r.Skipped = "its condition is for tools, and " + string(f.Event) + " has none"
		}
		failed := f.Event == protocol.AfterTool && f.Use.Failed
		if r.Skipped == "" && failed && protocol.DialectOf(r.Hook.Dialect).FailuresApart {
			r.Skipped = "the tool failed: hooks of this dialect read that at PostToolUseFailure"
		}
		p.InTurn = p.InTurn || r.Skipped == "" && r.Hook.Sequential
	}
	p.conditions(f)
	p.shadow()
	return p
}

// conditions skips the hooks whose condition does not hold. For hooks that run one
// after the other, this is decided only when their turn comes.
func (p *Plan) conditions(f Firing) {
	for i := range p.Runs {
		if r := &p.Runs[i]; r.Skipped == "" && !p.InTurn {
			r.Skipped = f.Config.unmet(r.Hook, Call{f.Subject, f.Use.MCP, f.Use.Call.Args, f.Origin})
		}
	}
}

// unmet returns why h's condition does not hold for call, or "" if it does.
func (c Config) unmet(h Hook, call Call) string {
	if c.Conditions == nil || strings.TrimSpace(h.If) == "" {
		return ""
	}
	return c.Conditions.Unmet(h.If, call)
}

// unmet says why hook i does not run, given what the ones before it left.
func (f *firing[S]) unmet(i int, stdin Payload) string {
	h := f.report.Runs[i].Hook
	if h.If == "" {
		return ""
	}
	args, _ := gjson.GetBytes(stdin.Bytes(), "tool_input").Value().(map[string]any)
	return f.Config.unmet(h, Call{f.Subject, f.Use.MCP, args, f.Origin})
}

// skip returns why r does not run, regardless of the other hooks, or "" if it may run.
func (r *Run) skip(off, unmatched string, noRunner bool) string {
	switch {
	case off != "":
		return "hooks are off: " + off
	case r.Hook.Untrusted != "":
		return "not trusted: " + r.Hook.Untrusted
	case r.Hook.Disabled != "":
		return "disabled: " + r.Hook.Disabled
	case !r.Matched:
		return unmatched
	case noRunner:
		return "nothing here can run hooks"
	}
	return ""
}

// shadow skips all but one of each group of equal hooks, and warns if their settings
// differ.
func (p *Plan) shadow() {
	type key struct{ name, target, url, dialect, condition string }
	same := map[key][]*Run{}
	for i := range p.Runs {
		if r := &p.Runs[i]; r.Skipped == "" {
			k := key{r.Hook.Name, r.Hook.Target(), r.Hook.URL, protocol.DialectOf(r.Hook.Dialect).Name, r.Hook.If}
			same[k] = append(same[k], r)
		}
	}
	for _, runs := range same {
		first := runs[0]
		for _, r := range runs[1:] {
			if r.Hook.Source.Standing() > first.Hook.Source.Standing() {
				first = r
			}
		}
		for _, r := range runs {
			if r == first {
				continue
			}
			r.Skipped = fmt.Sprintf("shadowed by the hook of the same name and command at %s", first.Hook.Source)
			if !sameSettings(r.Hook, first.Hook) {
				first.Warnings = append(
					first.Warnings, fmt.Sprintf("shadows the hook at %s, which has another timeout, matcher or environment",
						r.Hook.Source))
			}
		}
	}
}

// sameSettings reports whether two hooks with the same target also behave the same.
func sameSettings(a, b Hook) bool {
	return a.Timeout == b.Timeout && a.OnError == b.OnError && a.Matcher == b.Matcher && maps.Equal(a.Env, b.Env) &&
		len(a.Handler.Differing(b.Handler)) == 0
}

// String returns "file:line". Without a file it returns the layer, without a line only
// the file, and "an unknown place" if nothing is known.
func (s Source) String() string {
	where := s.File
	if where == "" {
		where = string(s.Layer)
	}
	if s.Line > 0 {
		where = fmt.Sprintf("%s:%d", where, s.Line)
	}
	if where == "" {
		return "an unknown place"
	}
	return where
}
