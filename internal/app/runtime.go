package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/agent/subagent"
	"minigem/compress"
	"minigem/hooks"
	"minigem/hooks/command"
	"minigem/hooks/elsewhere"
	"minigem/hooks/protocol"
	"minigem/internal/confine"
	"minigem/internal/contextfile"
	"minigem/internal/exit"
	"minigem/internal/mcp/fleet"
	"minigem/internal/plans"
	"minigem/internal/proc"
	"minigem/internal/sandbox"
	"minigem/internal/skills"
	"minigem/internal/telemetry"
	"minigem/internal/text"
	"minigem/internal/undo"
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

// Runtime is a session with everything that it needs. [Build] fills it from top to
// bottom: later fields use earlier ones.
type Runtime struct {
	Config     *Configuration
	Flags      *Options
	sink       event.Sink // everything that listens to events
	ModelName  string
	asked      string // the model's name as the user gave it
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
	agents     atomic.Pointer[[]subagent.Definition]
	invoke     tools.Tool // invoke_agent
	runner     *toolcall.Runner
	Plans      plans.Planning
	Sandbox    *sandbox.Sandbox      // nil: only commands that a rule sandboxes are confined
	created    func(most int) string // what sandboxed commands created, see createdSince; nil if none ran
	confine    func(argv []string, attr *os.ProcAttr) ([]string, error)
	Registry   *tools.Registry
	Policy     *policy.Engine
	Compressor *compress.Compressor
	Agent      *agent.Agent
	Alerts     *notify.Notifier     // nil if nobody can be asked
	telemetry  *telemetry.Telemetry // nil: off
	closers    []func() error       // called in reverse order
	forClaude  forClaude
}

