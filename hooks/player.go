package hooks

import (
	"minigem/hooks/protocol"
	"minigem/llm"
)

// Player makes an engine do as another agent does, its bugs included, in the
// place of the rules of this package. It is for test cases: only a program that
// sets Engine.Player has one, and no setting, variable, flag of a session or
// answer of a hook leads there. Its methods are called concurrently.
type Player interface {
	// Plays reports whether the agent's rules hold at ev, or ours.
	Plays(ev Event) bool
	// Name is the event's in reports, another one than ours where the agent tells
	// failed tools apart, and what its matchers see.
	Name(f Firing) (ev Event, subject string)
	// Plan are all hooks that are configured for what fires, in their order;
	// Skipped says why one does not run. inTurn: they run one after the other.
	Plan(f Firing, c Config) (runs []Run, inTurn bool)
	// Payload is what h reads, and Env are the variables that it gets, except its
	// own.
	Payload(f Firing, h Hook) Payload
	Env(f Firing, h Hook) []string
	// Read says what a run means: its Reading and its Decision.
	Read(f Firing, r *Run)
	// Halts reports whether those that come after r in turn do not run.
	Halts(f Firing, r Run) bool
	// Settle is what all runs come to. It alone has an effect.
	Settle(f Firing, runs []Run) Settled
}

// Firing is an event on its way to hooks.
type Firing struct {
	Event   Event
	Subject string
	Call    llm.ToolCall // of the tool events
	Exit    int          // of a command that ran, AfterTool only
	Origin  Origin
	Input   Payload // as Gemini CLI's hooks read it
}

// Settled is what an agent makes of the answers of all hooks.
type Settled struct {
	Output   protocol.Output
	Decision Decision
	Hook     string  // that decided
	Instead  *string // the tool's result, in the place of what it gave; nil: that
}

// plan is that of the player, or of our own rules.
func (f *firing[S]) plan(c Config) plan {
	if f.player == nil {
		return f.e.plan(c, f.ev.name, f.ev.subject, f.ev.use, f.origin, at{f.report.Agent, f.e.isActive})
	}
	var p plan
	p.runs, p.sequential = f.player.Plan(f.what, c)
	for i := range p.runs {
		if p.runs[i].Skipped == "" {
			p.runs[i].Skipped = at{}.without(p.runs[i].Hook) // other agents read other heads
		}
		if p.runs[i].Skipped == "" {
			p.todo = append(p.todo, i)
		}
	}
	return p
}

// settle is state as the player makes it of all answers; without a player each
// answer has been applied by itself.
func (f *firing[S]) settle(state S) S {
	if f.player == nil {
		return state
	}
	s := f.player.Settle(f.what, f.report.Runs)
	f.settled = Run{Hook: Hook{Name: s.Hook}, Reading: protocol.Reading{Output: s.Output}, Decision: s.Decision}
	if f.ev.apply != nil {
		state = f.ev.apply(state, &answer{Output: s.Output, report: &f.report, run: &f.settled, hook: s.Hook,
			instead: s.Instead})
	}
	return state
}
