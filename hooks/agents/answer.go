package agents

import "strings"

// Answer is how a hook ended and what it printed. It is the input of [Agent.Read].
type Answer struct {
	// Point is the lifecycle point of the event.
	Point Point
	// Exit is the exit status.
	Exit int
	// Stdout is everything that the hook printed there.
	Stdout string
	// Stderr is everything that the hook printed there.
	Stderr string
	// TimedOut says that the hook was ended because it took too long.
	TimedOut bool
	// Killed says that a signal ended the hook, other than at its timeout.
	Killed bool
	// Odd says that the hook could not be started. The effect of that was not measured.
	Odd bool
}

// Kind is what happened to the action.
type Kind string

const (
	// Unknown means that it was not measured.
	Unknown Kind = "unknown"
	// Allowed means that the action went on as if there were no hook.
	Allowed Kind = "allowed"
	// Refused means that the tool did not run.
	Refused Kind = "refused"
	// Asked means that a person must confirm the action. Without a person it does not
	// happen.
	Asked Kind = "asked"
	// Rewritten means that the action went on with other arguments or another prompt.
	Rewritten Kind = "rewritten"
	// Replaced means that the model reads something else instead of the tool's result.
	Replaced Kind = "result-replaced"
	// Appended means that the model reads the tool's result and more text.
	Appended Kind = "appended"
	// Context means that the action went on and the model reads more.
	Context Kind = "context"
	// Retry means that the agent goes on instead of ending.
	Retry Kind = "retry"
	// PromptBlocked means that the prompt was not sent.
	PromptBlocked Kind = "prompt-blocked"
	// RunEnded means that the run ended there.
	RunEnded Kind = "run-ended"
	// Answered means that the hook answered for the model.
	Answered Kind = "answered"
)

// Effect is how an agent treats an [Answer].
type Effect struct {
	// Kind is what happened to the action.
	Kind Kind
	// Reason is why, as the model reads it; it may be the agent's own words.
	Reason string
	// Context is what else the model reads.
	Context string
	// Ran says, of RunEnded at a tool, that the tool ran first.
	Ran bool
	// Ends says, of any other kind, that the run ends as well.
	Ends bool
	// Input holds the new arguments, in the agent's names. Rewritten only.
	Input map[string]any
	// Merge says that Input is merged over the arguments; otherwise it replaces them.
	Merge bool
	// Why says, in clauses, which parts of the answer had no effect, and what to write
	// instead.
	Why []string
}

// Prevents reports whether the action did not happen. It is true for Asked, because in
// the runs that were measured there was no user to ask.
func (e Effect) Prevents() bool {
	switch e.Kind {
	case Refused, Asked, PromptBlocked, Retry, Answered:
		return true
	case RunEnded:
		return !e.Ran
	}
	return false
}

// Because returns Why as the end of a sentence; empty if nothing was left out.
func (e Effect) Because() string { return strings.Join(e.Why, "; ") }

// Reads reports whether Read knows how the agent treats answers at p. It is false for
// an event that the agent does not have, and for points other than the constants.
func (a *Agent) Reads(p Point) bool {
	if a.Answer.Rules.Read == nil {
		return false
	}
	switch p {
	case BeforeTool, AfterTool, BeforePrompt, AgentStop, SessionStart:
		_, ok := a.Event(p)
		return ok
	}
	return false
}

// Read returns how this agent treats an answer. If that is unknown, its Kind is Unknown.
func (a *Agent) Read(answer Answer) Effect {
	switch {
	case !a.Reads(answer.Point) || answer.Odd:
		return Effect{Kind: Unknown}
	case answer.Killed && answer.Point == BeforeTool && a.Answer.Killed != "":
		return Effect{Kind: a.Answer.Killed, Why: []string{"the hook ended by a signal"}}
	case answer.Killed:
		return Effect{Kind: Unknown}
	}
	return a.Answer.apply(a, answer)
}
