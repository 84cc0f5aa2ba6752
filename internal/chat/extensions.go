package chat

import (
	"context"
	"errors"
	"strings"
	"time"

	"minigem/internal/app"
	"minigem/internal/extensions"
	"minigem/internal/manage"
	"minigem/internal/terminal"
	"minigem/internal/text"
)

// extensionsCommands returns the subcommands that /extensions has only in the chat.
func extensionsCommands() []row {
	return []row{
		{Name: "install", Args: "SOURCE", Help: "install one, after a question",
			Run: extensionsChange(func(ctx context.Context, e *manage.Extensions, source string) error {
				return e.Install(ctx, source, false)
			})},
		{Name: "update", Args: "[NAME]", Help: "bring one up to date, or all",
			Run: extensionsChange(func(ctx context.Context, e *manage.Extensions, name string) error {
				return e.Update(ctx, name, name == "")
			}), Values: extensionNames},
		{Name: "uninstall", Aliases: []string{"delete"}, Args: "NAME", Help: "remove one",
			Run: extensionsChange(func(_ context.Context, e *manage.Extensions, name string) error {
				return e.Uninstall([]string{name}, false)
			}), Values: extensionNames},
		{Name: "enable", Args: "NAME", Help: "use one again", Run: extensionsSwitch(true),
			Values: extensionNames},
		{Name: "disable", Args: "NAME", Help: "stop using one, but keep it", Run: extensionsSwitch(false),
			Values: extensionNames},
		{Name: "reload", Aliases: []string{"restart"}, Help: "read all of them again", Run: extensionsReload},
	}
}

func extensionNames(t *call) []string { return t.runtime.Config.Extensions.Manager(nil).Names() }

// extensionTime limits the time spent on the network. Nothing else can be done in the
// chat meanwhile.
const extensionTime = 3 * time.Minute

// extensionsChange returns a command that changes extensions, prints what it did, and
// applies the result to this session.
func extensionsChange(do func(context.Context, *manage.Extensions, string) error) func(*call) error {
	return func(t *call) error {
		ctx, stop := context.WithTimeout(t.ctx, extensionTime)
		defer stop()
		d := t.term.Dialogue()
		defer d.End()
		e := &manage.Extensions{Config: t.runtime.Config, User: chatUser{t.console, d}}
		err := t.captured(func(sys *app.System) error {
			e.Sys = sys
			return do(ctx, e, t.args)
		})
		if errors.Is(err, extensions.ErrRefused) {
			return errors.New("nothing was changed")
		}
		if err != nil {
			return err
		}
		return takeExtensions(t)
	}
}

func extensionsSwitch(on bool) func(*call) error {
	return extensionsChange(func(_ context.Context, e *manage.Extensions, name string) error { return e.Switch(name, on) })
}

// takeExtensions reloads everything that extensions bring.
func takeExtensions(t *call) error {
	if err := t.reload(); err != nil {
		return err
	}
	t.restartServers()
	return nil
}

func extensionsReload(t *call) error {
	before := t.inForce()
	if err := takeExtensions(t); err != nil {
		return err
	}
	t.term.Print("Read again: " + text.Plural(len(extensionNames(t)), "extension") + ".")
	t.printChanges(before, false)
	return nil
}

// chatUser asks questions in the chat. All questions of one command form one dialogue.
type chatUser struct {
	t *console
	d *terminal.Dialogue
}

func (u chatUser) Say(s string) { u.t.term.Print(terminal.Clean(strings.TrimSuffix(s, "\n"))) }

func (u chatUser) Confirm(about, question string) bool {
	question, _, _ = strings.Cut(question, " [")
	i, _, ok := u.d.Confirm(u.t.ctx, terminal.Clean(about), question,
		[]terminal.Choice{{Label: "No", Keys: []string{"n", "no"}}, {Label: "Yes", Keys: []string{"y", "yes"}}})
	return ok && i == 1
}

func (u chatUser) Value(question string, hidden bool) (string, bool) {
	if hidden {
		return u.d.AskSecret(u.t.ctx, "", terminal.Clean(question))
	}
	return u.d.Ask(u.t.ctx, "", terminal.Clean(question))
}
