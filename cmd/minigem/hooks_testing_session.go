package main

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
	"minigem/internal/boundedfile"
)

// caseSession is a session of a test case: the wiring of a run without a
// terminal, kept open for several prompts.
type caseSession struct {
	sys     *system
	rig     *rig
	out     headlessOutput
	context string // of SessionStart, for the next prompt
}

// openCase is the testbed.Driver of this command.
func openCase(ctx context.Context, s testbed.Setup) (testbed.Session, error) {
	sys := &system{Stdout: s.Stdout, Stderr: s.Stderr, Env: s.Env, Dir: s.Workspace, Now: time.Now}
	f := &flags{skipTrust: s.Trust != testbed.TrustOff, model: "gemini-2.5-flash", approvalMode: s.Mode}
	if s.Resume {
		f.resume = "latest"
	}
	out := newOutput(sys, f, nil)
	c, err := configure(sys, f)
	if err != nil {
		return nil, err
	}
	if err := c.standing(s.Trust); err != nil {
		return nil, err
	}
	if s.Approver == nil {
		if err := c.trust.requireTrusted(); err != nil {
			return nil, err
		}
	}
	if s.HooksOff {
		c.hooks.Off = "the case runs without them"
	}
	r, err := build(ctx, sys, f, c, caseWiring(s, out))
	if err != nil {
		return nil, err
	}
	for _, n := range append(r.notices, r.hookNotices()...) {
		s.Notice(n)
		out.warn(n)
	}
	return &caseSession{sys: sys, rig: r, out: out, context: r.session.Begin(ctx)}, nil
}

func caseWiring(s testbed.Setup, out headlessOutput) wiring {
	w := wiring{
		interactive: s.Approver != nil,
		sink:        event.Tee(out, s.Sink),
		reports:     func(r hooks.Report) { out.hook(r); s.Report(r) },
		model:       s.Model,
		warn:        func(text string) { s.Notice(text); out.warn(text) },
		configure:   func(e *hooks.Engine) { e.ReportIdle = true },
	}
	if s.Approver != nil {
		w.approver = s.Approver
	}
	return w
}

// standing makes the project's hooks stand with the user as a case says.
func (c *configuration) standing(trust testbed.Trust) error {
	switch trust {
	case testbed.TrustNew:
		if err := c.trustStore().Trust(c.projectDir, nil); err != nil {
			return err
		}
		return c.checkProjectHooks()
	case testbed.TrustChanged:
		return c.pretendChanged()
	case testbed.TrustOn:
		for i := range c.hooks.Hooks {
			c.hooks.Hooks[i].Note = ""
		}
	}
	return nil
}

// pretendChanged makes it so that the project's hooks were trusted before they
// were changed: what is remembered of them is what they were with another
// script, or where they have none, with another environment.
func (c *configuration) pretendChanged() error {
	checks, err := c.trustStore().Check(c.projectDir, c.hooks)
	if err != nil {
		return err
	}
	for _, check := range checks {
		h := check.Hook
		if len(check.Scripts) == 0 {
			h.Env = map[string]string{"BEFORE": "1"}
		}
		undo, err := c.scribble(check.Scripts)
		if err != nil {
			return err
		}
		err = c.trustStore().Trust(c.projectDir, []hooks.Hook{h})
		undo()
		if err != nil {
			return err
		}
	}
	return c.checkProjectHooks()
}

// scribble adds a line to files of the project until undo is called.
func (c *configuration) scribble(files []string) (undo func(), err error) {
	var undos []func()
	undo = func() {
		for _, u := range undos {
			u()
		}
	}
	for _, name := range files {
		path := filepath.Join(c.projectDir, name)
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

// Prompt implements testbed.Session.
func (s *caseSession) Prompt(ctx context.Context, text string) testbed.Outcome {
	before := s.context
	s.context = ""
	res := s.rig.agent.Run(ctx, agent.Prompt{Text: text, Context: before})
	return testbed.Outcome{Result: res, Exit: report(s.sys.Stderr, s.out.finish(res, endingError(ctx, res)))}
}

// Clear implements testbed.Session.
func (s *caseSession) Clear(ctx context.Context) { s.context = s.rig.session.Clear(ctx) }

// Compress implements testbed.Session.
func (s *caseSession) Compress(ctx context.Context) error { return s.rig.compress(ctx) }

// End implements testbed.Session.
func (s *caseSession) End(ctx context.Context) {
	s.rig.session.End(ctx, "exit")
	s.rig.close()
}

// Hooks implements testbed.Session.
func (s *caseSession) Hooks() hooks.Config { return s.rig.hooks }

// Transcript implements testbed.Session.
func (s *caseSession) Transcript() string { return s.rig.session.Path() }

// ExitCode implements testbed.ExitCoder.
func (e *exitError) ExitCode() int { return e.code }
