package hooks

import "minigem/hooks/protocol"

// Rules decide which hooks of an event run, what they read, and what their
// answers mean. The engine has its own, ownRules; those of another agent come
// from outside, through Engine.RulesAt. All methods but Plan are called
// concurrently.
type Rules interface {
	// Plan returns the hooks of the event, and which of them run.
	Plan(f Firing) Plan
	// Ask returns what h reads, and variables for it, "NAME=value". in is the event
	// in Gemini CLI's form, as the hooks before h left it.
	Ask(f Firing, h Hook, in Payload) (stdin Payload, env []string)
	// Read interprets a finished run: it sets its Reading and its Decision. Failed
	// says already why it did not end by itself; empty: it exited.
	Read(f Firing, r *Run, in Payload)
	// Halts reports whether the hooks that come after r in turn do not run.
	Halts(f Firing, r Run) bool
}

// Firing is what is known of an event whose hooks are about to run.
type Firing struct {
	Event    Event
	Subject  string   // what matchers see
	Use      ToolUse  // of the tool events
	Tools    []string // what the model is offered, BeforeToolSelection only
	Agent    Subagent
	Origin   Origin
	Base     protocol.Base
	PromptID string
	Config   Config
	Input    func() Payload // the event as Gemini CLI's hooks read it
}

// Plan is which hooks of an event run.
type Plan struct {
	Event   Event  // the name in reports; empty: the event's own
	Subject string // the same of what matchers see
	Runs    []Run  // every hook configured for the event, in order; Skipped says why one does not run
	InTurn  bool   // they run one after the other
	// Settle returns what all answers have as their effect together. nil: each has
	// its own, in configured order, and the strongest decision wins.
	Settle func(runs []Run) Settled
}

// Settled is the effect of all answers together.
type Settled struct {
	Output   protocol.Output
	Decision Decision
	Hook     string  // that decided
	Instead  *string // the tool's result that replaces what it gave; nil: that
}

// split returns the indices of the hooks that run, and of those that are not
// waited for.
func (p Plan) split(ev Event) (todo, late []int) {
	for i := range p.Runs {
		switch {
		case p.Runs[i].Skipped != "":
		case p.Runs[i].Hook.Async && ev != protocol.SessionEnd:
			late = append(late, i)
		default:
			todo = append(todo, i)
		}
	}
	return todo, late
}

// ownRules are minigem's. They are Gemini CLI's where docs/spec/contract.md does
// not say otherwise.
type ownRules struct{ e *Engine }

// Plan implements Rules.
func (o ownRules) Plan(f Firing) Plan { return o.planAt(f, at{f.Agent, o.e.skills.has}) }

// Read implements Rules.
func (o ownRules) Read(f Firing, r *Run, in Payload) {
	var input []byte
	if f.Event == protocol.BeforeTool || f.Event == protocol.PermissionRequest {
		input = in.Bytes()
	}
	r.Reading = protocol.DialectOf(r.Hook.Dialect).Parse(f.Event, protocol.Ran{
		Input: input, Code: r.Exit.Code, Failed: r.Failed,
		Cut:    protocol.CutStreams(r.Exit.StdoutTruncated, r.Exit.StderrTruncated),
		Stdout: r.Exit.Stdout, Stderr: r.Exit.Stderr, Tool: f.Subject, Tools: f.Tools, Read: r.Stdin.Bytes,
	})
	if o.e.BlockFailed && f.Event == protocol.BeforeTool && r.Hook.OnError == "" && r.Reading.Failed != "" {
		r.block("in a sandbox a call is blocked if a hook fails and has no onError", r.Reading.Failed)
	}
	r.judge(f.Event)
}

// Halts implements Rules.
func (ownRules) Halts(_ Firing, r Run) bool { return r.Decision == Stop }
