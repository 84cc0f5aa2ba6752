package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"minigem/internal/app"
	"minigem/internal/listing"
	"minigem/internal/saved"
)

// sessionsCommand manages the saved conversations of this folder.
func sessionsCommand(sys *app.System) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "sessions",
		Aliases: []string{"session"},
		Short:   "List, show and delete this folder's sessions, undo their edits",
		Long: `Manages the saved conversations of this folder. Name a session by its number in
the list, its id, or latest.`,
		Example: "  minigem sessions list\n  minigem sessions show latest\n  minigem sessions delete 3\n  minigem --resume 3",
		Args:    noSuchSubcommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(sessionsListCommand(sys), sessionsShowCommand(sys), sessionsDeleteCommand(sys),
		sessionsRewindCommand(sys), sessionsRestoreCommand(sys))
	return cmd
}

func sessionsListCommand(sys *app.System) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the sessions of this folder, oldest first",
		Example: "  minigem sessions list\n  minigem sessions list --json | jq -r '.sessions[-1].file'",
		Args:    withUsage(cobra.NoArgs, "takes no arguments"),
		RunE: func(*cobra.Command, []string) error {
			s, err := saved.Open(sys, &app.Options{})
			if err != nil {
				return err
			}
			if asJSON {
				return s.ListJSON()
			}
			return s.List()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func sessionsDeleteCommand(sys *app.System) *cobra.Command {
	return &cobra.Command{
		Use:   "delete SESSION...",
		Short: "Delete sessions, with the outputs of their tools",
		Long: `Deletes sessions, each with the outputs of its tools. A session that is open in
another process is left alone. All are looked up before the first is deleted,
so the numbers in the list stay valid.`,
		Example: "  minigem sessions delete 3\n  minigem sessions delete 1 2 4f5a1c9e-0b1c-4d5e-8f90-1a2b3c4d5e6f",
		Args:    withUsage(cobra.MinimumNArgs(1), "needs the numbers or ids of sessions"),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := saved.Open(sys, &app.Options{})
			if err != nil {
				return err
			}
			return s.Delete(args)
		},
	}
}

func sessionsShowCommand(sys *app.System) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show SESSION",
		Short: "Print a session: prompts, answers and tool calls",
		Long: `Prints a session: prompts, answers, and tool calls with their results. Control
characters are shown as question marks, except with --json.`,
		Example: "  minigem sessions show latest\n  minigem sessions show 3 --json |\n" +
			"    jq -r '.messages[] | select(.type == \"user\") | .text'",
		Args: withUsage(cobra.ExactArgs(1), "needs the number or the id of one session, or latest"),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := saved.Open(sys, &app.Options{})
			if err != nil {
				return err
			}
			return s.Show(args[0], asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// runInstead handles the flags that list or delete saved things instead of running the
// agent. done is false if none of them is given.
func runInstead(sys *app.System, f *app.Options) (done bool, err error) {
	if !f.ListSessions && f.DeleteSession == "" && !f.ListExtensions {
		return false, nil
	}
	s, err := saved.Open(sys, f)
	switch {
	case err != nil:
		return true, err
	case f.ListExtensions:
		return true, listing.WriteExtensions(s.Config, sys, "text")
	case f.ListSessions:
		s.TitleLatest(f)
		return true, s.List()
	}
	// As in Gemini CLI, the exit code is always 0 (cli/utils/sessions.ts). "minigem
	// sessions delete" is stricter.
	if err := s.Delete([]string{f.DeleteSession}); err != nil {
		fmt.Fprintf(sys.Stderr, "minigem: %v\n", err)
	}
	return true, nil
}
