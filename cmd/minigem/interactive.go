package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/hooks"
	"minigem/internal/output"
	"minigem/internal/slash"
	"minigem/internal/terminal"
	"minigem/llm"
	"minigem/notify"
	"minigem/tools/toolcall"
)

// What the chat says as it is left. Programs that drive a terminal wait for it.
const goodbye = "Agent powering down. Goodbye!"

// againTime is how long a second ^C after the first one leaves the chat.
const againTime = 3 * time.Second

// A chat is minigem in a terminal. The rig is another one after /resume.
type chat struct {
	*rig
	sys   *system
	flags *flags
	ctx   context.Context // ends when the program is told to
	term  *terminal.Terminal
	view  *terminal.View
	desk  atomic.Pointer[notify.Desk] // of the rig
	stats *output.Stats
	table slash.Table

	context   string // of SessionStart, until the first prompt takes it along
	heldHooks bool   // the user said no to the project's new hooks
	lastHook  atomic.Pointer[hooks.Report]
	left      string // the reason of SessionEnd; empty: the chat goes on
	witness   witness

	interrupted atomic.Int64 // when ^C was pressed last, in nanoseconds
	opened      atomic.Pointer[terminal.Terminal]
	quits       atomic.Bool // it was pressed twice while something was done
}

// A witness hears of what happens in a chat. All fields may be nil, and are set
// before it begins.
type witness struct {
	configured func(*configuration) error // what was found, before anybody is asked about it
	opened     func(*rig)                 // a session is wired, and begins next
	submitted  func(prompt string)        // the model is asked next
	commanded  func(line string)          // a line with "/" or "!" is obeyed next
	answered   func(toolcall.Question, toolcall.Answer)
	asked      func(toolcall.Question)
	notice     func(text string)
	finished   func(agent.Result) // a prompt ended
	wiring     func(*wiring)      // last changes of how the session is wired
}

