package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"minigem/agent"
	"minigem/agent/event"
	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/output"
	"minigem/internal/slash"
	"minigem/internal/terminal"
	"minigem/internal/text"
	"minigem/llm"
	"minigem/notify"
	"minigem/tools/toolcall"
)

// What the chat prints when it ends. Programs that drive a terminal wait for
// it.
const goodbye = "Agent powering down. Goodbye!"

// againTime is how soon a second ^C must follow the first one to leave the
// chat.
const againTime = 3 * time.Second

// Chat is minigem in a terminal. /resume replaces its runtime.
type Chat struct {
	runtime  *app.Runtime
	Sys      *app.System
	Flags    *app.Options
	Ctx      context.Context // ends when a signal ends the program
	term     *terminal.Terminal
	view     *terminal.View
	notifier atomic.Pointer[notify.Notifier] // of the runtime
	// nothing is shown that depends on time or place, as in cases; the settings win
	fixed     bool
	trouble   hookTrouble
	used      atomic.Int64 // tokens of the conversation; 0: unknown
	stats     *output.Stats
	hookStats output.HookStats
	table     slash.Table
	files     slash.FileIndex
	shellDir  string          // where commands with ! run; empty: in the folder of the chat
	prompts   []app.MCPPrompt // of MCP servers, which are commands, too
	// ownCommands is how many of table are not prompts of MCP servers.
	ownCommands int
	builtin     int    // how many of table are ours
	theme       string // what /theme set; empty: nothing

	context   string // context from SessionStart, sent with the first prompt
	heldHooks bool   // the user said no to the project's new hooks
	lastHook  atomic.Pointer[hooks.Report]
	Idle      <-chan struct{} // notifies hooks as the time does when the user sends nothing; may be nil
	left      string          // the reason of SessionEnd; empty: the chat goes on
	Observer  Observer

	interrupted atomic.Int64 // time of the last ^C, in nanoseconds
	opened      atomic.Pointer[terminal.Terminal]
	quits       atomic.Bool // ^C was pressed twice during work
}

// Observer is called when something happens in a chat. All fields may be nil,
// and are set before it begins.
type Observer struct {
	Configured func(*app.Configuration) error // the configuration, before any question about it
	Opened     func(*app.Runtime)             // a session is built, and begins next
	Submitted  func(prompt string)            // the model is asked next
	Commanded  func(line string)              // a line with "/" or "!" is executed next
	Answered   func(toolcall.Question, toolcall.Answer)
	Asked      func(toolcall.Question)
	Notice     func(text string)
	Finished   func(agent.Result)  // a prompt ended
	Wiring     func(*app.Frontend) // changes the runtime before its session begins
}

// GiveBack restores the terminal, when there is no time for more.
func (t *Chat) GiveBack() {
	if term := t.opened.Load(); term != nil {
		term.Close()
	}
}

// Talk opens the terminal and runs the chat until the user leaves. in provides
// the size of the window.
func (t *Chat) Talk(in terminal.Options) error {
	c, err := app.Configure(t.Sys, t.Flags)
	if err != nil {
		return err
	}
	t.stats = &output.Stats{}
	in.Getenv, in.Vim, in.Complete = t.Sys.Getenv, c.Settings.General.VimMode, t.complete
	in.Cycle, in.Compose = t.nextMode, t.compose
	t.fixed, t.files.ByName = in.Fixed, in.Fixed
	in.Theme = terminal.Background(c.Settings.UI.Theme)
	if c.Settings.General.EnableNotifications {
		in.Focus = t.focused
	}
	t.term, err = terminal.Open(in)
	if err != nil {
		return err
	}
	defer t.term.Close()
	t.opened.Store(t.term)
	defer context.AfterFunc(t.Ctx, t.term.Hangup)()
	return t.run(c)
}

