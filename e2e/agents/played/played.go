// Package played plays other agents in minigem's own loop, for test cases: their hooks are
// found as those agents find them, read what they read there, and their answers have the
// effect that they have there, bugs included. The tables of hooks/agents describe the
// agents. What was not measured is not played: it is "cannot", with the reason.
package played

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"minigem/e2e/agents"
	"minigem/e2e/testbed"
	"minigem/hooks"
	tables "minigem/hooks/agents"
	"minigem/hooks/protocol"
)

// Agent is an agent that can be played.
type Agent struct {
	*tables.Agent
	adapter *agents.Adapter
	why     string // why it cannot be played; empty if it can
}

// Find returns the agents of a list such as claude,codex. "all" means all measured agents.
// A known agent that was not measured is not an error: see Cannot.
func Find(names []string) ([]Agent, error) {
	var out []Agent
	for _, name := range names {
		list, err := tables.List(name)
		if unmeasured := (*tables.Unmeasured)(nil); errors.As(err, &unmeasured) {
			out = append(out, Agent{Agent: &tables.Agent{ID: name, Name: unmeasured.Name}, why: err.Error()})
			continue
		}
		if _, none := agents.Choose([]string{name}); none != nil || err != nil {
			return nil, cmp.Or(none, err)
		}
		for _, a := range list {
			if a.ID == agents.Pascal {
				continue
			}
			if !slices.ContainsFunc(out, func(o Agent) bool { return o.ID == a.ID }) {
				p := Agent{Agent: a, adapter: adapterOf(a.ID)}
				if p.adapter == nil || p.Play == nil {
					p.why = a.Name + " is not played: its file has no table play, or no table drive"
				}
				out = append(out, p)
			}
		}
	}
	return out, nil
}

func adapterOf(id string) *agents.Adapter {
	for _, a := range agents.Adapters() {
		if a.Name == id {
			return a
		}
	}
	return nil
}

// Title returns the title of the agent's column.
func (a Agent) Title() string {
	if a.why != "" {
		return a.ID + " (unproven)"
	}
	return a.ID + " (played)"
}

// Cannot explains why no case can be played. It is empty if cases can be.
func (a Agent) Cannot() string { return a.why }

// played maps the events at which answers have the agent's effects to their points.
var played = map[protocol.Event]tables.Point{
	protocol.SessionStart: tables.SessionStart, protocol.BeforeAgent: tables.BeforePrompt,
	protocol.BeforeTool: tables.BeforeTool,
	protocol.AfterTool:  tables.AfterTool, protocol.AfterAgent: tables.AgentStop, protocol.SessionEnd: sessionEnd,
	toolFailed: failedPoint,
}

const (
	toolFailed  protocol.Event = "PostToolUseFailure"
	failedPoint tables.Point   = "tool_failed"
	sessionEnd  tables.Point   = "session_end"
)

// ownModelEvents lists Gemini CLI's events that minigem fires by its own rules.
var ownModelEvents = []protocol.Event{protocol.BeforeModel, protocol.BeforeToolSelection, protocol.AfterModel}

// Player plays one agent in one session. It implements hooks.Rules.
type Player struct {
	*scene
	hooks  []hook
	calls  *calls
	course *course
	reads  *payloads
	does   *effects
}

// New plays a in the session that setup describes.
func New(a Agent, setup testbed.Setup) (*Player, error) {
	if why := a.Cannot(); why != "" {
		return nil, &testbed.CannotError{Why: why}
	}
	if a.adapter.Start.Modes[setup.Mode] == nil && a.Play.Modes[setup.Mode] == "" {
		return nil, &testbed.CannotError{Why: fmt.Sprintf("%s has no mode %s", a.Agent.Name, setup.Mode)}
	}
	s, run := &scene{agent: a.Agent, adapter: a.adapter, setup: setup}, &course{}
	calls := &calls{scene: s, byID: map[string]*call{}}
	reads := &payloads{s, calls, run}
	p := &Player{scene: s, calls: calls, course: run, reads: reads, does: &effects{s, calls, run, reads}}
	if setup.HooksOff {
		return p, nil
	}
	find := &finder{scene: s}
	err := find.find()
	p.hooks = find.hooks
	return p, err
}

// Rules returns the player for all events that it plays. Events that minigem added do not
// happen.
func (p *Player) Rules() map[protocol.Event]hooks.Rules {
	rules := map[protocol.Event]hooks.Rules{}
	for _, ev := range protocol.Events {
		switch {
		case ev.IsAdded():
			rules[ev] = nil
		case plays(p.agent, ev):
			rules[ev] = p
		}
	}
	return rules
}

// plays reports whether the agent's rules apply to ev, not minigem's.
func plays(a *tables.Agent, ev protocol.Event) bool {
	return a.ID != "gemini" || !slices.Contains(ownModelEvents, ev)
}

