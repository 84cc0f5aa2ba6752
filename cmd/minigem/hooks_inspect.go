package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"minigem/internal/app"
	"minigem/internal/boundedfile"
	"minigem/internal/exit"
)

// wrongUsage tells what is wrong with the command line, then how it goes.
func wrongUsage(sys *app.System, cmd *cobra.Command, format string, args ...any) error {
	fmt.Fprintf(sys.Stderr, "minigem: "+format+"\n\n%s\n", append(args, cmd.UsageString())...)
	return exit.Silent(exit.Input)
}

// checkedArgs refuses wrong arguments and flags with exit code 42.
func checkedArgs(sys *app.System, cmd *cobra.Command, check cobra.PositionalArgs, text string) *cobra.Command {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if check(cmd, args) == nil {
			return nil
		}
		return wrongUsage(sys, cmd, "%s %s", cmd.CommandPath(), text)
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return wrongUsage(sys, cmd, "%v", meantFlag(cmd, err)) })
	return cmd
}

// readInput reads a file that the user named; - is stdin.
func readInput(sys *app.System, path string) ([]byte, error) {
	if path == "-" {
		data, err := boundedfile.ReadAll(sys.Stdin, "stdin", boundedfile.Kept)
		if err != nil {
			return nil, exit.Errorf(exit.Input, "reading stdin: %w", err)
		}
		return data, nil
	}
	data, err := boundedfile.ReadNamed(app.Absolute(sys, path), boundedfile.Kept)
	if err != nil {
		return nil, exit.Errorf(exit.Input, "reading the input: %w", err)
	}
	return data, nil
}
