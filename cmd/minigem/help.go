package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/management"
)

const (
	rootHelp = `minigem is a small coding agent, compatible with Gemini CLI, and a test runner
for the hooks of coding agents.`

	rootExample = `  minigem                        chat in the terminal
  minigem -p "fix the tests"     one prompt; stdout is the answer
  git diff | minigem -p "why?"   the same, with what is piped in before it
  minigem demo                   watch hooks at work, offline, in seconds
  minigem hooks test             run the test cases in this folder`

	// rootFlags are the flags that most people need.
	rootFlags = "prompt prompt-interactive model approval-mode yolo skip-trust output-format resume sandbox version"
)

// helpCommand is "minigem help". It shows the --help of a command, or a topic.
func helpCommand(sys *app.System) *cobra.Command {
	help := &cobra.Command{
		Use:   "help [command or topic]",
		Short: "Show help for a command, or about flags, runs and exit codes",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, err := find(cmd, args)
			if err == nil {
				err = about.Help()
			}
			return err
		},
	}
	topic := func(use, short string, print func(cmd *cobra.Command, args []string) error) {
		help.AddCommand(&cobra.Command{Use: use, Short: short, RunE: print})
	}
	text := func(said string) func(*cobra.Command, []string) error {
		return func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), said)
			return err
		}
	}
	topic("flags [command]", "All flags of a command", func(cmd *cobra.Command, args []string) error {
		about, err := find(cmd, args)
		if err == nil {
			_, err = fmt.Fprintf(sys.Stdout, "Flags of %s:\n\n%s\n", about.CommandPath(), management.Flags(about, nil))
		}
		return err
	})
	topic("runs", "What a run without a terminal may do", text(management.RunHelp))
	topic("exit-codes", "What exit codes say", text(management.ExitCodes))
	return help
}

// find returns the command with this name.
func find(cmd *cobra.Command, args []string) (*cobra.Command, error) {
	about, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		return nil, exit.Errorf(exit.Input, "there is no command %q: minigem --help lists them", args)
	}
	about.InitDefaultHelpFlag()
	return about, nil
}
