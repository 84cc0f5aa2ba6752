package chat

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/hooks"
	"minigem/internal/app"
	"minigem/internal/output"
	"minigem/internal/terminal"
	"minigem/internal/wiring"
	"minigem/llm"
	"minigem/notify"
	"minigem/session"
	"minigem/tools/toolcall"
)

// live is the chat's current session. /resume and trust replace its runtime; the rest
// outlives it.
type live struct {
	*console
	flags    *app.Options
	observer *Observer
	runtime  *wiring.Runtime                 // nil until one is built
	notifier atomic.Pointer[notify.Notifier] // the runtime's
	consent  consent
	tally    tally
	status   statusLine
	context  string // sent to the model with the next prompt: from SessionStart hooks, and about new folders
	renewed  func() // called when the session's commands may have changed
}

func newLive(t *Chat) *live {
	l := &live{
		console:  &console{ctx: t.Ctx, sys: t.Sys, noticed: t.Observer.Notice},
		flags:    t.Flags,
		observer: &t.Observer,
		tally:    tally{stats: &output.Stats{}},
	}
	l.consent = consent{console: l.console, flags: t.Flags, configured: l.configured}
	return l
}

// configured reports the configuration to the Observer.
func (t *live) configured(c *app.Configuration) error {
	if t.observer.Configured == nil {
		return nil
	}
	return t.observer.Configured(c)
}

// open builds the runtime.
func (t *live) open(c *app.Configuration, f *app.Options) error {
	w := wiring.Frontend{
		Interactive: true,
		HoldMCP:     t.runtime == nil, // until the prompt is there
		Sink:        event.Tee(t.view, t.tally.stats, &t.status),
		Reports:     t.report,
		Approver:    t.approver(c),
		Asker:       alertingAsker{&terminal.Questioner{View: t.view}, t},
		Bell:        signalWriter{t.term},
		Warn:        t.warn,
		Configure:   func(e *hooks.Engine) { e.Starting = t.view.HookStarting },
	}
	if t.runtime != nil && f.Script() != "" && f.Record == "" {
		w.Model = t.runtime.Model // its script continues where it was
	}
	if t.observer.Wiring != nil {
		t.observer.Wiring(&w)
	}
	r, err := wiring.Open(t.ctx, t.sys, f, c, w.Debugging(f.Debug, t.sys.Stderr))
	if err != nil {
		return err
	}
	t.runtime = r
	t.notifier.Store(r.Alerts)
	t.status.used.Store(0)
	if t.observer.Opened != nil {
		t.observer.Opened(r)
	}
	return nil
}

func (t *live) approver(c *app.Configuration) toolcall.Approver {
	a := &terminal.Approver{View: t.view, Dir: c.Dir, Shorten: c.ShortenIn,
		OnceOnly: c.Settings.Security.DisableAlwaysAllow}
	a.Edit = t.term.Editor(editorOf(c), c.Env)
	return ObservedApprover{a, *t.observer}
}

// ObservedApprover passes questions on to Approver, and reports them and the answers to
// Observer.
type ObservedApprover struct {
	Approver toolcall.Approver
	Observer Observer
}

// Approve implements toolcall.Approver.
func (a ObservedApprover) Approve(ctx context.Context, q toolcall.Question) toolcall.Answer {
	if a.Observer.Asked != nil {
		a.Observer.Asked(q)
	}
	answer := a.Approver.Approve(ctx, q)
	if a.Observer.Answered != nil {
		a.Observer.Answered(q, answer)
	}
	return answer
}

func (t *live) report(r hooks.Report) {
	t.tally.note(r)
	t.status.trouble.note(r)
	t.view.Hook(r)
}

// begin runs the SessionStart hooks. The first prompt waits for them.
func (t *live) begin(start func(context.Context) string) {
	t.work("starting the session", func(ctx context.Context) { t.context = start(ctx) })
}

// end ends the session once, and prints the farewell.
func (t *live) end() {
	reason := t.left
	if reason == "" || t.ctx.Err() != nil {
		reason = "other"
	}
	t.view.Work("ending the session", nil, func() { t.runtime.Session.End(context.WithoutCancel(t.ctx), reason) })
	t.term.Print(goodbye)
}

// rewire ends the session and continues the session with the given id in a runtime
// built from c.
func (t *live) rewire(c *app.Configuration, id string) error {
	t.view.Work("ending the session", nil, func() { t.runtime.Session.End(context.WithoutCancel(t.ctx), "other") })
	project := t.runtime.Project
	t.runtime.Close()
	f := *t.flags
	f.Resume, f.SessionID, f.SessionFile = id, "", ""
	if _, err := session.Find(project, id); err != nil {
		f.Resume, f.SessionID = "", id // the session is still empty
	}
	err := t.open(c, &f)
	if err != nil {
		f.Resume, f.SessionID = "", ""
		if again := t.open(c, &f); again != nil {
			return errors.Join(err, again)
		}
		err = fmt.Errorf("%w; a new session begins", err)
	}
	t.renewed()
	if err == nil && len(t.conversation()) > 0 {
		t.replay()
	}
	t.begin(t.runtime.Session.Begin)
	return err
}

func (t *live) shortenHome(path string) string {
	if rest, ok := strings.CutPrefix(path, t.runtime.Config.Home+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

// submit sends a prompt to the model. If p has no Parts, the files that its text names
// are added.
func (t *live) submit(p agent.Prompt) {
	t.status.trouble.clear()
	if t.observer.Submitted != nil {
		t.observer.Submitted(p.Text)
	}
	if t.context != "" {
		t.runtime.Session.Append(llm.UserText(t.context))
		t.context = ""
	}
	var res agent.Result
	t.work("thinking", func(ctx context.Context) {
		if p.Parts == nil {
			p.Parts = t.runtime.Files().Include(ctx, p.Text, t.warn)
		}
		res = t.runtime.Agent.Run(ctx, p)
	})
	if t.observer.Finished != nil {
		t.observer.Finished(res)
	}
	if res.Ending != agent.Cancelled { // a user who cancelled it knows
		t.done(p.Text)
	}
	switch res.Ending {
	case agent.Cancelled:
		t.term.Print(t.term.Warning("Request cancelled."))
	case agent.MaxTurns:
		t.warn("the limit of turns for this session is reached: raise model.maxSessionTurns in the settings")
	case agent.MaxRounds:
		t.warn("the model asked for more and more, and was stopped: say continue to let it go on")
	case agent.Failed, agent.InvalidStream:
		if t.ctx.Err() == nil {
			t.view.Failure(res.Err)
		}
	}
}
