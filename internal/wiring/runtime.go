package wiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/compress"
	"minigem/hooks"
	"minigem/hooks/author/trace"
	"minigem/hooks/command"
	"minigem/hooks/elsewhere"
	"minigem/hooks/protocol"
	"minigem/internal/app"
	"minigem/internal/atomicfile"
	"minigem/internal/confine"
	"minigem/internal/contextfile"
	"minigem/internal/exit"
	"minigem/internal/mcp/fleet"
	"minigem/internal/models"
	"minigem/internal/output"
	"minigem/internal/plans"
	"minigem/internal/proc"
	"minigem/internal/sandbox"
	"minigem/internal/skills"
	"minigem/internal/subagents"
	"minigem/internal/telemetry"
	"minigem/internal/undo"
	"minigem/internal/worktrees"
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
	Configure   func(*hooks.Engine)             // changes the engine before the first event; may be nil
}

// debug adds a log on out.
func (w *Frontend) debug(out io.Writer) {
	log := &output.Debug{Out: out}
	reports := w.Reports
	w.Sink = event.Tee(w.Sink, log)
	w.Reports = func(r hooks.Report) {
		log.Report(r)
		if reports != nil {
			reports(r)
		}
	}
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
	if f.Debug {
		w.debug(sys.Stderr)
	}
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

func (r *Runtime) wireWorkspace(_ context.Context) error {
	ws, err := r.Config.OpenWorkspace(r.Flags.IncludeDirs)
	if err != nil {
		return err
	}
	r.Workspace = ws
	for _, dir := range ws.Dirs()[1:] {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			r.warn(fmt.Sprintf("%s is to be included and is not a folder: tools find nothing in it until it is one", dir))
		}
	}
	for _, fault := range ws.IgnoreFaults(r.ignore()) {
		r.warn(fault.Error())
	}
	r.Project, err = session.OpenProject(r.Config.DotGemini, r.Config.Dir)
	if err != nil {
		r.Config.Notices = append(r.Config.Notices, err.Error())
	}
	r.Plans.Place, r.Plans.Temp, r.Plans.Workspace = r.Config.Place, r.Project.Temp, r.Workspace
	r.Plans.Custom = func() string { return r.Config.Settings.General.Plan.Directory }
	r.Plans.Session, r.Plans.Refused = r.sessionID, func(m policy.Mode) error { return refusedMode(r.Config, m) }
	if r.Config.Trust.Trusted { // killed runs may have been making worktrees
		worktrees.Settle(r.Config.ProjectDir, "", r.Config.Env)
	}
	r.closers = append(r.closers, func() error {
		// Sweep again, because a program that was starting when its run was killed holds
		// that run's lock until it has started.
		atomicfile.SweepJournals(os.TempDir())
		return nil
	})
	r.Workspace.Announce = atomicfile.Announce
	// Tools must not change sessions and checkpoints.
	if err := ws.AddReadable(filepath.Join(r.Project.Temp, "chats"), undo.Store{Project: r.Project}.Dir()); err != nil {
		return err
	}
	r.ReadContext()
	return ws.AddTemp(r.Project.Temp)
}

func (r *Runtime) wireHooks(_ context.Context) error {
	report, err := r.reporters()
	if err != nil {
		return err
	}
	children := &command.Children{}
	r.closers = append(r.closers, children.Close)
	r.Engine = &hooks.Engine{
		Config: r.Config.Hooks,
		Runner: r.hookRunner(children),
		Report: func(rep hooks.Report) {
			if r.Engine.RulesAt == nil {
				elsewhere.Compare(&rep)
			}
			report(rep)
		},
		Mask:  r.Config.Mask,
		Watch: watchHooks(r.Config, r.front.Asker),
		Mode:  func() string { return string(r.Policy.Mode()) },

		Transcript: func(_ *protocol.Dialect, of string) string { return r.forClaude.transcript(of, r.warn) },
		EnvFile:    func() (string, error) { return r.forClaude.envFile() },
	}
	r.closers = append(r.closers, r.Engine.Close)
	if r.front.Configure != nil {
		r.front.Configure(r.Engine)
	}
	return nil
}

