package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/listing"
	"minigem/internal/output"
	"minigem/session"
	"minigem/transcript"
)

func sessionsShowCommand(sys *app.System) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "show SESSION",
		Short: "Print what was said and done in a session",
		Long: `Prints a session: who said what, and the calls of tools with how they ended.
Control characters are shown as question marks; --json leaves them in.`,
		Example: "  minigem sessions show latest\n  minigem sessions show 3 --json | jq -r '.messages[] | select(.type == \"user\") | .text'",
		Args:    withUsage(sys, cobra.ExactArgs(1), "needs the number or the id of one session, or latest"),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := openSaved(sys, &app.Options{})
			if err != nil {
				return err
			}
			info, err := session.Find(s.project, args[0])
			if err != nil {
				return exit.Errorf(exit.Input, "showing session: %w", err)
			}
			f, err := transcript.Read(info.Path)
			if err != nil {
				return fmt.Errorf("showing session %s: %w", info.ID, err)
			}
			shown := listing.ShowSession(info, f)
			for _, w := range f.Warnings {
				fmt.Fprintf(sys.Stderr, "[WARNING] %s\n", w)
			}
			if asJSON {
				return output.WriteJSON(sys.Stdout, shown)
			}
			return listing.WriteSession(sys.Stdout, s.config, sys.Now(), shown)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "for programs")
	return cmd
}
