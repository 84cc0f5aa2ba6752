package manage

import (
	"context"
	"errors"
	"fmt"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/extensions"
	"minigem/internal/text"
)

// Extensions implements minigem extensions.
type Extensions struct {
	Config  *app.Configuration
	Sys     *app.System
	Options extensions.Options
	Scope   string          // user or workspace; empty means user
	User    extensions.User // whom to ask; nil means the standard streams
}

func (e *Extensions) manager() *extensions.Manager {
	user, wait := e.User, waitOn(e.Sys)
	if user == nil {
		user = newConsole(e.Sys, e.Options.Consent)
	} else {
		wait.Say = user.Say
	}
	m := e.Config.Extensions.Manager(user)
	m.Wait = wait
	return m
}

func (e *Extensions) say(format string, args ...any) {
	fmt.Fprintf(e.Sys.Stdout, format+"\n", args...)
}

// fault gives an error its exit code.
func fault(err error) error {
	var unknown *extensions.UnknownError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &unknown):
		return exit.With(exit.Input, err)
	case errors.Is(err, context.Canceled):
		return err
	}
	return exit.With(exit.Failed, err)
}

// Install installs the extension at source, or links the folder source.
func (e *Extensions) Install(ctx context.Context, source string, link bool) error {
	install := e.manager().Install
	if link {
		install = e.manager().Link
	}
	done, err := install(ctx, source, e.Options)
	if err != nil {
		return fault(err)
	}
	e.say("Extension %q %s installed successfully and enabled.", done.Name, text.VisibleLine(done.Version))
	return nil
}

// Uninstall removes the named extensions, or all. If one fails, it continues with the
// others.
func (e *Extensions) Uninstall(names []string, all bool) error {
	m := e.manager()
	if all {
		names = m.Names()
	}
	var failed error
	for _, name := range names {
		gone, err := m.Uninstall(name)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		e.say("Extension %q removed.", gone.Name)
	}
	return fault(failed)
}

// Update updates the extension called name, or all.
func (e *Extensions) Update(ctx context.Context, name string, all bool) error {
	m := e.manager()
	names := []string{name}
	if all {
		names = m.Names()
	}
	var failed error
	for _, name := range names {
		u, err := m.Update(ctx, name, e.Options)
		switch {
		case errors.Is(err, extensions.ErrRefused):
			failed = errors.Join(
				failed, fmt.Errorf("the extension %s was not updated, because nobody agreed; --consent says yes beforehand", name))
		case err != nil:
			failed = errors.Join(failed, err)
		case u.Why != "":
			e.say("Extension %q: %s.", u.Before.Name, u.Why)
		default:
			e.say("Extension %q successfully updated: %s -> %s.", u.After.Name, text.VisibleLine(u.Before.Version),
				text.VisibleLine(u.After.Version))
		}
	}
	if len(names) == 0 {
		e.say("No extensions are installed.")
	}
	return fault(failed)
}

// Switch enables or disables the extension called name: for all folders below the home
// folder, and for this one if it is elsewhere. With the scope workspace, it does so
// only for this folder.
func (e *Extensions) Switch(name string, on bool) error {
	done := map[bool]string{true: "enabled", false: "disabled"}[on]
	dirs := []string{e.Config.Home, e.Config.Dir}
	if e.Scope == "workspace" {
		dirs = dirs[1:]
	} else if text.Inside(e.Config.Home, e.Config.Dir) && !on {
		dirs = dirs[:1]
	}
	m := e.manager()
	for _, dir := range dirs {
		i, err := m.Switch(name, on, dir)
		if err != nil {
			return fault(err)
		}
		e.say("Extension %q %s in %s and below.", i.Name, done, e.Config.Shorten(dir))
	}
	return nil
}

// Configure asks for the settings of an extension.
func (e *Extensions) Configure(name, setting string) error {
	return fault(e.manager().Configure(name, setting, e.Scope == "workspace"))
}

// New makes a new extension.
func (e *Extensions) New(path, template string) error {
	path = text.Abs(e.Sys.Dir, path)
	if err := extensions.New(path, template); err != nil {
		return fault(err)
	}
	e.say("A new extension is in %s. minigem extensions link %s uses it as it is.", e.Config.Shorten(path),
		e.Config.Shorten(path))
	return nil
}

// Validate looks for problems in everything that the extension in path brings.
func (e *Extensions) Validate(path string) error {
	path = text.Abs(e.Sys.Dir, path)
	brings, err := extensions.Read(path)
	if err != nil {
		return exit.With(exit.Failed, err)
	}
	if why := extensions.NotForGeminiCLI(path); why != "" {
		brings.Problems = append(brings.Problems, why)
	}
	e.say("%s %s brings:", brings.Name, text.VisibleLine(brings.Version))
	fmt.Fprint(e.Sys.Stdout, brings.Listing())
	for _, p := range brings.Problems {
		fmt.Fprintf(e.Sys.Stderr, "[ERROR] %s\n", text.VisibleLine(p))
	}
	if n := len(brings.Problems); n > 0 {
		return exit.Errorf(exit.Failed, "%s in the extension", text.Plural(n, "fault"))
	}
	e.say("No problems were found.")
	return nil
}
