package main

import (
	"github.com/spf13/cobra"

	"minigem/internal/app"
)

// hooksCommand is the parent of all commands about hooks.
func hooksCommand(sys *app.System) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "hooks",
		Aliases: []string{"hook"},
		Short:   "Explain, try, lint, test and manage hooks",
		Long: `Manages hooks: the project's, yours, the system's and those of extensions.
These subcommands execute hooks: attack, fire, record, replay, run, test,
torture.`,
		Example: "  minigem hooks explain\n  minigem hooks fire BeforeTool --tool write_file\n  minigem hooks lint --fix\n" +
			"  minigem hooks test",
		Args: noSuchSubcommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(hooksSubcommands(sys)...)
	return cmd
}

// hooksSubcommands lists the subcommands, each in a file with its name.
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
		hooksRunCommand(sys),
		hooksAttackCommand(sys),
		hooksTortureCommand(sys),
	}
}
