package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/text"
)

// wrongUsage says what is wrong with the command line, then how it goes. The exit
// code is that of bad input; only minigem without a subcommand ends as Gemini CLI
// does, with 1 (cli/config/config.ts).
func wrongUsage(sys *app.System, cmd *cobra.Command, format string, args ...any) error {
	fmt.Fprintf(sys.Stderr, "minigem: %v\n\n%s\n", meantFlag(cmd, fmt.Errorf(format, args...)), cmd.UsageString())
	if !cmd.HasParent() {
		return exit.Silent(exit.Failed)
	}
	return exit.Silent(exit.Input)
}

// meantFlag adds to the error of an unknown flag which one was probably meant.
func meantFlag(cmd *cobra.Command, err error) error {
	name, ok := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !ok {
		return err
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := text.Nearest(name, names); near != "" {
		return fmt.Errorf("%w; did you mean --%s?", err, near)
	}
	return err
}

// strict makes wrong arguments and flags that exclude each other wrong usage, for
// cmd and the commands below it: by itself the library fails with no more than its
// error, and with 1.
func strict(sys *app.System, cmd *cobra.Command) *cobra.Command {
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		err := cmd.ValidateFlagGroups()
		if check != nil && err == nil {
			err = check(cmd, args)
		}
		if err != nil {
			return wrongUsage(sys, cmd, "%v", err)
		}
		return nil
	}
	for _, sub := range cmd.Commands() {
		strict(sys, sub)
	}
	return cmd
}

// noSuchSubcommand refuses what is not one, with the nearest that is.
func noSuchSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	if near := text.Nearest(args[0], names); near != "" {
		return fmt.Errorf("%s has no subcommand %q; did you mean %q?", cmd.CommandPath(), args[0], near)
	}
	return fmt.Errorf("%s has no subcommand %q", cmd.CommandPath(), args[0])
}

// withUsage says in text what the command takes where check fails.
func withUsage(check cobra.PositionalArgs, text string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if check(cmd, args) != nil {
			return fmt.Errorf("%s %s", cmd.CommandPath(), text)
		}
		return nil
	}
}
