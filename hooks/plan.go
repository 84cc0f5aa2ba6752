package hooks

// Which hooks of an event run, and in which order:
//
//   - project, user, system defaults, system, extensions; within a layer as
//     configured;
//   - a disabled or untrusted hook never runs, nor one whose matcher does not
//     match;
//   - of several with the same name and command the first runs, the others are
//     shadowed by it; one that came with the project runs as the user's or the
//     system's that it shadows is set, and does not shadow one of another dialect;
//   - if one that runs is sequential, all run one after the other.

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"minigem/hooks/protocol"
)

// subject is what matchers see: a tool, or a lifecycle event's trigger.
type subject struct {
	name string
	mcp  *protocol.MCPContext
}

type plan struct {
	runs       []Run // every hook configured for the event, in order
	todo       []int // indices of those that run
	sequential bool
	lent       map[int]bool // those that run as one that they shadow is set
}

var layerRank = map[Layer]int{
	LayerProject: 0, LayerUser: 1, LayerSystemDefaults: 2, LayerSystem: 3, LayerExtension: 4,
}

func (e *Engine) plan(c Config, ev Event, s subject) plan {
	var p plan
	for _, h := range c.Hooks {
		if h.Event == ev {
			p.runs = append(p.runs, Run{Hook: h})
		}
	}
	slices.SortStableFunc(p.runs, func(a, b Run) int {
		return cmp.Compare(layerRank[a.Hook.Source.Layer], layerRank[b.Hook.Source.Layer])
	})
	for i := range p.runs {
		r := &p.runs[i]
		why := ""
		r.Matched, why = e.match(r, s)
		r.Skipped = p.skip(i, c.Off, why, e.Runner == nil)
		if r.Skipped == "" {
			p.todo = append(p.todo, i)
			p.sequential = p.sequential || r.Hook.Sequential
		}
	}
	return p
}

// skip says why hook i does not run; empty: it does.
func (p *plan) skip(i int, off, unmatched string, noRunner bool) string {
	r := &p.runs[i]
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
	for _, j := range p.todo {
		first := &p.runs[j].Hook
		if first.Name == r.Hook.Name && first.Command == r.Hook.Command && p.shadow(j, r.Hook) {
			return fmt.Sprintf("shadowed by the hook of the same name and command at %s", first.Source)
		}
	}
	return ""
}

// shadow reports whether run j shadows h, which has its name and command. How
// they differ is told.
func (p *plan) shadow(j int, h Hook) bool {
	first := &p.runs[j]
	guarded := brought(first.Hook) && !brought(h) && !p.lent[j]
	switch {
	case sameEffect(first.Hook, h) && first.Hook.Matcher == h.Matcher:
	case guarded && first.Hook.Dialect != h.Dialect:
		return false // its block would not be understood
	case guarded && !sameEffect(first.Hook, h):
		// With a time-out too short or another environment, what came with the
		// project would take h's block away by standing in for it.
		first.Hook.Timeout, first.Hook.OnError, first.Hook.Env = h.Timeout, h.OnError, h.Env
		first.Warnings = append(first.Warnings, fmt.Sprintf("shadows the hook at %s, and runs with the time-out, the environment and the onError of that one", h.Source))
	default:
		first.Warnings = append(first.Warnings, fmt.Sprintf("shadows the hook at %s, which has another time-out, matcher or environment", h.Source))
	}
	if guarded {
		if p.lent == nil {
			p.lent = map[int]bool{}
		}
		p.lent[j] = true
	}
	return true
}

// sameEffect reports whether two hooks with one command come to the same.
func sameEffect(a, b Hook) bool {
	return a.Timeout == b.Timeout && a.OnError == b.OnError && a.Dialect == b.Dialect && maps.Equal(a.Env, b.Env)
}

// brought reports whether h came with the project, and is not the user's or the
// administrator's own.
func brought(h Hook) bool {
	return h.Source.Layer == LayerProject || h.Source.Layer == LayerExtension
}

// String is "file:line", with what there is.
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

// match reports whether r's matcher accepts s, and if not, why.
func (e *Engine) match(r *Run, s subject) (matched bool, why string) {
	pattern := strings.TrimSpace(r.Hook.Matcher)
	ev := r.Hook.Event
	if pattern == "" || pattern == "*" {
		return true, ""
	}
	switch {
	case !ev.HasSubject():
		r.Warnings = append(r.Warnings, fmt.Sprintf("matcher %q has no effect: %s has nothing to match", pattern, ev))
		return true, ""
	case ev.IsTool():
		matched = e.matchTool(r, pattern, s)
	default:
		matched = slices.ContainsFunc(strings.Split(pattern, "|"), func(t string) bool {
			return strings.EqualFold(strings.TrimSpace(t), s.name)
		})
	}
	if !matched {
		return false, fmt.Sprintf("matcher %q does not match %q", pattern, s.name)
	}
	return true, ""
}

func (e *Engine) matchTool(r *Run, pattern string, s subject) bool {
	d := protocol.DialectOf(r.Hook.Dialect)
	names := d.MatcherNames(s.name)
	if s.mcp != nil {
		names = append(names, "mcp__"+s.mcp.ServerName+"__"+s.mcp.ToolName, "mcp_"+s.mcp.ServerName+"_"+s.mcp.ToolName)
	}
	if whole, ok := d.WholeNames(pattern); ok {
		return slices.ContainsFunc(names, func(n string) bool { return slices.Contains(whole, n) })
	}
	m := e.matcher(pattern)
	if m.invalid != "" {
		r.Warnings = append(r.Warnings, fmt.Sprintf("matcher %q is no valid regular expression (%s): it is compared literally", pattern, m.invalid))
	}
	if m.negative {
		// "Not X" would be true of one of X's other names.
		names = slices.DeleteFunc(names, func(n string) bool { return n != s.name && !strings.HasPrefix(n, "mcp_") })
	}
	for _, n := range names {
		ok, err := m.match(n)
		if err != nil {
			r.Warnings = append(r.Warnings, fmt.Sprintf("matcher %q took too long on %q and counts as a match", pattern, n))
			return true
		}
		if ok {
			return true
		}
	}
	return slices.Contains(strings.Split(pattern, "|"), protocol.ClassNames[s.name]) && protocol.ClassNames[s.name] != ""
}