// reporters returns a function that passes hook reports to all receivers: the given
// one, telemetry, the session's file and the trace.
func (r *Runtime) reporters() (func(hooks.Report), error) {
	listeners := []func(hooks.Report){func(rep hooks.Report) { session.NoteHook(r.Session, rep) }, r.telemetry.Hook}
	if r.front.Reports != nil {
		listeners = append(listeners, r.front.Reports)
	}
	if r.Flags.HookTrace != "" {
		t, err := trace.Open(r.Flags.HookTrace)
		if err != nil {
			return nil, exit.With(exit.Input, err)
		}
		r.closers = append(r.closers, t.Close)
		listeners = append(listeners, t.Report)
	}
	return func(rep hooks.Report) {
		for _, l := range listeners {
			l(rep)
		}
	}, nil
}

func (r *Runtime) wireSession(_ context.Context) error {
	o := session.Options{
		Project:     r.Project,
		Directories: r.Workspace.Dirs()[1:],
		Preamble:    r.preamble,
		Mask:        r.Config.Mask,
		Hooks:       r.Engine,
		Warn:        func(err error) { r.warn(err.Error()) },
		Read:        r.Skills.Read,
		Changed:     r.identify,
		Now:         r.now,
	}
	s, err := openSession(o, r.Flags, r.warn)
	if err != nil {
		return err
	}
	r.Session = s
	if s.Source() == session.SourceResume {
		r.Engine.Resumed = r.now().UTC().Format(time.RFC3339Nano) + " "
	}
	r.cleanSessions()
	r.sink = event.Tee(s, r.front.Sink, r.telemetry)
	r.identify(s.ID(), s.Path())
	return nil
}

// identify tells the engine which session hooks are in.
func (r *Runtime) identify(id, path string) {
	r.forClaude.begin(r.Project, id, path, r.Config.Dir)
	plansDir, _ := r.Plans.Dir(id)
	o := r.Config.Origin()
	o.SessionID, o.TranscriptPath, o.PlansDir = id, path, plansDir
	r.Engine.SetOrigin(o)
}

func (r *Runtime) wirePolicy(_ context.Context) error {
	mode, err := approvalMode(r.Config, r.Flags, r.warn)
	if err != nil {
		return err
	}
	rules, problems, err := PolicyRules(r.Config, r.Flags)
	for _, p := range problems {
		r.warn(p.String())
	}
	if err != nil {
		return err
	}
	r.Policy, err = policy.New(policy.Options{
		Mode: mode, Interactive: r.front.Interactive,
		Hooks: r.Config.Hooks.Off == "" && slices.ContainsFunc(r.Config.Hooks.Hooks, func(h hooks.Hook) bool {
			return h.Event == protocol.PermissionRequest && h.Disabled == "" && h.Untrusted == ""
		}),
		Untrusted:   !r.Config.Trust.Trusted,
		Rules:       rules,
		Shell:       policy.Shell(proc.ShellName()),
		Unconfined:  unconfined(confine.Supported()),
		Sandbox:     !r.Sandbox.All && confine.Supported() == nil,
		InWorkspace: func(path string) bool { _, err := r.Workspace.Resolve(path); return err == nil },
		InPlans:     r.Plans.Has,
		Sensitive:   r.Sandbox.Runs,
		Refused: func(path string, reach workspace.Reach) string { // as the file tools refuse it
			return r.Workspace.Refused(path, reach, r.ignore())
		},
		Tracked: func(dir string) string { return sandbox.Tracked(r.Config.ChildEnv(), dir) },
	})
	if err != nil {
		return exit.With(exit.Config, err)
	}
	r.Plans.Policy = r.Policy
	return nil
}

