// Package played plays other agents in minigem's own loop, for test cases: their
// hooks are found as they find them, read what they read there, and their
// answers come to what they come to there, bugs included. What an agent does
// stands in the tables of hooks/agents. What nobody measured is not played: it
// is "cannot", with the reason.
package played

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

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
	play    *tables.Play
	why     string // it cannot be played; empty: it can
}

// Find finds the agents of a list such as claude,codex; all are those that were
// measured. That one cannot be played at all is not an error: see Cannot.
func Find(names []string) ([]Agent, error) {
	var out []Agent
	for _, name := range names {
		list, err := tables.List(name)
		if unmeasured := (*tables.Unmeasured)(nil); errors.As(err, &unmeasured) {
			out = append(out, Agent{Agent: &tables.Agent{ID: name, Name: unmeasured.Name}, why: err.Error()})
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, a := range list {
			if a.ID == "copilotc" {
				continue // it is copilot, with other names of events
			}
			if !slices.ContainsFunc(out, func(o Agent) bool { return o.ID == a.ID }) {
				p := Agent{Agent: a, adapter: adapterOf(a.ID), play: a.Play}
				if p.adapter == nil || p.play == nil {
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

// Title is what a column is called.
func (a Agent) Title() string {
	if a.why != "" {
		return a.ID + " (unproven)"
	}
	return a.ID + " (played)"
}

// Cannot says why no case can be played; empty: cases can.
func (a Agent) Cannot() string { return a.why }

// played are the points at which answers are those of the agent.
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

// ownModelEvents are those of Gemini CLI that minigem fires by its own rules.
var ownModelEvents = []protocol.Event{protocol.BeforeModel, protocol.BeforeToolSelection, protocol.AfterModel}

// Player plays one agent in one session. It implements hooks.Rules.
type Player struct {
	Agent
	setup testbed.Setup
	hooks []hook

	mu        sync.Mutex
	calls     map[string]*call // by id
	ids       int
	cannot    []string // why what happened cannot be said, each once
	retrying  bool     // the next prompt is a hook's
	goneOn    int      // how often a hook made it go on
	prompts   bool     // a hook did something with a prompt
	ended     string   // a hook ended the run before its first request
	system    string   // what hooks said for the system instruction
	requested int      // how many requests the model got
	answers   []string // the texts that it answered, except empty ones
}

// New plays a in the session that setup describes.
func New(a Agent, setup testbed.Setup) (*Player, error) {
	if why := a.Cannot(); why != "" {
		return nil, &testbed.CannotError{Why: why}
	}
	if a.adapter.Start.Modes[setup.Mode] == nil && a.play.Modes[setup.Mode] == "" {
		return nil, &testbed.CannotError{Why: fmt.Sprintf("%s has no mode %s", a.Agent.Name, setup.Mode)}
	}
	p := &Player{Agent: a, setup: setup, calls: map[string]*call{}}
	if setup.HooksOff {
		return p, nil
	}
	return p, p.find()
}

// Cannot are reasons why what happened is not what the agent would have done.
func (p *Player) Cannots() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.cannot)
}

// unknown keeps why something cannot be played.
func (p *Player) unknown(format string, args ...any) {
	why := fmt.Sprintf(format, args...)
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Contains(p.cannot, why) {
		p.cannot = append(p.cannot, why)
	}
}

// Mode is minigem's approval mode in which the agent is played.
func (p *Player) Mode() string {
	if p.confirms() {
		return "yolo"
	}
	return p.setup.Mode
}

// confirms: somebody has to confirm calls that change anything, nobody is there,
// and a hook may do so.
func (p *Player) confirms() bool { return p.setup.Mode == "default" && p.ID != "gemini" }

// readOnly reports whether what a kind of tool does needs no confirmation.
func readOnly(kind string) bool {
	return slices.Contains([]string{"read", "search", "find", "list"}, kind)
}

// Rules returns the player as the rules of all events that it plays. Events that
// minigem added do not happen.
func (p *Player) Rules() map[hooks.Event]hooks.Rules {
	rules := map[hooks.Event]hooks.Rules{}
	for _, ev := range protocol.Events {
		switch {
		case ev.IsAdded():
			rules[ev] = nil
		case p.plays(ev):
			rules[ev] = p
		}
	}
	return rules
}

// plays reports whether the agent's rules hold at ev, or ours.
func (a Agent) plays(ev hooks.Event) bool {
	return a.ID != "gemini" || !slices.Contains(ownModelEvents, ev)
}

// subject returns what matchers of the event see.
func (p *Player) subject(f hooks.Firing, name hooks.Event) string {
	if f.Event.IsTool() {
		return p.toolName(f, p.Agent.Agent)
	}
	native, _ := p.Event(played[name])
	payload := p.values(f, p.Agent.Agent).Payload(p.play.Payloads[native.Native])
	for _, key := range []string{"source", "reason"} {
		if s, ok := payload[key].(string); ok {
			return s
		}
	}
	return f.Subject
}

func (p *Player) name(f hooks.Firing) hooks.Event {
	if f.Event == protocol.AfterTool && p.tellsFailures() && p.failed(f) {
		return toolFailed
	}
	return f.Event
}

// tellsFailures: failed tools have an event of their own.
func (p *Player) tellsFailures() bool {
	_, ok := p.Event(failedPoint)
	return ok
}

// Plan implements hooks.Rules.
func (p *Player) Plan(f hooks.Firing) hooks.Plan {
	name := p.name(f)
	why := p.whyNot(f, name)
	p.noteRetry(f)
	plan := hooks.Plan{
		Event: name, Subject: p.subject(f, name), InTurn: p.play.Several.Order == "in turn",
		Settle: func(runs []hooks.Run) hooks.Settled { return p.settle(f, runs) },
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
		case seen[h.agent.ID+h.Command] && p.play.Several.Same == "once":
			r.Skipped = "the same command runs once at an event there"
		case seen[h.agent.ID+h.Command] && p.play.Several.Same == "":
			p.unknown("nobody has measured how often %s runs a command that is configured twice at one event",
				p.Agent.Agent.Title())
		}
		if r.Skipped == "" {
			seen[h.agent.ID+h.Command] = true
		}
		plan.Runs = append(plan.Runs, r)
	}
	return plan
}

// whyNot says why no hook runs at what fires; empty: they do.
func (p *Player) whyNot(f hooks.Firing, name hooks.Event) string {
	native, ok := p.Event(played[name])
	switch {
	case !ok:
		return fmt.Sprintf("%s has no event %s", p.Agent.Agent.Name, name)
	case native.Fires == "no":
		return fmt.Sprintf("%s does not fire %s in a run without a terminal", p.Agent.Agent.Name, native.Native)
	case name == protocol.AfterTool && p.play.Failures == "silent" && p.failed(f):
		return fmt.Sprintf("%s fires no event for a tool that failed", p.Agent.Agent.Name)
	case name == protocol.AfterAgent && p.play.StopOnce && p.wentOn():
		return fmt.Sprintf("%s does not fire %s again once a hook made it go on", p.Agent.Agent.Name, native.Native)
	case name == protocol.BeforeAgent && p.retries() && !slices.Contains(p.play.Again, "retry"):
		return fmt.Sprintf("%s fires %s for what the user submitted alone", p.Agent.Agent.Name, native.Native)
	}
	return ""
}

func (p *Player) retries() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.retrying
}

// wentOn reports whether a hook made the agent go on before.
func (p *Player) wentOn() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.goneOn > 0
}

// noteRetry forgets, once the prompt of a hook is on its way, that it is one.
func (p *Player) noteRetry(f hooks.Firing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if f.Event == protocol.BeforeAgent {
		p.retrying = false
	}
}

// matches reports whether h is about what fires, and if not, why.
func (p *Player) matches(h hook, f hooks.Firing) (matched bool, why string) {
	if !f.Event.IsTool() {
		if h.Matcher != "" && h.Matcher != "*" {
			p.unknown("nobody has measured what %s does with the matcher %q at %s", p.Agent.Agent.Title(), h.Matcher, h.native)
		}
		return true, ""
	}
	name := p.toolName(f, h.agent)
	if h.tools != nil && h.agent.Matcher.Kind == "none" {
		matched = slices.Contains(h.tools, name)
	} else {
		fires, known := h.agent.Fires(h.Matcher, name)
		if !known && h.Matcher != "" && h.Matcher != "*" {
			p.unknown("nobody has measured which tools a matcher of %s fires for", p.Agent.Agent.Title())
		}
		matched = fires || !known
	}
	if !matched {
		return false, fmt.Sprintf("matcher %q does not match %q in %s", h.Matcher, name, p.Agent.Agent.Name)
	}
	return true, ""
}

// Halts implements hooks.Rules.
func (p *Player) Halts(f hooks.Firing, r hooks.Run) bool {
	if !p.play.Several.Halts || !f.Event.IsTool() {
		return false
	}
	e := p.effect(f, r)
	return e.Kind == tables.Refused || e.Kind == tables.Asked || e.Kind == tables.Replaced && e.Reason != ""
}

// env returns the variables that h gets.
func (p *Player) env(f hooks.Firing, h hooks.Hook) []string {
	var env []string
	a := p.agentOf(h)
	v := p.values(f, a)
	for name, value := range a.Play.Env {
		env = append(env, name+"="+fmt.Sprint(v.Fill(value)))
	}
	slices.Sort(env)
	return env
}

// agentOf is the agent as which a hook is treated: those of Copilot CLI with
// events in PascalCase have rules of their own.
func (p *Player) agentOf(h hooks.Hook) *tables.Agent {
	if a, err := tables.Find(h.Dialect); err == nil {
		return a
	}
	return p.Agent.Agent
}

// Retries is how often a hook may make the agent go on.
func (p *Player) Retries() int {
	if p.Stop.Endless {
		return enough
	}
	return p.Stop.Retries
}

// enough is when an agent that would go on for ever is ended.
const enough = 50

// endless reports whether it had to be ended.
func (p *Player) endless() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Stop.Endless && p.goneOn > enough
}

// Exit is the exit status of the run, where minigem's would be exit.
func (p *Player) Exit(exit int, blocked bool) int {
	if blocked {
		return p.play.Blocked
	}
	return exit
}

// Lines are what is not played, for people.
func (a Agent) Lines() []string {
	var out []string
	for _, c := range a.Agent.Cannot {
		out = append(out, a.ID+": "+strings.TrimSpace(c))
	}
	return out
}
