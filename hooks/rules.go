package hooks

import "minigem/hooks/protocol"

// Rules decide which hooks of an event run, what they read, and what their answers mean.
// The engine has its own rules. [Engine.RulesAt] replaces them at an event, such as by
// the rules of another agent. The engine may call all methods but Plan concurrently.
type Rules interface {
	// Plan returns the hooks that are configured for the event, and says which of them
	// run. It is called once per event, before anything runs.
	Plan(f Firing) Plan
	// Ask returns the payload that h reads, and variables for its environment,
	// "NAME=value". in is the event in Gemini CLI's form, as the hooks before h left it.
	Ask(f Firing, h Hook, in Payload) (stdin Payload, env []string)
	// Read interprets a finished run: it must set r.Reading and r.Decision. If r.Failed
	// is not empty, it says why the hook did not exit by itself; Read may change it.
	Read(f Firing, r *Run, in Payload)
	// Halts reports whether the remaining hooks are skipped after r. It matters only for
	// hooks that run one after the other.
	Halts(f Firing, r Run) bool
}

// Firing is what is known about an event when its hooks are about to run. [Rules] must
// not change it.
type Firing struct {
	// Event is the event that is fired.
	Event protocol.Event
	// Subject is what matchers see: the name of a tool or an agent, or a trigger; may be
	// empty.
	Subject string
	// Use is the tool call; zero at events that are not about a tool.
	Use ToolUse
	// Tools names the tools that the model is offered. BeforeToolSelection only.
	Tools []string
	// Agent is the subagent that the event is about; zero for the main agent.
	Agent Subagent
	// Origin is the session in force when the event was fired.
	Origin Origin
	// Base holds the fields that every payload begins with.
	Base protocol.Base
	// PromptID is a UUID that is the same for all events of one submitted prompt.
	PromptID string
	// Config is the configuration in force when the event was fired. It stays the same if
	// [Engine.SetConfig] is called meanwhile.
	Config Config
	// Input returns the event as a hook of Gemini CLI's dialect reads it. It is built on
	// the first call. Only Plan may make that call; later the result is shared.
	Input func() Payload
}

// Plan says which hooks of an event run, and how.
type Plan struct {
	// Event is the event's name in reports; empty for [Firing.Event].
	Event protocol.Event
	// Subject is the subject in reports; empty for [Firing.Subject].
	Subject string
	// Runs has one entry for every hook configured for the event, in the order of
	// running. [Run.Skipped] says why a hook does not run.
	Runs []Run
	// InTurn makes the hooks run one after the other, each reading what the one before
	// left. Otherwise they run concurrently and read the same.
	InTurn bool
	// Settle returns the joint effect of all answers. If it is nil, answers are applied
	// one by one in configured order, and the strongest decision wins.
	Settle func(runs []Run) Settled
}

// Settled is the joint effect of all answers, made by [Plan.Settle].
type Settled struct {
	// Output is applied to the event as if one hook had answered it.
	Output protocol.Output
	// Decision is the decision of the event. It need not be the strongest of the answers.
	Decision Decision
	// Hook is the ID of the hook that decided.
	Hook string
	// Instead is what replaces the tool's result; nil leaves it as it is.
	Instead *string
}

// split returns the indices of the hooks that the event waits for, and of those with
// async, which it does not wait for. SessionEnd waits for all.
func (p Plan) split(ev protocol.Event) (todo, late []int) {
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

// ownRules are minigem's rules: Gemini CLI's, except where docs/spec/contract.md says
// otherwise.
type ownRules struct{ e *Engine }

// Plan implements [Rules].
func (o ownRules) Plan(f Firing) Plan { return o.planAt(f, at{f.Agent, o.e.skills.has}) }

// Read implements [Rules].
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

// Halts implements [Rules].
func (ownRules) Halts(_ Firing, r Run) bool { return r.Decision == Stop }