// checkpoints returns the step that takes a checkpoint before each edit, or nil if the
// settings do not ask for it.
func (r *Runtime) checkpoints() func(context.Context, llm.ToolCall) {
	store := r.Config.UndoStore(r.Project, r.Workspace, r.now)
	store.Prune()
	if !r.Config.Settings.General.Checkpointing.Enabled {
		return nil
	}
	return store.BeforeEdits(r.Session, r.warn)
}

func (r *Runtime) wireAgent(_ context.Context) error {
	model := r.Config.Settings.Model
	r.Compressor = r.compressorOf(r.Session, r.Models.Name)
	r.Compressor.Preamble = r.Session.Preamble
	r.runner = &toolcall.Runner{
		Registry: r.Registry, Offered: r.Policy.Offered,
		NotOffered: func(t tools.Tool) string { return notOffered(r.Policy, t) },
		Hooks:      r.Engine, Policy: r.Policy, Prepare: r.checkpoints(),
		// In the settings, 0 or less means no limit; for the Runner, only a negative value does.
		MaxOutput: cmp.Or(max(r.Config.Settings.Tools.TruncateToolOutputThreshold, 0), -1),
		Sink:      r.sink, Now: r.now,
		Save: func(call llm.ToolCall, text string) (string, error) {
			return session.SaveOutput(r.Session, call.ID, text)
		},
	}
	if r.front.Approver != nil {
		alerts := r.newAlerter()
		r.Alerts = alerts.notifier
		r.runner.Approver, r.runner.Notifier = alerts, alerts
	}
	r.Agent = &agent.Agent{
		Model:      r.telemetry.Model(r.Model, telemetry.RoleMain),
		History:    r.Session,
		Hooks:      r.Engine,
		Compressor: r.Compressor,
		Sink:       r.sink,
		Tools:      r.runner,
		Config: agent.Config{
			Model:                r.Models.Name,
			System:               r.SystemPrompt(),
			Preamble:             r.Session.Preamble,
			MaxSessionTurns:      &model.MaxSessionTurns,
			MaxRetries:           r.Config.Hooks.MaxRetries,
			DisableLoopDetection: model.DisableLoopDetection,
			Prepare: func(ctx context.Context) {
				r.MCP.Await(ctx)
				if r.Config.Settings.General.Plan.ModelRouting {
					r.Models.Route(r.Policy.Mode() == policy.ModePlan, r.Plans.Approved().Path != "")
				}
			},
			Fallback: r.Models.Fallback(model.Fallback, r.front.Asker, r.sink),
			Now:      r.now,
		},
	}
	r.Models.Taken = func(c models.Choice) {
		r.Compressor.ModelName, r.Agent.Config.Model, r.Agent.Config.Sampling = c.Model, c.Model, c.Sampling
	}
	s := r.system()
	s.Tools, _ = r.promptTools()
	if err := s.Write(r.sys.Getenv("GEMINI_WRITE_SYSTEM_MD")); err != nil { // a project's .env does not count
		r.warn(err.Error())
	}
	return r.Models.Use(r.Models.Asked)
}

// openSession starts, resumes or imports a session, depending on the flags.
func openSession(o session.Options, f *app.Options, warn func(string)) (*session.Session, error) {
	var s *session.Session
	var err error
	switch {
	case f.Resume != "":
		s, err = session.Resume(o, f.Resume)
		if f.Resume == session.Latest && errors.Is(err, session.ErrNoSessions) {
			warn("there is no session to resume in this folder: a new one begins")
			s, err = session.Start(o)
		}
	case f.SessionFile != "":
		if s, err = session.Import(o, f.SessionFile); err != nil {
			err = fmt.Errorf("%w; --session-file takes the .jsonl file of a session", err)
		}
	default:
		o.ID = f.SessionID
		s, err = session.Start(o)
	}
	if err != nil {
		return nil, sessionError(err)
	}
	return s, nil
}