// runInteractive is the chat in the terminal.
func runInteractive(ctx context.Context, sys *system, f *flags) error {
	in, isFile := sys.Stdin.(*os.File)
	out, isFile2 := sys.Stdout.(*os.File)
	if !isFile || !isFile2 || !sys.StdinTTY || !sys.StdoutTTY {
		return exitf(exitInput, "the chat needs a terminal on standard input and output: give a prompt with -p (minigem --help has examples)")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := &chat{sys: sys, flags: f, ctx: ctx}
	stop := onSignals(cancel, t.giveBack)
	defer stop()
	if err := f.checkRecording(sys); err != nil {
		return err
	}
	guard := terminal.NewGuard(out) // starts while the settings are read
	defer guard.Release()
	return t.recorded(func() error { return t.talk(terminal.Options{In: in, Out: out, Guard: guard}) })
}

// giveBack leaves the terminal as it was, when there is no time for more.
func (t *chat) giveBack() {
	if term := t.opened.Load(); term != nil {
		term.Close()
	}
}

// talk opens the terminal and talks until the user leaves. in tells of the
// window; the rest is known here.
func (t *chat) talk(in terminal.Options) error {
	c, err := configure(t.sys, t.flags)
	if err != nil {
		return err
	}
	t.stats = &output.Stats{}
	in.Getenv, in.Vim, in.Complete = t.sys.Getenv, c.settings.General.VimMode, t.complete
	if c.settings.General.EnableNotifications {
		in.Focus = t.focused
	}
	t.term, err = terminal.Open(in)
	if err != nil {
		return err
	}
	defer t.term.Close()
	t.opened.Store(t.term)
	defer context.AfterFunc(t.ctx, t.term.Hangup)()
	return t.run(c)
}

// run asks for trust, wires the session and talks until the user leaves.
func (t *chat) run(c *configuration) error {
	t.view = terminal.NewView(t.term, hooks.Notifications(c.sections...))
	if err := t.configured(c); err != nil {
		return err
	}
	c, err := t.askTrust(c)
	if err != nil {
		return err
	}
	t.askHooks(c)
	if err := t.open(c); err != nil {
		return err
	}
	defer func() { t.rig.close() }()
	t.term.History(filepath.Join(t.project.Temp, "prompt_history"))
	t.table = t.addCustom(t.commands())
	t.banner()
	t.begin(t.session.Begin)
	first := strings.TrimSpace(strings.Join(append(t.flags.query, t.flags.promptInteractive), " "))
	if first != "" && t.left == "" {
		t.term.Print("> " + terminal.Clean(first))
		t.take(first)
	}
	t.loop()
	t.end()
	if t.ctx.Err() != nil && !errors.Is(context.Cause(t.ctx), errInterrupted) {
		return silent(exitTerminate)
	}
	return nil
}

// open wires a rig.
func (t *chat) open(c *configuration) error {
	w := wiring{
		interactive: true,
		sink:        event.Tee(t.view, t.stats),
		reports:     t.report,
		approver:    t.approver(c),
		asker:       alertingAsker{&terminal.Questioner{View: t.view}, t},
		signals:     signalWriter{t.term},
		warn:        t.warn,
		configure:   func(e *hooks.Engine) { e.Starting = t.view.HookStarting },
	}
	if t.rig != nil && (t.flags.fake != "" || t.flags.fakeNonStrict != "") && t.flags.record == "" {
		w.model = t.rig.model // its answers go on where they are
	}
	if t.witness.wiring != nil {
		t.witness.wiring(&w)
	}
	r, err := build(t.ctx, t.sys, t.flags, c, t.flags.debugging(t.sys, w))
	if err != nil {
		return err
	}
	t.rig = r
	t.desk.Store(r.bell.Desk)
	if t.witness.opened != nil {
		t.witness.opened(r)
	}
	return nil
}

func (t *chat) approver(c *configuration) toolcall.Approver {
	a := &terminal.Approver{View: t.view, Dir: c.dir, OnceOnly: c.settings.Security.DisableAlwaysAllow}
	a.Edit = t.term.Editor(editorOf(c), c.env)
	return witnessed{a, t.witness}
}

// witnessed lets the witness hear of questions and answers.
type witnessed struct {
	toolcall.Approver
	witness
}

// Approve implements toolcall.Approver.
func (a witnessed) Approve(ctx context.Context, q toolcall.Question) toolcall.Answer {
	if a.asked != nil {
		a.asked(q)
	}
	answer := a.Approver.Approve(ctx, q)
	if a.answered != nil {
		a.answered(q, answer)
	}
	return answer
}

// configured lets the witness see what was found.
func (t *chat) configured(c *configuration) error {
	if t.witness.configured == nil {
		return nil
	}
	return t.witness.configured(c)
}

// editorOf is the editor that the user wants, as a command line.
func editorOf(c *configuration) string {
	env := system{Env: c.env}
	return cmp.Or(env.Getenv("VISUAL"), env.Getenv("EDITOR"), c.settings.General.PreferredEditor, "vi")
}

func (t *chat) warn(text string) {
	if t.witness.notice != nil {
		t.witness.notice(text)
	}
	t.term.Print(t.term.Warning(t.term.Wrap("! " + terminal.Clean(text))))
}

func (t *chat) report(r hooks.Report) {
	t.lastHook.Store(&r)
	t.view.Hook(r)
}

// banner is the start, in three lines, and what the user should know.
func (t *chat) banner() {
	active := 0
	for _, h := range t.hooks.Hooks {
		if h.Disabled == "" && h.Untrusted == "" {
			active++
		}
	}
	loaded := []string{count(active, "hook"), count(len(t.rig.context.Paths()), "memory file"), count(len(t.offeredTools()), "tool")}
	if !t.trust.trusted {
		loaded = append(loaded, "folder not trusted")
	}
	t.term.Print(fmt.Sprintf("%s %s  %s\n%s\n%s", t.term.Bold("minigem"), version, t.modelName,
		t.term.Dim(terminal.Clean(t.shortenHome(t.dir))), t.term.Dim(strings.Join(loaded, ", ")+"  (/help lists commands)")))
	notices := append(t.notices, t.hookProblems()...)
	if !t.asksForHooks(t.configuration) {
		notices = append(t.notices, t.hookNotices()...)
	}
	for _, n := range notices {
		t.warn(t.shortenIn(n))
	}
}

func (t *chat) shortenHome(path string) string {
	if rest, ok := strings.CutPrefix(path, t.home+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// begin runs the SessionStart hooks; the first prompt waits for them.
func (t *chat) begin(start func(context.Context) string) {
	t.work("starting the session", func(ctx context.Context) { t.context = start(ctx) })
}

// end ends the session, once, and says goodbye.
func (t *chat) end() {
	reason := t.left
	if reason == "" || t.ctx.Err() != nil {
		reason = "other"
	}
	t.view.Work("ending the session", nil, func() { t.session.End(context.WithoutCancel(t.ctx), reason) })
	t.term.Print(goodbye)
}

// work runs f until it ends or the user interrupts it.
func (t *chat) work(what string, f func(ctx context.Context)) {
	ctx, cancel := context.WithCancelCause(t.ctx)
	defer cancel(nil)
	t.view.Work(what, func(ctrlC bool) { t.interrupt(cancel, ctrlC) }, func() { f(ctx) })
	if t.quits.Load() {
		t.left = "prompt_input_exit"
	}
}

// interrupt stops what is being done; the second ^C in a row leaves the chat too.
func (t *chat) interrupt(stop context.CancelCauseFunc, ctrlC bool) {
	if ctrlC && t.again() {
		t.quits.Store(true)
	}
	stop(errInterrupted)
}

// again notes a ^C, and reports whether it follows another one closely.
func (t *chat) again() bool {
	now := time.Now().UnixNano()
	return now-t.interrupted.Swap(now) < int64(againTime)
}

// loop reads and obeys until the user leaves.
func (t *chat) loop() {
	for t.left == "" && t.ctx.Err() == nil {
		line, err := t.term.Prompt()
		switch {
		case errors.Is(err, terminal.ErrInterrupted):
			if t.again() {
				t.left = "prompt_input_exit"
			} else {
				t.term.Print(t.term.Dim("Press Ctrl+C again to exit"))
			}
		case err != nil:
			t.left = "prompt_input_exit"
		case strings.TrimSpace(line) != "":
			t.take(strings.TrimSpace(line))
		}
	}
}

// take does what one line asks for.
func (t *chat) take(line string) {
	if t.witness.commanded != nil && (strings.HasPrefix(line, "!") || slash.Is(line)) {
		t.witness.commanded(line)
	}
	var err error
	switch {
	case strings.HasPrefix(line, "!"):
		err = t.shell(strings.TrimSpace(line[1:]))
	case slash.Is(line):
		err = t.table.Run(t.ctx, line)
	default:
		t.submit(line, nil)
	}
	if err != nil && t.ctx.Err() == nil {
		t.view.Failure(err)
	}
}

// submit gives the model a prompt. parts is what is sent; nil: text, with the
// files that it names.
func (t *chat) submit(text string, parts []llm.Part) {
	if t.witness.submitted != nil {
		t.witness.submitted(text)
	}
	if t.context != "" {
		t.session.Append(llm.UserText(t.context))
		t.context = ""
	}
	var res agent.Result
	t.work("thinking", func(ctx context.Context) {
		if parts == nil {
			parts = t.include(ctx, text, t.warn)
		}
		res = t.agent.Run(ctx, agent.Prompt{Text: text, Parts: parts})
	})
	if t.witness.finished != nil {
		t.witness.finished(res)
	}
	if res.Ending != agent.Cancelled { // who stopped it knows
		t.done(text)
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