// run asks for trust, builds the runtime and runs the chat until the user
// leaves.
func (t *Chat) run(c *app.Configuration) (err error) {
	t.view = terminal.NewView(t.term, config.Notifications(c.Sections...))
	if err := t.configured(c); err != nil {
		return err
	}
	if c, err = t.askTrust(c); err != nil {
		return err
	}
	t.askHooks(c)
	if _, err = t.openSignedIn(c); err != nil {
		return err
	}
	defer func() { err = exit.Lost(err, t.runtime.Close()) }()
	begin := t.runtime.HeldMCP()
	t.term.History(filepath.Join(t.runtime.Project.Temp, "prompt_history"))
	t.setTable()
	t.banner()
	if len(t.conversation()) > 0 {
		t.replay()
	}
	if slices.ContainsFunc(t.runtime.Config.Hooks.Hooks, func(h hooks.Hook) bool {
		return h.Event == protocol.SessionStart
	}) {
		begin() // these take time, too
	}
	t.begin(t.runtime.Session.Begin)
	first := strings.TrimSpace(strings.Join(append(t.Flags.Query, t.Flags.PromptInteractive), " "))
	if first != "" && t.left == "" {
		t.term.ShowPrompt(first)
		t.take(first)
	}
	t.term.WhenReady(begin)
	t.loop()
	t.end()
	if t.Ctx.Err() != nil && !errors.Is(context.Cause(t.Ctx), exit.ErrInterrupted) {
		return exit.Silent(exit.Terminated)
	}
	return nil
}

// open builds the runtime.
func (t *Chat) open(c *app.Configuration) error {
	w := app.Frontend{
		Interactive: true,
		HoldMCP:     t.runtime == nil, // until the prompt is there
		Sink:        event.Tee(t.view, t.stats, t),
		Reports:     t.report,
		Approver:    t.approver(c),
		Asker:       alertingAsker{&terminal.Questioner{View: t.view}, t},
		Bell:        signalWriter{t.term},
		Warn:        t.warn,
		Configure:   func(e *hooks.Engine) { e.Starting = t.view.HookStarting },
	}
	if t.runtime != nil && (t.Flags.Fake != "" || t.Flags.FakeNonStrict != "") && t.Flags.Record == "" {
		w.Model = t.runtime.Model // its answer continues in the text
	}
	if t.Observer.Wiring != nil {
		t.Observer.Wiring(&w)
	}
	r, err := app.Build(t.Ctx, t.Sys, t.Flags, c, w.Debugging(t.Flags.Debug, t.Sys.Stderr))
	if err != nil {
		return err
	}
	t.runtime = r
	t.notifier.Store(r.Alerts)
	t.used.Store(0)
	if t.Observer.Opened != nil {
		t.Observer.Opened(r)
	}
	return nil
}

func (t *Chat) approver(c *app.Configuration) toolcall.Approver {
	a := &terminal.Approver{View: t.view, Dir: c.Dir, Shorten: c.ShortenIn,
		OnceOnly: c.Settings.Security.DisableAlwaysAllow}
	a.Edit = t.term.Editor(editorOf(c), c.Env)
	return ObservedApprover{a, t.Observer}
}

// ObservedApprover reports questions and answers to an [Observer].
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

// configured reports the configuration to the Observer.
func (t *Chat) configured(c *app.Configuration) error {
	if t.Observer.Configured == nil {
		return nil
	}
	return t.Observer.Configured(c)
}

// compose lets the user write a prompt in their editor.
func (t *Chat) compose(prompt string) (string, error) {
	c := t.runtime.Config
	return t.term.Editor(editorOf(c), c.Env)(t.Ctx, "prompt.md", prompt)
}

// editorOf returns the user's editor, as a command line.
func editorOf(c *app.Configuration) string {
	env := app.System{Env: c.Env}
	return cmp.Or(env.Getenv("VISUAL"), env.Getenv("EDITOR"), c.Settings.General.PreferredEditor, "vi")
}

func (t *Chat) report(r hooks.Report) {
	t.lastHook.Store(&r)
	t.trouble.note(r)
	t.hookStats.Note(r)
	t.view.Hook(r)
}

