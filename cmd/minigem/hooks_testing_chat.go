package main

import (
	"context"
	"sync"
	"time"

	"minigem/agent/event"
	"minigem/e2e/testbed"
	"minigem/hooks"
	"minigem/internal/terminal"
	"minigem/internal/trust"
)

// caseChat is the chat of a test case.
type caseChat struct {
	setup testbed.Setup
	done  chan struct{}
	exit  int

	mu    sync.Mutex
	rig   *rig // nil: no session is wired yet
	hooks hooks.Config
}

// openChatCase is the testbed.ChatDriver of this command: the chat itself, with
// the case's model, in the case's terminal.
func openChatCase(ctx context.Context, s testbed.Setup) (testbed.Chat, error) {
	sys := &system{
		Stdin: s.Terminal, Stdout: s.Terminal, Stderr: s.Stderr, StdinTTY: true, StdoutTTY: true,
		Env: append([]string{"TERM=xterm-256color"}, s.Env...), Dir: s.Workspace, Now: time.Now,
	}
	f := &flags{skipTrust: s.Trust == testbed.TrustOn, model: "gemini-2.5-flash", approvalMode: s.Mode}
	if s.Resume {
		f.resume = "latest"
	}
	if err := trustFolder(sys, s.Trust); err != nil {
		return nil, err
	}
	c := &caseChat{setup: s, done: make(chan struct{})}
	t := &chat{sys: sys, flags: f, ctx: ctx}
	t.witness = witness{
		configured: c.configured, opened: c.opened, wiring: c.wire, asked: s.Asked, notice: s.Notice, finished: s.Finished,
	}
	go func() {
		defer close(c.done)
		c.exit = report(sys.Stderr, t.talk(terminal.Options{In: s.Terminal, Out: s.Terminal, Fixed: true}))
	}()
	return c, nil
}

// trustFolder trusts a project whose hooks alone are to be asked about.
func trustFolder(sys *system, standing testbed.Trust) error {
	if standing != testbed.TrustNew && standing != testbed.TrustChanged {
		return nil
	}
	c, err := configure(sys, &flags{skipTrust: true})
	if err != nil {
		return err
	}
	return trust.Set(c.trustedFolders(), c.dir, trust.Folder)
}

// configured makes the project stand with the user as the case says.
func (c *caseChat) configured(found *configuration) error {
	if c.setup.HooksOff {
		found.hooks.Off = "the case runs without them"
	}
	return found.standing(c.setup.Trust)
}

func (c *caseChat) wire(w *wiring) {
	w.model = c.setup.Model
	w.sink = event.Tee(w.sink, c.setup.Sink)
	shown := w.reports
	w.reports = func(r hooks.Report) {
		if !r.Late {
			c.opened(c.rig) // /hooks may have changed them
		}
		c.setup.Report(r)
		shown(r)
	}
	shownFirst := w.configure
	w.configure = func(e *hooks.Engine) { shownFirst(e); e.ReportIdle = true }
}

func (c *caseChat) opened(r *rig) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rig, c.hooks = r, r.hooks
}

// Done implements testbed.Chat.
func (c *caseChat) Done() <-chan struct{} { return c.done }

// Exit implements testbed.Chat.
func (c *caseChat) Exit() int { return c.exit }

// Hooks implements testbed.Chat.
func (c *caseChat) Hooks() hooks.Config {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hooks
}

// Transcript implements testbed.Chat.
func (c *caseChat) Transcript() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rig == nil {
		return ""
	}
	return c.rig.session.Path()
}
