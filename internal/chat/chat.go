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

	"minigem/agent"
	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/hooks/protocol"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/inspection"
	"minigem/internal/slash"
	"minigem/internal/terminal"
	"minigem/internal/text"
	"minigem/internal/wiring"
	"minigem/tools/toolcall"
)

// goodbye is printed when the chat ends. Programs that drive a terminal wait for it.
const goodbye = "Agent powering down. Goodbye!"

// Chat is minigem in a terminal. It reads lines and passes each one to the model, to
// the table of commands, or to the user's shell.
type Chat struct {
	Sys      *app.System
	Flags    *app.Options
	Ctx      context.Context // ends when a signal ends the program
	Idle     <-chan struct{} // triggers the idle notification early; may be nil
	Observer Observer

	*live
	table  commandTable
	shell  userShell
	opened atomic.Pointer[terminal.Terminal]
}

// Observer is called when something happens in a chat. Any field may be nil. The fields
// are set before the chat begins.
type Observer struct {
	Configured func(*app.Configuration) error // the configuration was read; no question about it has been asked yet
	Opened     func(*wiring.Runtime)          // a session was built and is about to begin
	Submitted  func(prompt string)            // the model is about to be asked
	Commanded  func(line string)              // a line with "/" or "!" is about to be executed
	Answered   func(toolcall.Question, toolcall.Answer)
	Asked      func(toolcall.Question)
	Notice     func(text string)
	Finished   func(agent.Result)     // a prompt ended
	Wiring     func(*wiring.Frontend) // changes the runtime before its session begins
}

// GiveBack restores the terminal when there is no time for more.
func (t *Chat) GiveBack() {
	if term := t.opened.Load(); term != nil {
		term.Close()
	}
}

// Talk opens the terminal and runs the chat until the user leaves. in provides the
// window's size.
func (t *Chat) Talk(in terminal.Options) error {
	c, err := app.Configure(t.Sys, t.Flags)
	if err != nil {
		return err
	}
	t.live = newLive(t)
	t.table.live, t.shell.live = t.live, t.live
	t.live.renewed = t.table.set
	in.Getenv, in.Vim, in.Complete = t.Sys.Getenv, c.Settings.General.VimMode, t.table.complete
	in.Cycle, in.Compose = t.nextMode, t.compose
	t.status.hidden, t.table.files.ByName = in.Fixed, in.Fixed
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
	t.view = terminal.NewView(t.term, config.Notifications(c.Sections...))
	return t.run(c)
}

// run asks for trust, builds the runtime and runs the chat until the user leaves.
func (t *Chat) run(c *app.Configuration) (err error) {
	if err := t.configured(c); err != nil {
		return err
	}
	if c, err = t.consent.askTrust(c); err != nil {
		return err
	}
	t.consent.askHooks(c)
	if err = t.openSignedIn(c); err != nil {
		return err
	}
	defer func() { err = exit.Lost(err, t.runtime.Close()) }()
	begin := t.runtime.MCP.Held()
	t.term.History(filepath.Join(t.runtime.Project.Temp, "prompt_history"))
	t.renewed()
	t.banner()
	if len(t.conversation()) > 0 {
		t.replay()
	}
	if slices.ContainsFunc(t.runtime.Config.Hooks.Hooks, func(h hooks.Hook) bool {
		return h.Event == protocol.SessionStart
	}) {
		begin() // the hooks take time, too
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

// openSignedIn builds the runtime. If no model is configured, it asks the user to choose
// one first.
func (t *Chat) openSignedIn(c *app.Configuration) error {
	for {
		err := t.open(c, t.Flags)
		var code *exit.Error
		if err == nil || !errors.As(err, &code) || code.ExitCode() != exit.Auth {
			return err
		}
		if !askSignIn(t.live, c, err) {
			return err
		}
		if c, err = app.Configure(t.Sys, t.Flags); err == nil {
			err = t.configured(c)
		}
		if err != nil {
			return err
		}
		t.consent.holdHooks(c)
	}
}

// banner prints the three lines at the start, and notices for the user.
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
	t.term.Print(fmt.Sprintf("%s %s  %s\n%s\n%s", t.term.Bold("minigem"), app.Version, t.runtime.Models.Name,
		t.term.Dim(terminal.Clean(t.shortenHome(t.runtime.Config.Dir))),
		t.term.Dim(strings.Join(loaded, ", ")+"  (/help lists commands)")))
	notices := append(t.runtime.Config.Notices, inspection.Problems(t.runtime.Config)...)
	if !t.consent.asksForHooks(t.runtime.Config) {
		notices = inspection.Notices(t.runtime.Config)
	}
	if n := inspection.WithoutEffect(t.runtime.Config); n != "" {
		notices = append(notices, n)
	}
	for _, n := range notices {
		t.warn(t.runtime.Config.ShortenIn(n))
	}
}

// compose lets the user write a prompt in their editor.
func (t *Chat) compose(prompt string) (string, error) {
	c := t.runtime.Config
	return t.term.Editor(editorOf(c), c.Env)(t.Ctx, "prompt.md", prompt)
}

// editorOf returns the command line of the user's editor.
func editorOf(c *app.Configuration) string {
	return cmp.Or(c.Lookup("VISUAL"), c.Lookup("EDITOR"), c.Settings.General.PreferredEditor, "vi")
}

// nextMode handles Shift+Tab at the prompt.
func (t *Chat) nextMode() {
	t.runtime.Plans.Next()
	t.status.show(t.live)
}

// loop reads and executes lines until the user leaves.
func (t *Chat) loop() {
	for t.left == "" && t.Ctx.Err() == nil {
		t.status.show(t.live)
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
		err = t.shell.run(strings.TrimSpace(line[1:]))
	case slash.Is(line):
		err = t.table.run(line)
	default:
		t.submit(agent.Prompt{Text: line})
	}
	if err != nil && t.Ctx.Err() == nil {
		t.view.Failure(err)
	}
}
