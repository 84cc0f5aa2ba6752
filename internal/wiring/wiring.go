// Package wiring makes a session from a configuration: model, tools, hooks and policy.
// [Open] does it from top to bottom, for a run without a terminal, the chat, an editor, a
// test case and the demo. It prints nothing: it returns errors, and reports everything
// else through the [Frontend] that it is given.
package wiring

import (
	"context"
	"errors"
	"io"
	"slices"
	"time"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/compress"
	"minigem/hooks"
	"minigem/internal/app"
	"minigem/internal/contextfile"
	"minigem/internal/inspection"
	"minigem/internal/mcp/fleet"
	"minigem/internal/models"
	"minigem/internal/output"
	"minigem/internal/plans"
	"minigem/internal/sandbox"
	"minigem/internal/skills"
	"minigem/internal/subagents"
	"minigem/internal/telemetry"
	"minigem/llm"
	"minigem/notify"
	"minigem/session"
	"minigem/tools"
	"minigem/tools/builtin"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
	"minigem/tools/workspace"
)

// Frontend is what differs between the ways of using minigem: who is informed and who
// is asked.
type Frontend struct {
	Interactive bool
	HoldMCP     bool                            // MCP servers start only when [fleet.Offer.Held] says so, or one is needed
	Sink        event.Sink                      // receives events, as the session does
	Reports     func(hooks.Report)              // receives every hook event; may be nil
	Approver    toolcall.Approver               // nil if nobody can be asked
	Asker       builtin.Asker                   // answers the model's questions; nil if the model cannot ask
	Bell        io.Writer                       // gets the sequences that alert the user; nil for no alerts
	Model       llm.Provider                    // nil: chosen by flags and environment
	Tap         func(llm.Provider) llm.Provider // wraps the model, to observe it; may be nil
	Warn        func(string)                    // shows something that the user should know
	Notice      func(string)                    // shows what is known of the configuration, once it is opened; may be nil
	Configure   func(*hooks.Engine)             // changes the engine before the first event; may be nil
}

// Debugging returns w with a debug log on out added, if asked is set.
func (w Frontend) Debugging(asked bool, out io.Writer) Frontend {
	if !asked {
		return w
	}
	log := &output.Debug{Out: out}
	reports := w.Reports
	w.Sink = event.Tee(w.Sink, log)
	w.Reports = func(r hooks.Report) {
		log.Report(r)
		if reports != nil {
			reports(r)
		}
	}
	return w
}

// Runtime is a session with everything that it needs. [Open] fills it from top to
// bottom: later fields use earlier ones.
type Runtime struct {
	Config     *app.Configuration
	Flags      *app.Options
	sys        *app.System
	front      Frontend
	warn       func(string)
	sink       event.Sink // everything that listens to events
	Models     models.Current
	Model      llm.Provider
	ownModel   llm.Provider // the model as it would be without the project; nil means Model
	Project    session.Project
	Engine     *hooks.Engine
	Session    *session.Session
	Workspace  *workspace.Workspace
	Context    contextfile.Set // GEMINI.md files
	finder     *contextfile.Finder
	now        func() time.Time
	MCP        fleet.Offer
	Skills     skills.Offer
	Agents     subagents.Offer
	runner     *toolcall.Runner
	Plans      plans.Planning
	Sandbox    sandbox.Session
	Registry   *tools.Registry
	Policy     *policy.Engine
	Compressor *compress.Compressor
	Agent      *agent.Agent
	Alerts     *notify.Notifier     // nil if nobody can be asked
	telemetry  *telemetry.Telemetry // nil: off
	closers    []func() error       // called in reverse order
	forClaude  forClaude
}

// Open makes a [Runtime]. The caller begins its session, and closes it.
func Open(ctx context.Context, sys *app.System, f *app.Options, c *app.Configuration, w Frontend) (*Runtime, error) {
	r := &Runtime{Config: c, Flags: f, sys: sys, front: w, warn: w.Warn, now: sys.Now}
	if err := c.CheckRestrictions(); err != nil {
		return nil, err
	}
	c.FindKey()
	steps := []func(context.Context) error{
		r.wireTelemetry,
		r.wireModel,
		r.wireWorkspace,
		r.wireHooks,
		r.wireSession,
		r.wireSandbox,
		r.wireTools,
		r.wireDiscovered,
		r.wireMCP,
		r.wirePolicy,
		r.wireAgent,
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			r.Close()
			return nil, err
		}
	}
	r.beginTelemetry()
	if w.Notice != nil {
		for _, n := range inspection.Notices(c) {
			w.Notice(n)
		}
	}
	return r, nil
}

// Close closes what the Runtime opened. It returns an error if something could not be
// written completely.
func (r *Runtime) Close() error {
	var errs []error
	for _, c := range slices.Backward(r.closers) {
		errs = append(errs, c())
	}
	r.closers = nil
	return errors.Join(errs...)
}
