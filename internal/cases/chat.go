package cases

import (
	"context"
	"sync"
	"time"

	"minigem/agent/event"
	"minigem/e2e/testbed"
	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/internal/app"
	"minigem/internal/chat"
	"minigem/internal/exit"
	"minigem/internal/terminal"
	"minigem/internal/trust"
	"minigem/internal/wiring"
)

// caseChat is the chat of a test case.
type caseChat struct {
	setup testbed.Setup
	done  chan struct{}
	exit  int

	mu      sync.Mutex
	runtime *wiring.Runtime // nil until a session is wired
	hooks   config.Loaded
}

// OpenChat is this command's testbed.ChatDriver: the real chat, with the case's model,
// in the case's terminal.
func OpenChat(ctx context.Context, s testbed.Setup) (testbed.Chat, error) {
	sys := &app.System{
		Stdin: s.Terminal, Stdout: s.Terminal, Stderr: s.Stderr, StdinTTY: true, StdoutTTY: true,
		Env: append([]string{"TERM=xterm-256color"}, s.Env...), Dir: s.Workspace, Now: time.Now,
		Within: s.Within, NotRun: s.NotRun,
	}
	f := &app.Options{OwnAgents: true, SkipTrust: s.Trust == testbed.TrustOn, Model: "gemini-2.5-flash",
		ApprovalMode: s.Mode}
	if s.Resume {
		f.Resume = "latest"
	}
	if err := trustProject(sys, s.Trust); err != nil {
		return nil, err
	}
	c := &caseChat{setup: s, done: make(chan struct{})}
	t := &chat.Chat{Sys: sys, Flags: f, Ctx: ctx, Idle: s.Idle}
	t.Observer = chat.Observer{
		Configured: c.configured, Opened: c.opened, Wiring: c.wire, Asked: s.Asked, Notice: s.Notice, Finished: s.Finished,
	}
	go func() {
		defer close(c.done)
		c.exit = exit.Report(sys.Stderr, t.Talk(terminal.Options{In: s.Terminal, Out: s.Terminal, Fixed: true}))
	}()
	return c, nil
}

// trustProject trusts a project if a case is only about approving its hooks.
func trustProject(sys *app.System, standing testbed.Trust) error {
	if standing != testbed.TrustNew && standing != testbed.TrustChanged {
		return nil
	}
	c, err := app.Configure(sys, &app.Options{SkipTrust: true})
	if err != nil {
		return err
	}
	return trust.Set(c.TrustedFolders(), c.Dir, trust.Folder)
}

// configured gives the project's hooks the trust that the case asks for.
func (c *caseChat) configured(found *app.Configuration) error {
	if c.setup.HooksOff {
		found.Hooks.Off = "the case runs without them"
	}
	return standing(found, c.setup.Trust)
}

func (c *caseChat) wire(w *wiring.Frontend) {
	w.Model = c.setup.Model
	w.Sink = event.Tee(w.Sink, c.setup.Sink)
	shown := w.Reports
	w.Reports = func(r hooks.Report) {
		if !r.Late {
			c.opened(c.runtime) // /hooks may have changed the hooks
		}
		c.setup.Report(r)
		shown(r)
	}
	shownFirst := w.Configure
	w.Configure = func(e *hooks.Engine) { shownFirst(e); e.ReportIdle = true; serve(e, c.setup); mute(e, c.setup) }
}

func (c *caseChat) opened(r *wiring.Runtime) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runtime, c.hooks = r, r.Config.Hooks
}

// Done implements testbed.Chat.
func (c *caseChat) Done() <-chan struct{} { return c.done }

// Exit implements testbed.Chat.
func (c *caseChat) Exit() int { return c.exit }

// Hooks implements testbed.Chat.
func (c *caseChat) Hooks() config.Loaded {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hooks
}

// Transcript implements testbed.Chat.
func (c *caseChat) Transcript() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.runtime == nil {
		return ""
	}
	return c.runtime.Session.Path()
}
