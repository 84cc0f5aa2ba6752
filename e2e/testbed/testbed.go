// Package testbed runs cases: small files that say what an agent is asked, what
// its model answers, which hooks are configured, and what the outcome must be. Each
// case runs in a workspace and a home of its own, through the real loop with
// real hook processes; only the model is scripted.
//
// A case is one txtar file (see Parse). The comment is its script, whose
// commands are those of Verbs. Run runs one case, Suite many of them.
//
// The package keeps out how a session is wired: that is a Driver, which the
// command hands in. It prints nothing by itself: the Formats write to what they
// are given.
package testbed

import (
	"context"
	"io"
	"os"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/hooks"
	"minigem/llm"
	"minigem/tools/toolcall"
)

// Trust says how a case's project stands with the user.
type Trust string

const (
	TrustOn      Trust = "on"      // it is trusted, with its hooks as they are; the default
	TrustOff     Trust = "off"     // nobody has trusted it
	TrustNew     Trust = "new"     // it is trusted, but its hooks are new
	TrustChanged Trust = "changed" // it was trusted before its hooks were changed
)

// Setup is all that a session of a case needs. Directories are absolute and
// exist.
type Setup struct {
	Workspace string   // where the agent works
	Home      string   // holds .gemini
	Env       []string // the whole environment, HOME included
	Trust     Trust
	Mode      string                // approval mode, as on the command line
	Prompt    string                // the first that the case submits; empty: none
	Resume    bool                  // the newest session of the workspace goes on
	HooksOff  bool                  // no hook runs
	Muted     func(hooks.Hook) bool // hooks whose programs are not run: they say nothing and succeed; nil: none are
	Servers   map[string]string     // programs that answer http hooks, by their URL; nil: the network does
	Portable  []Portable            // hooks in words of no agent, for drivers of other programs

	Write, Read []string                                      // what programs of the case may change, and read besides
	Within      func(only []string, begin func() error) error // where every program of the case is started; nil: in none
	// why commands of the model are answered and not run; empty: they run
	NotRun string

	Model    llm.Provider
	Rounds   []Round           // what Model answers, for drivers that cannot call it
	Approver toolcall.Approver // nil: nobody can be asked, as in a run without a terminal
	Sink     event.Sink
	Report   func(hooks.Report) // is called for every event, those without a hook too
	Notice   func(string)       // is called for what the user is told beside the conversation
	Request  func(Request)      // is called for requests that did not go to Model; for drivers of other programs

	Stdout, Stderr io.Writer // what a run without a terminal prints

	// For a ChatDriver alone, which has no Approver.
	Idle     <-chan struct{}         // the user has sent nothing for a while
	Terminal *os.File                // what the chat reads and writes
	Asked    func(toolcall.Question) // is called with each permission prompt
	Finished func(agent.Result)      // hears how each prompt ended
}

// Session is one session of a case. Its methods are called one at a time.
type Session interface {
	// Prompt takes a prompt to its end.
	Prompt(ctx context.Context, text string) Outcome
	// Clear begins a new conversation, as /clear does.
	Clear(ctx context.Context)
	// Compress makes the history shorter, as /compress does.
	Compress(ctx context.Context) error
	// End fires SessionEnd and closes the session.
	End(ctx context.Context)
	// Hooks are all that are configured, those that cannot run too.
	Hooks() hooks.Config
	// Transcript is the path of the session's file; empty: there is none.
	Transcript() string
}

// Other is a Session of another program, of which not everything can be known.
type Other interface {
	// Cannot says why an assertion cannot be judged; empty: it can. The arguments
	// are those of the Command.
	Cannot(verb string, args []string, conds []Cond) string
	// Tool is minigem's name for a tool that the program calls name.
	Tool(name string) string
	// WhyNot says why a hook did not run, as far as it is known.
	WhyNot(event, hook string) string
	// Findings are what went wrong that no assertion is about.
	Findings() []string
}

// Seer is an Other of which more assertions can be judged than of a program that
// minigem only starts.
type Seer interface {
	// Sees reports whether an assertion can be judged, as far as Cannot allows it.
	Sees(verb string) bool
}

// A CannotError of a Driver or a Session says that a case cannot be run there,
// which is not a failure of the case.
type CannotError struct{ Why string }

func (e *CannotError) Error() string { return e.Why }

// Outcome is how a prompt ended.
type Outcome struct {
	agent.Result
	Exit int // exit code of the command, had this been its only prompt
}

// Driver opens a session; SessionStart has fired when it returns. An error that
// implements ExitCoder is one that the command itself would have ended with.
type Driver func(ctx context.Context, s Setup) (Session, error)

// ExitCoder is an error that knows the command's exit code.
type ExitCoder interface{ ExitCode() int }
