package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/text"
)

// wrongUsage prints what is wrong with the command line, and where its help is: the help
// itself would scroll the error out of view. The exit code is that of bad input. Only
// minigem without a subcommand exits with 1, like Gemini CLI (cli/config/config.ts).
func wrongUsage(sys *app.System, cmd *cobra.Command, format string, args ...any) error {
	err := flagFault(cmd, fmt.Errorf(format, args...))
	fmt.Fprintf(sys.Stderr, "minigem: %v\nSee: %s --help\n", err, cmd.CommandPath())
	if !cmd.HasParent() {
		return exit.Silent(exit.Failed)
	}
	return exit.Silent(exit.Input)
}

// flagFault rewords the flag library's error.
func flagFault(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		name, short := unknown.GetSpecifiedName(), unknown.GetSpecifiedShortnames()
		if run := cmd.Root().Flags(); short == "" && run.Lookup(name) != nil {
			return fmt.Errorf("--%s belongs to a run, not to `%s`", name, cmd.CommandPath())
		} else if short != "" && run.ShorthandLookup(name) != nil {
			return fmt.Errorf("-%s belongs to a run, not to `%s`", name, cmd.CommandPath())
		}
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		if near := text.Nearest(name, names); near != "" && short == "" {
			return fmt.Errorf("%w; did you mean --%s?", err, near)
		}
	case errors.As(err, &invalid):
		flag := invalid.GetFlag()
		expected := map[string]string{"int": "a whole number", "duration": "a time such as 500ms or 10s",
			"bool": "true or false"}[flag.Value.Type()]
		if expected != "" {
			return fmt.Errorf("--%s is %q: expected %s", flag.Name, invalid.GetValue(), expected)
		}
	}
	return err
}

// strict makes cmd and its subcommands report wrong arguments, and flags that exclude
// each other, as wrong usage. By itself, the library prints only its error and exits
// with 1.
func strict(sys *app.System, cmd *cobra.Command) *cobra.Command {
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := cmd.ValidateFlagGroups()
		if check != nil && err == nil {
			err = check(cmd, args)
		}
		if err != nil {
			return wrongUsage(sys, cmd, "%w", err)
		}
		return nil
	}
	for _, sub := range cmd.Commands() {
		strict(sys, sub)
	}
	return cmd
}

// noSuchSubcommand refuses an unknown subcommand and suggests the nearest one.
func noSuchSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	return fmt.Errorf("%s has no subcommand %q%s", cmd.CommandPath(), args[0],
		text.DidYouMean(text.Nearest(args[0], names)))
}

// withUsage wraps check. If check fails, the error says what the command takes, which
// is text, and what it got.
func withUsage(check cobra.PositionalArgs, text string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case check(cmd, args) == nil:
			return nil
		case len(args) == 0:
			return fmt.Errorf("%s %s", cmd.CommandPath(), text)
		}
		return fmt.Errorf("%s %s; it got %s", cmd.CommandPath(), text, strings.Trim(fmt.Sprintf("%q", args), "[]"))
	}
}

// configured returns the RunE of a command that does run with what is configured here.
func configured(sys *app.System,
	run func(c *app.Configuration, args []string) error) func(*cobra.Command, []string) error {
	return func(_ *cobra.Command, args []string) error {
		c, err := app.Configure(sys, &app.Options{})
		if err != nil {
			return err
		}
		return run(c, args)
	}
}