// banner prints the start, in three lines, and what the user should know.
func (t *Chat) banner() {
	active := 0
	for _, h := range t.runtime.Config.Hooks.Hooks {
		if h.Disabled == "" && h.Untrusted == "" {
			active++
		}
	}
	loaded := []string{text.Plural(active, "hook"), text.Plural(len(t.runtime.Context.Paths()), "memory file"),
		text.Plural(len(t.runtime.Agent.Tools.Specs()), "tool")}
	if !t.runtime.Config.Trust.Trusted {
		loaded = append(loaded, "folder not trusted")
	}
	t.term.Print(fmt.Sprintf("%s %s  %s\n%s\n%s", t.term.Bold("minigem"), app.Version, t.runtime.ModelName,
		t.term.Dim(terminal.Clean(t.shortenHome(t.runtime.Config.Dir))),
		t.term.Dim(strings.Join(loaded, ", ")+"  (/help lists commands)")))
	notices := append(t.runtime.Config.Notices, t.runtime.Config.HookProblems()...)
	if !t.asksForHooks(t.runtime.Config) {
		notices = append(t.runtime.Config.Notices, t.runtime.Config.HookNotices()...)
	}
	if n := t.runtime.Config.WithoutEffect(); n != "" {
		notices = append(notices, n)
	}
	for _, n := range notices {
		t.warn(t.runtime.Config.ShortenIn(n))
	}
}

func (t *Chat) shortenHome(path string) string {
	if rest, ok := strings.CutPrefix(path, t.runtime.Config.Home+string(filepath.Separator)); ok {
		return "~" + string(filepath.Separator) + rest
	}
	return path
}

// begin runs the SessionStart hooks; the first prompt waits for them.
func (t *Chat) begin(start func(context.Context) string) {
	t.work("starting the session", func(ctx context.Context) { t.context = start(ctx) })
}

// end ends the session, once, and prints the farewell.
func (t *Chat) end() {
	reason := t.left
	if reason == "" || t.Ctx.Err() != nil {
		reason = "other"
	}
	t.view.Work("ending the session", nil, func() { t.runtime.Session.End(context.WithoutCancel(t.Ctx), reason) })
	t.term.Print(goodbye)
}

// work runs f until it ends or the user interrupts it.
func (t *Chat) work(what string, f func(ctx context.Context)) {
	ctx, cancel := context.WithCancelCause(t.Ctx)
	defer cancel(nil)
	t.view.Work(what, func(ctrlC bool) { t.interrupt(cancel, ctrlC) }, func() { f(ctx) })
	if t.quits.Load() {
		t.left = "prompt_input_exit"
	}
}

// interrupt stops the current work; the second ^C in a row leaves the chat too.
func (t *Chat) interrupt(stop context.CancelCauseFunc, ctrlC bool) {
	if ctrlC && t.again() {
		t.quits.Store(true)
	}
	stop(exit.ErrInterrupted)
}

// again records a ^C, and reports whether it follows another one closely.
func (t *Chat) again() bool {
	now := time.Now().UnixNano()
	return now-t.interrupted.Swap(now) < int64(againTime)
}

// loop reads and executes lines until the user leaves.
func (t *Chat) loop() {
	for t.left == "" && t.Ctx.Err() == nil {
		t.showStatus()
		stop := t.whenIdle()
		line, err := t.term.Prompt()
		stop()
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

// take executes one line.
func (t *Chat) take(line string) {
	if t.Observer.Commanded != nil && (strings.HasPrefix(line, "!") || slash.Is(line)) {
		t.Observer.Commanded(line)
	}
	var err error
	switch {
	case strings.HasPrefix(line, "!"):
		err = t.shell(strings.TrimSpace(line[1:]))
	case slash.Is(line):
		err = t.runCommand(line)
	default:
		t.submit(line, nil)
	}
	if err != nil && t.Ctx.Err() == nil {
		t.view.Failure(err)
	}
}

// submit sends a prompt to the model. parts is what is sent; nil: text, with
// the files that it names.
func (t *Chat) submit(text string, parts []llm.Part) {
	t.trouble.clear()
	if t.Observer.Submitted != nil {
		t.Observer.Submitted(text)
	}
	if t.context != "" {
		t.runtime.Session.Append(llm.UserText(t.context))
		t.context = ""
	}
	var res agent.Result
	t.work("thinking", func(ctx context.Context) {
		if parts == nil {
			parts = t.runtime.Files().Include(ctx, text, t.warn)
		}
		res = t.runtime.Agent.Run(ctx, agent.Prompt{Text: text, Parts: parts})
	})
	if t.Observer.Finished != nil {
		t.Observer.Finished(res)
	}
	if res.Ending != agent.Cancelled { // whoever stopped it knows
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
		if t.Ctx.Err() == nil {
			t.view.Failure(res.Err)
		}
	}
}
