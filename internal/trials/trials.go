// Package trials tries what hooks do, as hooks payload, fire, explain, attack and
// torture and hooks test --mutate are asked to: it wires their rooms to what is
// configured here, shows progress, and decides how the command ends.
package trials

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"

	"minigem/hooks"
	"minigem/hooks/author/attack"
	"minigem/hooks/command"
	hookconfig "minigem/hooks/config"
	"minigem/hooks/protocol"
	"minigem/internal/app"
	"minigem/internal/confine"
	"minigem/internal/exit"
	"minigem/internal/inspection"
	"minigem/internal/output"
	"minigem/internal/stage"
	"minigem/internal/text"
)

// Attack holds the options of hooks attack.
type Attack struct {
	Event     protocol.Event
	Hook      string
	Goals     []attack.Goal // exactly one
	Min       int           // the minimum percentage
	Write     string        // a case to add what got through to; may be empty
	All       bool
	JSON      bool
	SkipTrust bool
}

// mostListed is how many spellings are listed unless all are requested.
const mostListed = 12

// Run attacks, and reports.
func (a Attack) Run(ctx context.Context, sys *app.System) error {
	s, err := configure(sys, a.Event, a.Hook, a.SkipTrust)
	if err != nil {
		return err
	}
	defer s.close()
	goal := a.Goals[0]
	goal.Dir = s.c.Dir
	r, err := attack.Attack(ctx, s.engine, a.Event, s.hook.ID(), goal, Progress(sys, "spelling"))
	r.Scripts = hookconfig.FilesNamed(s.hook, s.c.Dir, inspection.Of(s.c).Place.Vars())
	switch {
	case ctx.Err() != nil:
		return exit.Ended(ctx)
	case err != nil:
		return exit.With(exit.Input, err)
	}
	if a.Write != "" {
		if err := attack.AddTo(app.Absolute(sys, a.Write), r); err != nil {
			return exit.With(exit.Input, err)
		}
	}
	most := mostListed
	if a.All {
		most = 0
	}
	if a.JSON {
		err = output.WriteJSON(sys.Stdout, r)
	} else {
		_, err = io.WriteString(sys.Stdout, r.Write(most))
	}
	if err == nil && r.Percent() < a.Min {
		return exit.Silent(exit.Failed)
	}
	return err
}

// A subject is one configured hook.
type subject struct {
	c        *app.Configuration
	only     hooks.Config
	hook     hooks.Hook
	children command.Children
	temp     string // a folder that the hook may write to, in addition to the project
	stop     func()
}

// Confined returns sys with a domain in which programs can only write to the working
// directory and to temp, and reach no server, because hooks under trial may do what they
// should refuse. stop ends what they left running. If the kernel cannot confine them,
// Confined returns an error, and nothing runs.
func Confined(sys *app.System) (confined *app.System, temp string, stop func(), err error) {
	temp, remove, err := stage.Temp()
	if err != nil {
		return nil, "", nil, fmt.Errorf("making a temporary folder: %w", err)
	}
	why, _ := sys.LookupEnv(confine.UnconfinedVar)
	d, err := confine.Enclose(why, confine.Rules{Write: []string{sys.Dir, temp}, Attributes: true})
	if err != nil {
		remove()
		return nil, "", nil, exit.Errorf(exit.Failed, "the hook was not run: %w", err)
	}
	own := *sys
	own.Env = append(slices.Clone(sys.Env), "TMPDIR="+temp)
	own.Within = d.Start
	return &own, temp, func() { d.Close(); remove() }, nil
}

func configure(sys *app.System, ev protocol.Event, name string, skipTrust bool) (*subject, error) {
	own, temp, stop, err := Confined(sys)
	if err != nil {
		return nil, err
	}
	c, err := app.Configure(own, &app.Options{SkipTrust: skipTrust})
	if err != nil {
		stop()
		return nil, err
	}
	only, err := find(sys, c, ev, name)
	if err != nil {
		stop()
		return nil, exit.With(exit.Input, err)
	}
	return &subject{c: c, only: only, hook: only.Hooks[0], temp: temp, stop: stop}, nil
}

// find returns the hook of ev with the given name or command, or that runs the script
// at that path. A script that no hook runs is treated as a hook.
func find(sys *app.System, c *app.Configuration, ev protocol.Event, name string) (hooks.Config, error) {
	setup := inspection.Of(c)
	config := setup.Config.Config
	path := app.Absolute(sys, name)
	called := func(h hooks.Hook) bool { return h.Event == ev && (h.Name == name || h.ID() == name) }
	runs := func(h hooks.Hook) bool {
		return h.Event == ev &&
			(h.Command == name || slices.Contains(hookconfig.FilesNamed(h, c.Dir, setup.Place.Vars()), path))
	}
	for _, match := range []func(hooks.Hook) bool{called, runs} {
		if i := slices.IndexFunc(config.Hooks, match); i >= 0 {
			return attack.Only(config, ev, config.Hooks[i].ID())
		}
	}
	info, err := os.Stat(path)
	switch {
	case err != nil || !info.Mode().IsRegular():
		return attack.Only(config, ev, name)
	case runtime.GOOS != "windows" && info.Mode()&0o111 == 0:
		return config, fmt.Errorf("%s is not executable: chmod +x %[1]s", name)
	}
	command := text.Word(path)
	source := hooks.Source{Layer: hooks.LayerProject, File: path}
	return hooks.Config{Hooks: []hooks.Hook{{Event: ev, Name: name, Command: command, Source: source}}}, nil
}

// engine returns an engine that runs only this hook, as a session would.
func (s *subject) engine() *hooks.Engine {
	return s.c.HookEngine(s.only, &s.children)
}

func (s *subject) close() {
	_ = s.children.Close() // it always returns nil
	s.stop()
}

// Progress returns a function that shows how many of something are done, on one line of
// a terminal. Without a terminal it returns nil, so that logs contain only results.
func Progress(sys *app.System, noun string) func(n, of int) {
	if !sys.StdoutTTY {
		return nil
	}
	return func(n, of int) {
		if n == of {
			fmt.Fprint(sys.Stderr, "\r\x1b[K")
			return
		}
		fmt.Fprintf(sys.Stderr, "\r%s %d of %d", noun, n, of)
	}
}
