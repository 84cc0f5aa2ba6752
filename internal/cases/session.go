package cases

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/e2e/testbed"
	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/internal/app"
	"minigem/internal/boundedfile"
	"minigem/internal/commands"
	"minigem/internal/exit"
	"minigem/internal/headless"
	"minigem/internal/text"
	"minigem/internal/wiring"
	"minigem/tools/toolcall"
)

// caseSession is a session of a test case: a run without a terminal, kept open for
// several prompts.
type caseSession struct {
	sys     *app.System
	setup   testbed.Setup
	runtime *wiring.Runtime
	out     headless.Output
	context string // from SessionStart, for the next prompt
	ask     func(context.Context, toolcall.Question) toolcall.Answer
	notice  func(string)
}

// Open is this command's testbed.Driver.
func Open(ctx context.Context, s testbed.Setup) (testbed.Session, error) {
	return With(func(*hooks.Engine) {})(ctx, s)
}

// With returns a driver like Open that lets change modify the engine.
func With(change func(*hooks.Engine)) testbed.Driver {
	return func(ctx context.Context, s testbed.Setup) (testbed.Session, error) {
		session, err := open(ctx, s, func(_ *app.Configuration, w *wiring.Frontend) {
			configure := w.Configure
			w.Configure = func(e *hooks.Engine) { configure(e); change(e) }
		})
		if err != nil {
			return nil, err
		}
		return session, nil
	}
}

// open opens a session. change, if not nil, modifies what it is built from.
func open(ctx context.Context, s testbed.Setup,
	change func(*app.Configuration, *wiring.Frontend)) (*caseSession, error) {
	sys := &app.System{Stdout: text.NewWriter(s.Stdout), Stderr: text.NewWriter(s.Stderr), Env: s.Env, Dir: s.Workspace,
		Now:    time.Now,
		Within: s.Within, NotRun: s.NotRun}
	f := &app.Options{OwnAgents: true, SkipTrust: s.Trust != testbed.TrustOff, Model: "gemini-2.5-flash",
		ApprovalMode: s.Mode}
	if s.Resume {
		f.Resume = "latest"
	}
	out := headless.New(sys, f, nil)
	c, err := app.Configure(sys, f)
	if err != nil {
		return nil, err
	}
	if err := standing(c, s.Trust); err != nil {
		return nil, err
	}
	if s.Approver == nil {
		if err := c.Trust.RequireTrusted(); err != nil {
			return nil, err
		}
	}
	if s.HooksOff {
		c.Hooks.Off = "the case runs without them"
	}
	w := caseFrontend(s, out)
	if change != nil {
		change(c, &w)
	}
	configure := w.Configure
	w.Configure = func(e *hooks.Engine) { configure(e); mute(e, s) }
	w.Notice = w.Warn
	r, err := wiring.Open(ctx, sys, f, c, w)
	if err != nil {
		return nil, err
	}
	session := &caseSession{sys: sys, setup: s, runtime: r, out: out, context: r.Session.Begin(ctx), notice: w.Warn}
	if s.Approver != nil {
		session.ask = s.Approver.Approve
	}
	return session, nil
}

// mute makes e run no hook that the case has muted.
func mute(e *hooks.Engine, s testbed.Setup) {
	if s.Muted != nil {
		e.Runner = muted{e.Runner, s.Muted}
	}
}

// muted runs all hooks except those for which is returns true, which do nothing. Of a
// question to a model only the reply is lost, so that the model's answers stay in step.
type muted struct {
	hooks.Runner
	is func(hooks.Hook) bool
}

// Run implements [hooks.Runner].
func (m muted) Run(ctx context.Context, h hooks.Hook, stdin hooks.Payload, env []string) hooks.Exit {
	silent := m.is(h)
	if silent && h.Kind() != "prompt" {
		return hooks.Exit{}
	}
	exit := m.Runner.Run(ctx, h, stdin, env)
	if silent {
		return hooks.Exit{}
	}
	return exit
}

