package chat

import (
	"context"
	"errors"

	"minigem/hooks/config"
	"minigem/internal/app"
	"minigem/internal/listing"
	"minigem/internal/slash"
	"minigem/internal/terminal"
)

func (t *Chat) hooksCommands() slash.Command {
	names := func(disabled bool) func() []string {
		return func() []string { return t.runtime.Config.HookEditor().Names(disabled) }
	}
	return slash.Command{Name: "hooks", Help: "look after hooks", Run: t.hooksPanel, Sub: []slash.Command{
		{Name: "panel", Aliases: []string{"list", "show"}, Help: "list them, and why one does not run", Run: t.hooksPanel},
		{Name: "enable", Args: "NAME", Help: "turn one on again", Values: names(true),
			Run: t.switchHooks(app.HookSwitch{Named: true, Enable: true, One: config.Editor.Enable})},
		{Name: "disable", Args: "NAME", Help: "turn one off", Values: names(false),
			Run: t.switchHooks(app.HookSwitch{Named: true, One: config.Editor.Disable})},
		{Name: "enable-all", Aliases: []string{"enableall"}, Help: "turn all on again",
			Run: t.switchHooks(app.HookSwitch{Enable: true, All: config.Editor.EnableAll})},
		{Name: "disable-all", Aliases: []string{"disableall"}, Help: "turn all off",
			Run: t.switchHooks(app.HookSwitch{All: config.Editor.DisableAll})},
		{Name: "why", Args: "NAME", Help: "when one runs, or why it does not", Run: t.whyHook,
			Values: func() []string { return t.runtime.Config.Inspection().Names() }},
		{Name: "last", Help: "what came of the last event", Run: t.lastReport},
		{Name: "trace", Args: "on|off", Help: "a line for every event at which hooks run", Run: t.traceHooks,
			Values: func() []string { return []string{"on", "off"} }},
	}}
}

// switchHooks changes the settings files; the change applies at once.
func (t *Chat) switchHooks(s app.HookSwitch) func(context.Context, string) error {
	return func(_ context.Context, name string) error {
		var names []string
		if s.Named {
			if name == "" {
				return errors.New("which hook? /hooks panel lists them")
			}
			names = []string{name}
		}
		done, err := s.Apply(t.runtime.Config.HookEditor(), names)
		for _, d := range done {
			t.term.Print(terminal.Clean(t.runtime.Config.ShortenIn(d.Message)))
		}
		return errors.Join(err, t.reloadHooks())
	}
}

// reloadHooks reads the settings again and gives their hooks to the engine.
func (t *Chat) reloadHooks() error {
	c, err := t.configureAgain()
	if err == nil {
		t.adopt(c)
	}
	return err
}

func (t *Chat) whyHook(_ context.Context, name string) error {
	if name == "" {
		return errors.New("which hook? /hooks panel lists them")
	}
	return t.captured(func(sys *app.System) error { return listing.WhyHook(t.runtime.Config, sys, name, false) })
}

func (t *Chat) lastReport(context.Context, string) error {
	r := t.lastHook.Load()
	if r == nil {
		t.term.Print("No event has met a hook yet.")
		return nil
	}
	t.term.Print(terminal.Clean(t.runtime.Config.InspectionText().Report(*r)))
	return nil
}

func (t *Chat) traceHooks(_ context.Context, which string) error {
	if which != "on" && which != "off" {
		return errors.New("say /hooks trace on, or off")
	}
	t.view.TraceHooks(which == "on")
	t.term.Print("Every event at which hooks run gets a line: " + which + ".")
	return nil
}
