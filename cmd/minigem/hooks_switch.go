package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"minigem/hooks/config"
	"minigem/internal/app"
	"minigem/internal/inspection"
	"minigem/internal/output"
)

func hooksEnableCommand(sys *app.System) *cobra.Command {
	return switchCommand(inspection.Switch{
		Verb: "enable", Short: "Turn hooks on again", Named: true, Enable: true, One: config.Editor.Enable,
		Long: `Removes hooks from the lists of disabled hooks: the project's and yours. What
the system's settings disable stays disabled.`,
	}, sys)
}

func hooksDisableCommand(sys *app.System) *cobra.Command {
	return switchCommand(inspection.Switch{
		Verb: "disable", Short: "Turn hooks off", Named: true, One: config.Editor.Disable,
		Long: `Adds hooks to hooksConfig.disabled: in the project's settings if the folder is
trusted, otherwise in yours. Name a hook by its name, or by its command if it
has none; minigem hooks list shows them. The rest of the file stays as it is,
comments included.`,
	}, sys)
}

func hooksEnableAllCommand(sys *app.System) *cobra.Command {
	return switchCommand(inspection.Switch{
		Verb: "enable-all", Short: "Turn all hooks on again", Enable: true, All: config.Editor.EnableAll,
		Long: "Empties the lists of disabled hooks: the project's and yours.",
	}, sys)
}

func hooksDisableAllCommand(sys *app.System) *cobra.Command {
	return switchCommand(inspection.Switch{
		Verb: "disable-all", Short: "Turn all hooks off", All: config.Editor.DisableAll,
		Long: `Adds every configured hook to the list of disabled hooks. Hooks that are
configured later are not in it: "hooksConfig": {"enabled": false} in the
settings keeps all of them off.`,
	}, sys)
}

func switchCommand(s inspection.Switch, sys *app.System) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: s.Verb, Short: s.Short, Long: s.Long,
		Example: "  minigem hooks " + s.Verb,
		Args:    withUsage(cobra.NoArgs, "takes no arguments"),
		RunE: configured(sys, func(c *app.Configuration, names []string) error {
			done, err := s.Apply(inspection.Editor(c), names)
			return errors.Join(writeSwitched(c, sys, done, asJSON), err)
		}),
	}
	if s.Named {
		cmd.Use += " NAME..."
		cmd.Example = fmt.Sprintf("  minigem hooks %[1]s guard\n  minigem hooks %[1]s guard ./check.sh", s.Verb)
		cmd.Args = withUsage(cobra.MinimumNArgs(1), "needs the names of hooks; minigem hooks list shows them")
		cmd.ValidArgsFunction = completeSwitch(s, sys)
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// completeSwitch completes the names of hooks that the command would change.
func completeSwitch(s inspection.Switch, sys *app.System) cobra.CompletionFunc {
	return func(_ *cobra.Command, given []string, _ string) ([]string, cobra.ShellCompDirective) {
		c, err := app.Configure(sys, &app.Options{})
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		names := inspection.Editor(c).Names(s.Enable)
		names = slices.DeleteFunc(names, func(n string) bool { return slices.Contains(given, n) })
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

func writeSwitched(c *app.Configuration, sys *app.System, done []inspection.Switched, asJSON bool) error {
	if len(done) == 0 {
		return nil
	}
	if asJSON {
		return output.WriteJSON(sys.Stdout, struct {
			Done []inspection.Switched `json:"done"`
		}{done})
	}
	for _, d := range done {
		if _, err := fmt.Fprintln(sys.Stdout, c.ShortenIn(d.Message)); err != nil {
			return err
		}
	}
	return nil
}
