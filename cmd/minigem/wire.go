package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/compress"
	"minigem/hooks"
	"minigem/hooks/command"
	"minigem/internal/atomicfile"
	"minigem/internal/contextfile"
	"minigem/internal/prompt"
	"minigem/internal/telemetry"
	"minigem/llm"
	"minigem/session"
	"minigem/tools"
	"minigem/tools/builtin"
	"minigem/tools/policy"
	"minigem/tools/toolcall"
	"minigem/tools/workspace"
)

// A wiring is what differs between the ways in which minigem is used.
type wiring struct {
	interactive bool
	sink        event.Sink                      // beside the session
	reports     func(hooks.Report)              // hears of every hook event; nil: nobody
	approver    toolcall.Approver               // nil: nobody can be asked
	asker       builtin.Asker                   // answers the model's questions; nil: nobody does
	signals     io.Writer                       // takes what makes the terminal ring; nil: it does not
	model       llm.Provider                    // nil: as flags and environment say
	tap         func(llm.Provider) llm.Provider // hears of what the model answers; nil: nobody does
	warn        func(string)                    // something the user should know
	configure   func(*hooks.Engine)             // last changes before the first event; may be nil
}

// A rig is a session with everything that it needs, wired. It is built from
// top to bottom: what stands below uses what stands above.
type rig struct {
	*configuration
	flags        *flags
	sink         event.Sink // everybody who listens
	modelName    string
	model        llm.Provider
	project      session.Project
	engine       *hooks.Engine
	session      *session.Session
	workspace    *workspace.Workspace
	context      contextfile.Set // GEMINI.md files
	finder       *contextfile.Finder
	now          func() time.Time
	instructions []prompt.Entry // of MCP servers
	registry     *tools.Registry
	policy       *policy.Engine
	compressor   *compress.Compressor
	agent        *agent.Agent
	bell         *bell                // nil: nobody can be asked
	telemetry    *telemetry.Telemetry // nil: off
	closers      []func() error       // last first
}

// build wires a session. The caller begins it, and closes the rig.
func build(ctx context.Context, sys *system, f *flags, c *configuration, w wiring) (*rig, error) {
	r := &rig{configuration: c, flags: f}
	steps := []func(context.Context, *system, *wiring) error{
		r.wireTelemetry,
		r.wireModel,
		r.wireWorkspace,
		r.wirePrompt,
		r.wireHooks,
		r.wireSession,
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
			r.close()
			return nil, err
		}
	}
	return r, nil
}

// close ends what the rig opened.
func (r *rig) close() {
	for _, c := range slices.Backward(r.closers) {
		_ = c() // at the end there is nobody left to tell
	}
	r.closers = nil
}

// openWorkspace is of the working directory, with the directories included that
// flags and settings name.
func (c *configuration) openWorkspace(flagged []string) (*workspace.Workspace, error) {
	dirs := slices.Concat(flagged, c.settings.Context.IncludeDirectories)
	for i, d := range dirs {
		if !filepath.IsAbs(d) {
			dirs[i] = filepath.Join(c.dir, d)
		}
	}
	ws, err := workspace.New(c.dir, dirs...)
	if err != nil {
		return nil, exitf(exitInput, "opening the workspace: %w", err)
	}
	return ws, nil
}

func (r *rig) wireWorkspace(_ context.Context, _ *system, _ *wiring) error {
	ws, err := r.openWorkspace(r.flags.includeDirs)
	if err != nil {
		return err
	}
	r.workspace = ws
	r.project, err = session.OpenProject(r.dotGemini, r.dir)
	if err != nil {
		r.notices = append(r.notices, err.Error())
	}
	r.keepTidy()
	return ws.AddTemp(r.project.Temp)
}

func (r *rig) wireHooks(_ context.Context, _ *system, w *wiring) error {
	report, err := r.reporters(w)
	if err != nil {
		return err
	}
	children := &command.Children{}
	r.closers = append(r.closers, children.Close)
	r.engine = &hooks.Engine{
		Config: r.hooks,
		Runner: command.Runner{Dir: r.dir, Env: r.hookEnv(), Children: children},
		Report: report,
		Mask:   r.mask,
		Watch:  hooks.NewWatch(r.projectDir, r.hooks),
	}
	if w.configure != nil {
		w.configure(r.engine)
	}
	return nil
}

func (r *rig) wireSession(_ context.Context, sys *system, w *wiring) error {
	o := session.Options{
		Project:     r.project,
		Directories: r.workspace.Dirs()[1:],
		Preamble:    r.preamble,
		Secrets:     r.secrets,
		Hooks:       sessionHooks{r.engine},
		Warn:        func(err error) { w.warn(err.Error()) },
		Changed:     r.identify,
		Now:         sys.Now,
	}
	s, err := openSession(o, r.flags, w.warn)
	if err != nil {
		return err
	}
	r.session = s
	atomicfile.Sweep(session.ToolOutputs(r.project, s.ID()))
	r.cleanSessions(sys, w)
	r.sink = event.Tee(s, w.sink, r.telemetry, r.checkpointing(sys, w))
	r.identify(s.ID(), s.Path())
	return nil
}