// subject returns what matchers of the event are compared with.
func (p *Player) subject(f hooks.Firing, name protocol.Event) string {
	if f.Event.IsTool() {
		return p.calls.toolName(f, p.agent)
	}
	native, _ := p.agent.Event(played[name])
	payload := p.reads.values(f, p.agent).Payload(p.agent.Play.Payloads[native.Native])
	for _, key := range []string{"source", "reason"} {
		if s, ok := payload[key].(string); ok {
			return s
		}
	}
	return f.Subject
}

// Plan implements hooks.Rules.
func (p *Player) Plan(f hooks.Firing) hooks.Plan {
	name := p.reads.name(f)
	why := p.whyNot(f, name)
	if f.Event == protocol.BeforeAgent { // the prompt of a hook was submitted
		p.course.note(func(at *progress) { at.retrying = false })
	}
	plan := hooks.Plan{
		Event: name, Subject: p.subject(f, name), InTurn: p.agent.Play.Several.Order == "in turn",
		Settle: func(runs []hooks.Run) hooks.Settled { return p.does.settle(f, runs) },
	}
	seen := map[string]bool{}
	for _, h := range p.hooks {
		if h.Event != name {
			continue
		}
		r := hooks.Run{Hook: h.Hook}
		r.Matched, r.Skipped = p.matches(h, f)
		switch {
		case r.Skipped != "":
		case why != "":
			r.Skipped = why
		case seen[h.agent.ID+h.Command] && p.agent.Play.Several.Same == "once":
			r.Skipped = "the same command runs once at an event there"
		case seen[h.agent.ID+h.Command] && p.agent.Play.Several.Same == "":
			p.unknown("not measured: how often %s runs a command that is configured twice at one event",
				p.agent.Title())
		}
		if r.Skipped == "" {
			seen[h.agent.ID+h.Command] = true
		}
		plan.Runs = append(plan.Runs, r)
	}
	return plan
}

// whyNot explains why no hook runs for f. It is empty if hooks run.
func (p *Player) whyNot(f hooks.Firing, name protocol.Event) string {
	native, ok := p.agent.Event(played[name])
	switch {
	case !ok:
		return fmt.Sprintf("%s has no event %s", p.agent.Name, name)
	case native.Fires == "no":
		return fmt.Sprintf("%s does not fire %s in a run without a terminal", p.agent.Name, native.Native)
	case name == protocol.AfterTool && p.agent.Play.Failures == "silent" && p.reads.failed(f):
		return fmt.Sprintf("%s fires no event for a tool that failed", p.agent.Name)
	case name == protocol.AfterAgent && p.agent.Play.StopOnce && p.course.now().goneOn > 0:
		return fmt.Sprintf("%s does not fire %s again once a hook made it go on", p.agent.Name, native.Native)
	case name == protocol.BeforeAgent && p.course.now().retrying && !slices.Contains(p.agent.Play.Again, "retry"):
		return fmt.Sprintf("%s fires %s only for what the user submitted", p.agent.Name, native.Native)
	}
	return ""
}

// matches reports whether h matches f, and if not, why.
func (p *Player) matches(h hook, f hooks.Firing) (matched bool, why string) {
	if !f.Event.IsTool() {
		if h.Matcher != "" && h.Matcher != "*" {
			p.unknown("not measured: what %s does with the matcher %q at %s", p.agent.Title(), h.Matcher, h.native)
		}
		return true, ""
	}
	name := p.calls.toolName(f, h.agent)
	if h.tools != nil && h.agent.Matcher.Kind == "none" {
		matched = slices.Contains(h.tools, name)
	} else {
		fires, known := h.agent.Fires(h.Matcher, name)
		if !known && h.Matcher != "" && h.Matcher != "*" {
			p.unknown("not measured: which tools a matcher of %s fires for", p.agent.Title())
		}
		matched = fires || !known
	}
	if !matched {
		return false, fmt.Sprintf("matcher %q does not match %q in %s", h.Matcher, name, p.agent.Name)
	}
	return true, ""
}

// Halts implements hooks.Rules.
func (p *Player) Halts(f hooks.Firing, r hooks.Run) bool {
	if !p.agent.Play.Several.Halts || !f.Event.IsTool() {
		return false
	}
	e := p.does.effect(f, r)
	return e.Kind == tables.Refused || e.Kind == tables.Asked || e.Kind == tables.Replaced && e.Reason != ""
}

// Retries returns how often a hook may make the agent continue.
func (p *Player) Retries() int {
	if p.agent.Stop.Endless {
		return enough
	}
	return p.agent.Stop.Retries
}

// enough is the number of continuations after which an endless agent is stopped.
const enough = 50

// endless reports whether the agent had to be stopped.
func (p *Player) endless() bool {
	return p.agent.Stop.Endless && p.course.now().goneOn > enough
}

// Exit returns the agent's exit code, given minigem's.
func (p *Player) Exit(exit int, blocked bool) int {
	if blocked {
		return p.agent.Play.Blocked
	}
	return exit
}
