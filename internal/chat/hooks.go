package chat

import (
	"errors"

	"minigem/hooks/config"
	"minigem/internal/app"
	"minigem/internal/inspection"
	"minigem/internal/listing"
	"minigem/internal/terminal"
)

func hooksCommands() row {
	names := func(disabled bool) func(*call) []string {
		return func(t *call) []string { return inspection.Editor(t.runtime.Config).Names(disabled) }
	}
	return row{Name: "hooks", Help: "manage hooks", Run: hooksPanel, Sub: []row{
		{Name: "panel", Aliases: []string{"list", "show"}, Help: "list them, and why one does not run",
			Run: hooksPanel},
		{Name: "enable", Args: "NAME", Help: "turn one on again", Values: names(true),
			Run: switchHooks(inspection.Switch{Named: true, Enable: true, One: config.Editor.Enable})},
		{Name: "disable", Args: "NAME", Help: "turn one off", Values: names(false),
			Run: switchHooks(inspection.Switch{Named: true, One: config.Editor.Disable})},
		{Name: "enable-all", Aliases: []string{"enableall"}, Help: "turn all on again",
			Run: switchHooks(inspection.Switch{Enable: true, All: config.Editor.EnableAll})},
		{Name: "disable-all", Aliases: []string{"disableall"}, Help: "turn all off",
			Run: switchHooks(inspection.Switch{All: config.Editor.DisableAll})},
		{Name: "why", Args: "NAME", Help: "when one runs, or why it does not", Run: whyHook,
			Values: func(t *call) []string { return inspection.Of(t.runtime.Config).Names() }},
		{Name: "last", Help: "what the hooks of the last event did", Run: lastReport},
		{Name: "trace", Args: "on|off", Help: "a line for every event at which hooks run", Run: traceHooks,
			Values: values("on", "off")},
	}}
}

// switchHooks returns a command that turns hooks on or off in the settings files and
// applies the change at once.
func switchHooks(s inspection.Switch) func(*call) error {
	return func(t *call) error {
		var names []string
		if s.Named {
			if t.args == "" {
				return errors.New("which hook? /hooks panel lists them")
			}
			names = []string{t.args}
		}
		done, err := s.Apply(inspection.Editor(t.runtime.Config), names)
		for _, d := range done {
			t.term.Print(terminal.Clean(t.runtime.Config.ShortenIn(d.Message)))
		}
		c, failed := t.configureAgain()
		if failed == nil {
			t.adopt(c)
		}
		return errors.Join(err, failed)
	}
}

func whyHook(t *call) error {
	name := t.args
	if name == "" {
		return errors.New("which hook? /hooks panel lists them")
	}
	return t.captured(func(sys *app.System) error { return listing.WhyHook(t.runtime.Config, sys, name, false) })
}

func lastReport(t *call) error {
	r := t.tally.last.Load()
	if r == nil {
		t.term.Print("No hook has run at an event yet.")
		return nil
	}
	t.term.Print(terminal.Clean(inspection.Text(t.runtime.Config).Report(*r)))
	return nil
}

func traceHooks(t *call) error {
	which := t.args
	if which != "on" && which != "off" {
		return errors.New("use /hooks trace on, or off")
	}
	t.view.TraceHooks(which == "on")
	t.term.Print("Every event at which hooks run gets a line: " + which + ".")
	return nil
}