// identify tells hooks which session they are in.
func (r *rig) identify(id, path string) {
	r.engine.SetOrigin(hooks.Origin{
		SessionID: id, TranscriptPath: path, Cwd: r.dir, ProjectDir: r.projectDir,
		PlansDir: filepath.Join(r.project.Temp, id, "plans"),
	})
}

func (r *rig) wirePolicy(_ context.Context, _ *system, w *wiring) error {
	mode, err := r.approvalMode(w)
	if err != nil {
		return err
	}
	rules, problems := r.policyRules()
	for _, p := range problems {
		w.warn(p.String())
	}
	r.policy, err = policy.New(policy.Options{
		Mode: mode, Interactive: w.interactive, Untrusted: !r.trust.trusted,
		Rules:       rules,
		InWorkspace: func(path string) bool { _, err := r.workspace.Resolve(path); return err == nil },
		InPlans:     r.inPlans,
		Sensitive:   r.runsPrograms,
		SavedRules:  filepath.Join(r.dotGemini, "policies", "auto-saved.toml"),
		SaveFailed:  func(err error) { w.warn(err.Error()) },
	})
	if err != nil {
		return withCode(exitConfig, err)
	}
	return nil
}

func (r *rig) wireAgent(_ context.Context, sys *system, w *wiring) error {
	runner := &toolcall.Runner{
		Registry: r.registry, Offered: r.policy.Offered, NotOffered: r.notOffered,
		Hooks: r.engine, Policy: r.policy,
		Sink: r.sink, MaxOutput: r.maxOutput(), Save: r.saveOutput, Now: sys.Now,
	}
	if w.approver != nil {
		r.bell = r.newBell(sys, w)
		runner.Approver, runner.Notifier = r.bell, r.bell
	}
	r.agent = &agent.Agent{
		Model:      r.telemetry.Model(r.model, telemetry.RoleMain),
		History:    r.session,
		Hooks:      r.engine,
		Compressor: r.compressor,
		Sink:       r.sink,
		Tools:      runner,
		Config: agent.Config{
			Model:                r.modelName,
			System:               r.systemPrompt(w.interactive, w.warn),
			Tools:                r.offeredTools,
			Sampling:             samplingFor(r.modelName),
			Preamble:             r.session.Preamble,
			MaxSessionTurns:      &r.settings.Model.MaxSessionTurns,
			MaxRetries:           r.hooks.MaxRetries,
			DisableLoopDetection: r.settings.Model.DisableLoopDetection,
			Now:                  sys.Now,
		},
	}
	return nil
}

// offeredTools are the declarations that the policy lets the model see.
func (r *rig) offeredTools() []llm.ToolSpec {
	var specs []llm.ToolSpec
	for _, t := range r.registry.All() {
		if r.policy.Offered(t) {
			specs = append(specs, t.Spec())
		}
	}
	return specs
}

// sessionHooks gives the session its two events.
type sessionHooks struct{ engine *hooks.Engine }

func (h sessionHooks) SessionStart(ctx context.Context, source string) string {
	return h.engine.SessionStart(ctx, source).Context
}

func (h sessionHooks) SessionEnd(ctx context.Context, reason string) {
	h.engine.SessionEnd(ctx, reason)
}

// openSession starts, resumes or imports, as the flags say.
func openSession(o session.Options, f *flags, warn func(string)) (*session.Session, error) {
	var s *session.Session
	var err error
	switch {
	case f.resume != "":
		s, err = session.Resume(o, f.resume)
		if f.resume == session.Latest && errors.Is(err, session.ErrNoSessions) {
			warn("there is no session to resume in this folder: a new one begins")
			s, err = session.Start(o)
		}
	case f.sessionFile != "":
		s, err = session.Import(o, f.sessionFile)
	default:
		o.ID = f.sessionID
		s, err = session.Start(o)
	}
	if err != nil {
		return nil, sessionError(err)
	}
	return s, nil
}

// approvalMode is what the flags say, else the settings.
func (r *rig) approvalMode(w *wiring) (policy.Mode, error) {
	name := cmp.Or(r.flags.approvalMode, r.settings.General.DefaultApprovalMode)
	if r.flags.yolo {
		name = "yolo"
	}
	mode, err := policy.ParseMode(name)
	switch {
	case err != nil:
		return "", withCode(exitConfig, err)
	case mode == policy.ModeYolo && r.settings.Security.DisableYoloMode:
		return "", exitf(exitConfig, "yolo mode is turned off by security.disableYoloMode in the settings")
	case !r.trust.trusted && mode != policy.ModeDefault && mode != policy.ModePlan:
		w.warn(fmt.Sprintf("this folder is not trusted: the approval mode is default, not %s", name))
		return policy.ModeDefault, nil
	}
	return mode, nil
}