// Build makes a [Runtime]. The caller begins its session, and closes it.
func Build(ctx context.Context, sys *System, f *Options, c *Configuration, w Frontend) (*Runtime, error) {
	r := &Runtime{Config: c, Flags: f}
	if err := c.checkRestrictions(); err != nil {
		return nil, err
	}
	c.findKey()
	steps := []func(context.Context, *System, *Frontend) error{
		r.wireTelemetry,
		r.wireModel,
		r.wireWorkspace,
		r.WirePrompt,
		r.wireHooks,
		r.wireSession,
		r.wireSandbox,
		r.wireTools,
		r.wireDiscovered,
		r.wireMCP,
		r.wirePolicy,
		r.wireCompressor,
		r.wireAgent,
		r.beginTelemetry,
	}
	for _, step := range steps {
		if err := step(ctx, sys, &w); err != nil {
			r.Close()
			return nil, err
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

// OpenWorkspace opens the working directory and the directories that flags and settings
// add.
func (c *Configuration) OpenWorkspace(flagged []string) (*workspace.Workspace, error) {
	dirs := slices.Concat(flagged, c.Settings.Context.IncludeDirectories)
	for i, d := range dirs {
		dirs[i] = text.Abs(c.Dir, d)
	}
	ws, err := workspace.New(c.Dir, dirs...)
	if err != nil {
		return nil, exit.Errorf(exit.Input, "opening the workspace: %w", err)
	}
	ws.Protects = c.Protects
	return ws, nil
}

func (r *Runtime) wireWorkspace(_ context.Context, _ *System, w *Frontend) error {
	ws, err := r.Config.OpenWorkspace(r.Flags.IncludeDirs)
	if err != nil {
		return err
	}
	r.Workspace = ws
	for _, dir := range ws.Dirs()[1:] {
		if !isFolder(dir) {
			w.Warn(fmt.Sprintf("%s is to be included and is not a folder: tools find nothing in it until it is one", dir))
		}
	}
	for _, fault := range ws.IgnoreFaults(r.ignore()) {
		w.Warn(fault.Error())
	}
	r.Project, err = session.OpenProject(r.Config.DotGemini, r.Config.Dir)
	if err != nil {
		r.Config.Notices = append(r.Config.Notices, err.Error())
	}
	r.wirePlans()
	r.keepTidy()
	// Tools must not change sessions and checkpoints.
	if err := ws.AddReadable(filepath.Join(r.Project.Temp, "chats"), undo.Store{Project: r.Project}.Dir()); err != nil {
		return err
	}
	return ws.AddTemp(r.Project.Temp)
}

func (r *Runtime) wireHooks(_ context.Context, sys *System, w *Frontend) error {
	report, err := r.reporters(w)
	if err != nil {
		return err
	}
	children := &command.Children{}
	r.closers = append(r.closers, children.Close)
	r.Engine = &hooks.Engine{
		Config: r.Config.Hooks,
		Runner: r.hookRunner(sys, children),
		Report: func(rep hooks.Report) {
			if r.Engine.RulesAt == nil {
				elsewhere.Compare(&rep)
			}
			report(rep)
		},
		Mask:  r.Config.Mask,
		Watch: watchHooks(r.Config, w.Asker),
		Mode:  func() string { return string(r.Policy.Mode()) },

		Transcript: func(_ *protocol.Dialect, of string) string { return r.forClaude.transcript(of, w.Warn) },
		EnvFile:    func() (string, error) { return r.forClaude.envFile() },
	}
	r.closers = append(r.closers, r.Engine.Close)
	if w.Configure != nil {
		w.Configure(r.Engine)
	}
	return nil
}

func (r *Runtime) wireSession(_ context.Context, sys *System, w *Frontend) error {
	o := session.Options{
		Project:     r.Project,
		Directories: r.Workspace.Dirs()[1:],
		Preamble:    r.preamble,
		Mask:        r.Config.Mask,
		Hooks:       r.Engine,
		Warn:        func(err error) { w.Warn(err.Error()) },
		Read:        r.Skills.Read,
		Changed:     r.identify,
		Now:         sys.Now,
	}
	s, err := openSession(o, r.Flags, w.Warn)
	if err != nil {
		return err
	}
	r.Session = s
	if s.Source() == session.SourceResume {
		r.Engine.Resumed = sys.Now().UTC().Format(time.RFC3339Nano) + " "
	}
	r.cleanSessions(sys, w)
	r.sink = event.Tee(s, w.Sink, r.telemetry)
	r.identify(s.ID(), s.Path())
	return nil
}

func (r *Runtime) wirePlans() {
	r.Plans.Place, r.Plans.Temp, r.Plans.Workspace = r.Config.Place, r.Project.Temp, r.Workspace
	r.Plans.Custom = func() string { return r.Config.Settings.General.Plan.Directory }
	r.Plans.Session, r.Plans.Change = r.sessionID, r.ChangeMode
}

// identify tells the engine which session hooks are in.
func (r *Runtime) identify(id, path string) {
	r.forClaude.begin(r.Project, id, path, r.Config.Dir)
	plansDir, _ := r.Plans.Dir(id)
	o := r.Config.Origin()
	o.SessionID, o.TranscriptPath, o.PlansDir = id, path, plansDir
	r.Engine.SetOrigin(o)
}

func (r *Runtime) wirePolicy(_ context.Context, _ *System, w *Frontend) error {
	mode, err := r.approvalMode(w)
	if err != nil {
		return err
	}
	rules, problems, err := r.PolicyRules()
	for _, p := range problems {
		w.Warn(p.String())
	}
	if err != nil {
		return err
	}
	r.Policy, err = policy.New(policy.Options{
		Mode: mode, Interactive: w.Interactive, Hooks: slices.ContainsFunc(r.Config.Hooks.Hooks, r.isAsked),
		Untrusted:   !r.Config.Trust.Trusted,
		Rules:       rules,
		Shell:       policy.Shell(proc.ShellName()),
		Unconfined:  unconfined(confine.Supported()),
		Sandbox:     r.Sandbox == nil && confine.Supported() == nil,
		InWorkspace: func(path string) bool { _, err := r.Workspace.Resolve(path); return err == nil },
		InPlans:     r.Plans.Has,
		Sensitive:   r.runsPrograms,
		Refused:     r.refusedFile,
		Tracked:     func(dir string) string { return trackedSecret(r.Config.ChildEnv(), dir) },
	})
	if err != nil {
		return exit.With(exit.Config, err)
	}
	r.Plans.Mode = r.Policy.Mode
	return nil
}

// isAsked reports whether h runs at PermissionRequest.
func (r *Runtime) isAsked(h hooks.Hook) bool {
	return h.Event == protocol.PermissionRequest && h.Disabled == "" && h.Untrusted == "" && r.Config.Hooks.Off == ""
}

func (r *Runtime) wireAgent(_ context.Context, sys *System, w *Frontend) error {
	r.runner = &toolcall.Runner{
		Registry: r.Registry, Offered: r.Policy.Offered, NotOffered: r.notOffered,
		Hooks: r.Engine, Policy: r.Policy, Prepare: r.checkpointing(sys, w),
		Sink: r.sink, MaxOutput: r.maxOutput(), Save: r.saveOutput, Now: sys.Now,
	}
	if w.Approver != nil {
		alerts := r.newAlerter(sys, w)
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
			Model:                r.ModelName,
			System:               r.SystemPrompt(w.Interactive, w.Warn),
			Preamble:             r.Session.Preamble,
			MaxSessionTurns:      &r.Config.Settings.Model.MaxSessionTurns,
			MaxRetries:           r.Config.Hooks.MaxRetries,
			DisableLoopDetection: r.Config.Settings.Model.DisableLoopDetection,
			Prepare:              r.beforeRequest,
			Fallback:             r.fallback(w),
			Now:                  sys.Now,
		},
	}
	r.writeSystemPrompt(sys, w)
	return r.UseModel(r.asked)
}

// openSession starts, resumes or imports a session, depending on the flags.
func openSession(o session.Options, f *Options, warn func(string)) (*session.Session, error) {
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
