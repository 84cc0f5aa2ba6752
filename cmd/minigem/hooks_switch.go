package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"minigem/hooks"
)

// A hookSwitch is one of the four commands that turn hooks on and off.
type hookSwitch struct {
	verb, short, long string
	named             bool // it takes names
	enable            bool
	one               func(hooks.Editor, string) (string, error)
	all               func(hooks.Editor) (string, error)
}

func hooksEnableCommand(sys *system) *cobra.Command {
	return hookSwitch{
		verb: "enable", short: "Turn hooks on again", named: true, enable: true, one: hooks.Editor.Enable,
		long: `Takes hooks out of the lists of disabled ones: the project's and yours. What
the system's settings disable stays disabled.`,
	}.command(sys)
}

func hooksDisableCommand(sys *system) *cobra.Command {
	return hookSwitch{
		verb: "disable", short: "Turn hooks off", named: true, one: hooks.Editor.Disable,
		long: `Adds hooks to the list of disabled ones, hooksConfig.disabled: in the project's
settings where the folder is trusted, else in yours. A hook is called by its
name, or by its command where it has none: minigem hooks list shows them. The
rest of the file stays as it is, comments too.`,
	}.command(sys)
}

func hooksEnableAllCommand(sys *system) *cobra.Command {
	return hookSwitch{
		verb: "enable-all", short: "Turn all hooks on again", enable: true, all: hooks.Editor.EnableAll,
		long: "Empties the lists of disabled hooks: the project's and yours.",
	}.command(sys)
}

func hooksDisableAllCommand(sys *system) *cobra.Command {
	return hookSwitch{
		verb: "disable-all", short: "Turn all hooks off", all: hooks.Editor.DisableAll,
		long: `Adds every configured hook to the list of disabled ones. Hooks that are
configured later are not in it: "hooksConfig": {"enabled": false} in the
settings keeps all of them off.`,
	}.command(sys)
}

func (s hookSwitch) command(sys *system) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: s.verb, Short: s.short, Long: s.long,
		Example: "  minigem hooks " + s.verb,
		Args:    withUsage(sys, cobra.NoArgs, "takes no arguments"),
		RunE: func(_ *cobra.Command, names []string) error {
			c, err := configure(sys, &flags{})
			if err != nil {
				return err
			}
			done, err := s.apply(c.hookEditor(), names)
			return errors.Join(c.writeSwitched(sys, done, asJSON), err)
		},
	}
	if s.named {
		cmd.Use += " NAME..."
		cmd.Example = fmt.Sprintf("  minigem hooks %[1]s guard\n  minigem hooks %[1]s guard ./check.sh", s.verb)
		cmd.Args = withUsage(sys, cobra.MinimumNArgs(1), "needs the names of hooks; minigem hooks list shows them")
		cmd.ValidArgsFunction = s.complete(sys)
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "for programs")
	return cmd
}

// complete offers the names that the command would change.
func (s hookSwitch) complete(sys *system) cobra.CompletionFunc {
	return func(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
		c, err := configure(sys, &flags{})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		names := c.hookEditor().Names(s.enable)
		names = slices.DeleteFunc(names, func(n string) bool { return slices.Contains(given, n) })
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// switched is what was done about one hook; about all of them without a name.
type switched struct {
	Hook    string `json:"hook,omitempty"`
	Message string `json:"message"`
}

// apply refuses names that nothing has before it changes anything.
func (s hookSwitch) apply(e hooks.Editor, names []string) ([]switched, error) {
	if !s.named {
		text, err := s.all(e)
		if err != nil {
			return nil, err
		}
		return []switched{{"", text}}, nil
	}
	for _, name := range names {
		if err := e.Check(name); err != nil {
			return nil, exitf(exitInput, "%w (minigem hooks list shows what there is)", err)
		}
	}
	var done []switched
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		text, err := s.one(e, name)
		if err != nil {
			return done, err
		}
		done = append(done, switched{name, text})
	}
	return done, nil
}

func (c *configuration) writeSwitched(sys *system, done []switched, asJSON bool) error {
	if len(done) == 0 {
		return nil
	}
	if asJSON {
		return writeJSON(sys.Stdout, struct {
			Done []switched `json:"done"`
		}{done})
	}
	for _, d := range done {
		if _, err := fmt.Fprintln(sys.Stdout, c.shortenIn(d.Message)); err != nil {
			return err
		}
	}
	return nil
}

// hookEditor may write the project's settings where they are in force.
func (c *configuration) hookEditor() hooks.Editor {
	e := hooks.Editor{Sections: c.sections, User: filepath.Join(c.dotGemini, "settings.json")}
	for _, f := range c.loaded.Files {
		if hookLayers[f.Layer] == hooks.LayerProject && f.Skipped == "" {
			e.Project = f.Path
		}
	}
	return e
}
