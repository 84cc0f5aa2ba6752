package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"minigem/internal/app"
)

// hooksCommand is the parent of everything that is about hooks alone.
func hooksCommand(sys *app.System) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "hooks",
		Aliases: []string{"hook"},
		Short:   "Explain, try, lint, test and manage hooks",
		Long: `Looks after the hooks of this folder, of yours, of the system and of extensions.
Hooks run in test, record, fire and replay alone.`,
		Example: "  minigem hooks explain\n  minigem hooks fire BeforeTool --tool write_file\n  minigem hooks lint --fix\n  minigem hooks test",
		Args:    noSuchSubcommand(sys),
		// without it nothing is ever suggested
		SuggestionsMinimumDistance: 2,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, sub := range hooksSubcommands(sys) {
		cmd.AddCommand(strict(sys, sub))
	}
	return cmd
}

// strict makes flags that exclude each other wrong usage, as wrong arguments
// are: by itself the library fails with no more than its error.
func strict(sys *app.System, cmd *cobra.Command) *cobra.Command {
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if check != nil {
			if err := check(cmd, args); err != nil {
				return err
			}
		}
		if err := cmd.ValidateFlagGroups(); err != nil {
			return wrongUsage(sys, cmd, "%v", err)
		}
		return nil
	}
	return cmd
}

// hooksSubcommands is the list of them, in files of their names.
func hooksSubcommands(sys *app.System) []*cobra.Command {
	return []*cobra.Command{
		hooksListCommand(sys),
		hooksEnableCommand(sys),
		hooksDisableCommand(sys),
		hooksEnableAllCommand(sys),
		hooksDisableAllCommand(sys),
		hooksSchemaCommand(sys),
		hooksMigrateCommand(sys),
		hooksTestCommand(sys),
		hooksRecordCommand(sys),
		hooksExplainCommand(sys),
		hooksWhyCommand(sys),
		hooksPayloadCommand(sys),
		hooksFireCommand(sys),
		hooksLintCommand(sys),
		hooksNewCommand(sys),
		hooksViewCommand(sys),
		hooksReplayCommand(sys),
		hooksCompatCommand(sys),
	}
}

// noSuchSubcommand refuses what is not one, with the nearest that is.
func noSuchSubcommand(sys *app.System) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		text := fmt.Sprintf("%s has no subcommand %q", cmd.CommandPath(), args[0])
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			text += fmt.Sprintf("; did you mean %q?", near[0])
		}
		return usageError(sys, cmd, fmt.Errorf("%s", text))
	}
}

// withUsage shows how the command goes where its arguments are wrong.
func withUsage(sys *app.System, check cobra.PositionalArgs, text string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if check(cmd, args) == nil {
			return nil
		}
		return usageError(sys, cmd, fmt.Errorf("%s %s", cmd.CommandPath(), text))
	}
}
