// Package testbed runs cases: small files that say what an agent is asked, what its model
// answers, which hooks are configured, and what the outcome must be. Each case runs in a
// workspace and a home of its own, through the real loop with real hook processes; only
// the model is scripted.
//
// A case is one txtar file (see Parse). The comment is its script, whose commands are
// those of Verbs. Run runs one case, Suite many of them.
//
// The package does not know how a session is wired. The caller provides that as a Driver.
// It prints nothing: a Format writes to the writer it was given.
package testbed

import (
	"context"
	"io"
	"os"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/llm"
	"minigem/tools/toolcall"
)

// Trust says whether the user trusts a case's project.
type Trust string

const (
	TrustOn      Trust = "on"      // trusted, with its hooks as they are; the default
	TrustOff     Trust = "off"     // not trusted
	TrustNew     Trust = "new"     // trusted, but its hooks are new
	TrustChanged Trust = "changed" // trusted before its hooks were changed
)

// Setup is what a session of a case needs. Directories are absolute and exist.
type Setup struct {
	Workspace string   // where the agent works
	Home      string   // holds .gemini
	Env       []string // the whole environment, including HOME
	Trust     Trust
	Mode      string                // approval mode, as on the command line
	Prompt    string                // the first prompt of the case; may be empty
	Resume    bool                  // resume the newest session of the workspace
	HooksOff  bool                  // run no hooks
	Muted     func(hooks.Hook) bool // hooks that succeed silently instead of running; may be nil
	Servers   map[string]string     // programs that answer http hooks, by their URL; nil: use the network
	Portable  []Portable            // portable hooks, which drivers of other programs write themselves

	Write, Read []string                                      // what programs of the case may change, and also read
	Within      func(only []string, begin func() error) error // starts a program of the case in its domain; may be nil
	// NotRun says why a command of the model is answered instead of run, or "" if it runs.
	// nil runs them all.
	NotRun func(command string) string

	Model    llm.Provider
	Rounds   []Round           // Model's answers, for drivers that cannot call it
	Approver toolcall.Approver // nil if nobody can be asked, as in a run without a terminal
	Sink     event.Sink
	Report   func(hooks.Report) // called for every event, even one without hooks
	Notice   func(string)       // called for messages to the user outside the conversation
	Request  func(Request)      // called for requests that did not go to Model; for drivers of other programs

	Stdout, Stderr io.Writer // output of a run without a terminal

	// The rest is only for a ChatDriver, which has no Approver.
	Idle     <-chan struct{}         // the user has sent nothing for a while
	Terminal *os.File                // what the chat reads and writes
	Asked    func(toolcall.Question) // called with each permission prompt
	Finished func(agent.Result)      // called with the result of each prompt
}

// Session is one session of a case. Its methods are called one at a time.
type Session interface {
	// Prompt submits a prompt and waits for its end.
	Prompt(ctx context.Context, text string) Outcome
	// Clear begins a new conversation, as /clear does.
	Clear(ctx context.Context)
	// Compress shortens the history, as /compress does.
	Compress(ctx context.Context) error
	// End fires SessionEnd and closes the session.
	End(ctx context.Context)
	// Hooks returns all configured hooks, including those that cannot run.
	Hooks() config.Loaded
	// Transcript returns the path of the session's file, or "" if there is none.
	Transcript() string
}

// Other is a Session of another program, about which not everything can be known.
type Other interface {
	// Cannot explains why an assertion cannot be judged. It is empty if it can be. The
	// arguments are the Command's.
	Cannot(verb string, args []string, conds []Cond) string
	// Tool returns minigem's name for a tool of the program.
	Tool(name string) string
	// WhyNot explains why a hook did not run, as far as that is known.
	WhyNot(event, hook string) string
	// Findings lists what went wrong that no assertion covers.
	Findings() []string
}

// Seer is an Other for which more assertions can be judged than for a program that minigem
// only starts.
type Seer interface {
	// Sees reports whether an assertion can be judged, as far as Cannot allows it.
	Sees(verb string) bool
}

// CannotError is returned by a Driver or a Session that cannot run a case. This is not a
// failure of the case.
type CannotError struct{ Why string }

func (e *CannotError) Error() string { return e.Why }

// Outcome is the result of a prompt.
type Outcome struct {
	agent.Result
	Exit int // exit code of the command if this had been its only prompt
}

// Driver opens a session. SessionStart has fired when it returns. If its error implements
// ExitCoder, the command itself would have exited with that code.
type Driver func(ctx context.Context, s Setup) (Session, error)

// ExitCoder is an error that knows the command's exit code.
type ExitCoder interface{ ExitCode() int }
