package agents

import "strings"

// Answer is what a hook gave: how it ended, and what it printed.
type Answer struct {
	Point    Point
	Exit     int
	Stdout   string
	Stderr   string
	TimedOut bool // it was ended because it took too long
	Killed   bool // it ended by a signal
	Odd      bool // it did not start: what that does was not measured
}

// Kind is what happened to the action.
type Kind string

const (
	Unknown       Kind = "unknown" // nobody measured it
	Allowed       Kind = "allowed" // it went on as if there were no hook
	Refused       Kind = "refused"
	Asked         Kind = "asked"     // somebody must confirm it; without anybody there it does not happen
	Rewritten     Kind = "rewritten" // other arguments, or another prompt
	Replaced      Kind = "result-replaced"
	Appended      Kind = "appended" // text stands beside the tool's result
	Context       Kind = "context"  // the model gets more to read
	Retry         Kind = "retry"    // the agent goes on instead of ending
	PromptBlocked Kind = "prompt-blocked"
	RunEnded      Kind = "run-ended"
	Answered      Kind = "answered" // the hook answered in the model's place
)

// Effect is what an agent makes of an Answer.
type Effect struct {
	Kind    Kind
	Reason  string // why, as the model reads it; it may be the agent's own words
	Context string // what else the model reads
	Ran     bool   // of RunEnded before a tool: the tool ran first
	Ends    bool   // of another kind: the run ends as well
	Input   map[string]any
	Merge   bool // Input is laid over the arguments; else it replaces them
	// Why says what of the answer was not taken, and what to say instead.
	Why []string
}

// Prevents reports whether the action did not happen.
func (e Effect) Prevents() bool {
	switch e.Kind {
	case Refused, Asked, PromptBlocked, Retry, Answered:
		return true
	case RunEnded:
		return !e.Ran
	}
	return false
}

// Because is Why as the end of a sentence; empty where nothing was left out.
func (e Effect) Because() string { return strings.Join(e.Why, "; ") }

// Reads reports whether Read knows what a makes of answers at p.
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

// Read makes of an answer what this agent makes of it. Where that is unknown it
// says so.
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
