package chat

import (
	"context"
	"errors"
	"strings"
	"time"

	"minigem/internal/app"
	"minigem/internal/extensions"
	"minigem/internal/listing"
	"minigem/internal/manage"
	"minigem/internal/slash"
	"minigem/internal/terminal"
	"minigem/internal/text"
)

func (t *Chat) extensionsCommands() slash.Command {
	return slash.Command{Name: "extensions", Help: "the extensions, and what each brings", Run: t.extensionsList,
		Sub: []slash.Command{
			{Name: "list", Help: "list them", Run: t.extensionsList},
			{Name: "install", Args: "SOURCE", Help: "install one, after a question",
				Run: t.extensionsChange(func(ctx context.Context, e *manage.Extensions, source string) error {
					return e.Install(ctx, source, false)
				})},
			{Name: "update", Args: "[NAME]", Help: "bring one up to date, or all",
				Run: t.extensionsChange(func(ctx context.Context, e *manage.Extensions, name string) error {
					return e.Update(ctx, name, name == "")
				}), Values: t.extensionNames},
			{Name: "uninstall", Aliases: []string{"delete"}, Args: "NAME", Help: "remove one",
				Run: t.extensionsChange(func(_ context.Context, e *manage.Extensions, name string) error {
					return e.Uninstall([]string{name}, false)
				}), Values: t.extensionNames},
			{Name: "enable", Args: "NAME", Help: "use one again", Run: t.extensionsSwitch(true), Values: t.extensionNames},
			{Name: "disable", Args: "NAME", Help: "use one no more, and keep it", Run: t.extensionsSwitch(false),
				Values: t.extensionNames},
			{Name: "reload", Aliases: []string{"restart"}, Help: "read all of them again", Run: t.extensionsReload},
		}}
}

func (t *Chat) extensionNames() []string { return t.runtime.Config.ExtensionManager(nil).Names() }

func (t *Chat) extensionsList(context.Context, string) error {
	return t.captured(func(sys *app.System) error { return listing.WriteExtensions(t.runtime.Config, sys, "text") })
}

// extensionTime bounds what the network may take; nothing else in the chat can be
// done meanwhile.
const extensionTime = 3 * time.Minute

// extensionsChange does something to extensions, says what, and takes the result
// into this session.
func (t *Chat) extensionsChange(do func(context.Context, *manage.Extensions, string) error) func(
	context.Context, string) error {
	return func(_ context.Context, arg string) error {
		ctx, stop := context.WithTimeout(t.Ctx, extensionTime)
		defer stop()
		d := t.term.Dialogue()
		defer d.End()
		e := &manage.Extensions{Config: t.runtime.Config, User: chatUser{t, d}}
		err := t.captured(func(sys *app.System) error {
			e.Sys = sys
			return do(ctx, e, arg)
		})
		if errors.Is(err, extensions.ErrRefused) {
			return errors.New("nothing was changed")
		}
		if err != nil {
			return err
		}
		return t.takeExtensions()
	}
}

func (t *Chat) extensionsSwitch(on bool) func(context.Context, string) error {
	return t.extensionsChange(func(_ context.Context, e *manage.Extensions, name string) error {
		return e.Switch(name, on)
	})
}

// takeExtensions reads everything again that extensions bring.
func (t *Chat) takeExtensions() error {
	if err := t.reload(); err != nil {
		return err
	}
	t.runtime.StartMCP()
	t.awaitMCP()
	return nil
}

func (t *Chat) extensionsReload(context.Context, string) error {
	before := t.inForce()
	if err := t.takeExtensions(); err != nil {
		return err
	}
	t.term.Print("Read again: " + text.Plural(len(t.extensionNames()), "extension") + ".")
	t.printChanges(before, false)
	return nil
}

// chatUser asks in the chat. All that a command asks is one dialogue.
type chatUser struct {
	t *Chat
	d *terminal.Dialogue
}

func (u chatUser) Say(s string) { u.t.term.Print(terminal.Clean(strings.TrimSuffix(s, "\n"))) }

func (u chatUser) Confirm(about, question string) bool {
	question, _, _ = strings.Cut(question, " [")
	i, _, ok := u.d.Confirm(u.t.Ctx, terminal.Clean(about), question,
		[]terminal.Choice{{Label: "No", Keys: []string{"n", "no"}}, {Label: "Yes", Keys: []string{"y", "yes"}}})
	return ok && i == 1
}

func (u chatUser) Value(question string, hidden bool) (string, bool) {
	if hidden {
		return u.d.AskSecret(u.t.Ctx, "", terminal.Clean(question))
	}
	return u.d.Ask(u.t.Ctx, "", terminal.Clean(question))
}