func caseFrontend(s testbed.Setup, out headless.Output) wiring.Frontend {
	w := wiring.Frontend{
		Interactive: s.Approver != nil,
		Sink:        event.Tee(out, s.Sink),
		Reports:     func(r hooks.Report) { out.Report(r); s.Report(r) },
		Model:       s.Model,
		Warn:        func(text string) { s.Notice(text); out.Notice(text) },
		Configure:   func(e *hooks.Engine) { e.ReportIdle = true; serve(e, s) },
	}
	if s.Approver != nil {
		w.Approver = s.Approver
	}
	return w
}

// standing gives the project's hooks the trust that a case asks for.
func standing(c *app.Configuration, trust testbed.Trust) error {
	switch trust {
	case testbed.TrustNew:
		if err := c.TrustStore().Trust(c.ProjectDir, nil); err != nil {
			return err
		}
		return c.CheckProjectHooks()
	case testbed.TrustChanged:
		return pretendChanged(c)
	case testbed.TrustOn:
		for i := range c.Hooks.Hooks {
			c.Hooks.Hooks[i].Note = ""
		}
	}
	return nil
}

// pretendChanged makes it look as if the project's hooks were changed after they were
// trusted. It records them as they would be with a different script, or with a
// different environment if they have no script.
func pretendChanged(c *app.Configuration) error {
	checks, err := c.TrustStore().Check(c.ProjectDir, c.Hooks.Config)
	if err != nil {
		return err
	}
	for _, check := range checks {
		h := check.Hook
		if len(check.Scripts) == 0 {
			h.Env = map[string]string{"BEFORE": "1"}
		}
		undo, err := touch(c, check.Scripts)
		if err != nil {
			return err
		}
		err = c.TrustStore().Trust(c.ProjectDir, []hooks.Hook{h})
		undo()
		if err != nil {
			return err
		}
	}
	return c.CheckProjectHooks()
}

// touch adds a line to files of the project until undo is called.
func touch(c *app.Configuration, files []string) (undo func(), err error) {
	var undos []func()
	undo = func() {
		for _, u := range undos {
			u()
		}
	}
	for _, name := range files {
		path := filepath.Join(c.ProjectDir, name)
		data, err := boundedfile.Read(path, boundedfile.Kept)
		if err != nil || filepath.IsAbs(name) {
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		undos = append(undos, func() { _ = os.WriteFile(path, data, info.Mode().Perm()) })
		if err := os.WriteFile(path, append(data[:len(data):len(data)], '\n'), info.Mode().Perm()); err != nil {
			undo()
			return nil, fmt.Errorf("changing %s: %w", name, err)
		}
	}
	return undo, nil
}

// Prompt implements testbed.Session. It prepares text like a run without a terminal.
func (s *caseSession) Prompt(ctx context.Context, text string) testbed.Outcome {
	p, err := commands.Expand(ctx, s.runtime, text, s.context, s.ask, s.notice)
	if err != nil {
		return testbed.Outcome{Result: agent.Result{Err: err}, Exit: exit.Report(s.sys.Stderr, err)}
	}
	s.context = ""
	res := s.runtime.Agent.Run(ctx, p)
	err = s.out.End(res, headless.EndingError(ctx, res))
	if err == nil {
		err = headless.Blocked(res, s.runtime.Config.Hooks.BlockedExitCode)
	}
	return testbed.Outcome{Result: res, Exit: exit.Report(s.sys.Stderr, err)}
}

// Clear implements testbed.Session.
func (s *caseSession) Clear(ctx context.Context) { s.context = s.runtime.Session.Clear(ctx) }

// Compress implements testbed.Session.
func (s *caseSession) Compress(ctx context.Context) error { return s.runtime.Compress(ctx) }

// End implements testbed.Session.
func (s *caseSession) End(ctx context.Context) {
	s.runtime.Session.End(ctx, "exit")
	s.runtime.Close()
}

// Hooks implements testbed.Session.
func (s *caseSession) Hooks() config.Loaded { return s.runtime.Config.Hooks }

// Engine implements testbed.Firer.
func (s *caseSession) Engine(c hooks.Config) *hooks.Engine {
	e := s.runtime.Config.HookEngine(c, nil)
	serve(e, s.setup)
	return e
}

// Transcript implements testbed.Session.
func (s *caseSession) Transcript() string { return s.runtime.Session.Path() }
