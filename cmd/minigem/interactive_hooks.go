package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"minigem/hooks"
	"minigem/internal/slash"
	"minigem/internal/terminal"
)

func (t *chat) hooksCommands() slash.Command {
	names := func(disabled bool) func() []string {
		return func() []string { return t.hookEditor().Names(disabled) }
	}
	return slash.Command{Name: "hooks", Help: "look after hooks", Run: t.hooksPanel, Sub: []slash.Command{
		{Name: "panel", Aliases: []string{"list", "show"}, Help: "list them, and why one does not run", Run: t.hooksPanel},
		{Name: "enable", Args: "NAME", Help: "turn one on again", Values: names(true),
			Run: t.switchHooks(hookSwitch{named: true, enable: true, one: hooks.Editor.Enable})},
		{Name: "disable", Args: "NAME", Help: "turn one off", Values: names(false),
			Run: t.switchHooks(hookSwitch{named: true, one: hooks.Editor.Disable})},
		{Name: "enable-all", Help: "turn all on again", Run: t.switchHooks(hookSwitch{enable: true, all: hooks.Editor.EnableAll})},
		{Name: "disable-all", Help: "turn all off", Run: t.switchHooks(hookSwitch{all: hooks.Editor.DisableAll})},
		{Name: "why", Args: "NAME", Help: "when one runs, and if it does not, why", Run: t.whyHook,
			Values: func() []string { return t.inspection().Names() }},
		{Name: "last", Help: "all there is to know of the last event", Run: t.lastReport},
		{Name: "trace", Args: "on|off", Help: "a line for every event at which hooks run", Run: t.traceHooks,
			Values: func() []string { return []string{"on", "off"} }},
	}}
}

func (t *chat) hooksPanel(context.Context, string) error {
	return t.captured(func(sys *system) error { return t.writeHookList(sys.Stdout, t.listHooks()) })
}

// switchHooks changes the settings files; what changed holds at once.
func (t *chat) switchHooks(s hookSwitch) func(context.Context, string) error {
	return func(_ context.Context, name string) error {
		var names []string
		if s.named {
			if name == "" {
				return errors.New("which hook? /hooks panel lists them")
			}
			names = []string{name}
		}
		done, err := s.apply(t.hookEditor(), names)
		for _, d := range done {
			t.term.Print(terminal.Clean(t.shortenIn(d.Message)))
		}
		return errors.Join(err, t.reloadHooks())
	}
}

// reloadHooks reads the settings again and gives the engine the hooks in them.
func (t *chat) reloadHooks() error {
	c, err := t.configureAgain()
	if err == nil {
		t.adopt(c)
	}
	return err
}

func (t *chat) whyHook(_ context.Context, name string) error {
	if name == "" {
		return errors.New("which hook? /hooks panel lists them")
	}
	return t.captured(func(sys *system) error { return t.why(sys, name, false) })
}

func (t *chat) lastReport(context.Context, string) error {
	r := t.lastHook.Load()
	if r == nil {
		t.term.Print("No event has met a hook yet.")
		return nil
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("showing the last event: %w", err)
	}
	t.term.Print(terminal.Clean(string(data)))
	return nil
}

func (t *chat) traceHooks(_ context.Context, which string) error {
	if which != "on" && which != "off" {
		return errors.New("say /hooks trace on, or off")
	}
	t.view.TraceHooks(which == "on")
	t.term.Print("Every event at which hooks run gets a line: " + which + ".")
	return nil
}
