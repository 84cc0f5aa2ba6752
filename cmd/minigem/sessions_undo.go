package main

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/saved"
	"minigem/internal/undo"
)

func sessionsRewindCommand(sys *app.System) *cobra.Command {
	var only string
	var force, asJSON bool
	cmd := &cobra.Command{
		Use:   "rewind SESSION [PROMPT]",
		Short: "Go back to before a prompt: files, conversation or both",
		Long: `Goes back to before a prompt of a session: the conversation forgets the prompt
and everything after it, and the files that the session has changed since are
restored. Without PROMPT it lists the prompts, 1 being the newest, with what
changed after each.

Files come from the checkpoint taken before the first edit, if there is one, or
else from the edits in the session's file, which does not know what shell
commands did. A file that something else has changed since stops it, unless you
give --force. What is overwritten is kept as a checkpoint: minigem sessions
restore brings it back.`,
		Example: "  minigem sessions rewind latest\n  minigem sessions rewind latest 1\n" +
			"  minigem sessions rewind 3 2 --only files",
		Args: withUsage(cobra.RangeArgs(1, 2), "needs the number or id of a session, or latest, and the number of a prompt"),
		RunE: func(cmd *cobra.Command, args []string) error {
			what, ok := undo.ParseWhat(only)
			if !ok {
				return exit.Errorf(exit.Input, "--only takes files or conversation, not %q", only)
			}
			s, err := saved.Open(sys, &app.Options{})
			if err != nil {
				return err
			}
			if len(args) == 1 {
				return s.Prompts(args[0], asJSON)
			}
			n, err := strconv.Atoi(args[1])
			if err != nil {
				return exit.Errorf(exit.Input, "%q is not the number of a prompt: minigem sessions rewind %s lists them", args[1],
					args[0])
			}
			return s.Rewind(contextOf(cmd), args[0], n, what, force)
		},
	}
	cmd.Flags().StringVar(&only, "only", string(undo.Both), "files or conversation")
	cmd.Flags().BoolVar(&force, "force", false, "also undo edits of files that have changed since")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the prompts as JSON")
	return cmd
}

func sessionsRestoreCommand(sys *app.System) *cobra.Command {
	return &cobra.Command{
		Use:   "restore [CHECKPOINT]",
		Short: "Restore files to the state before an edit",
		Long: `Restores the files of this folder to a checkpoint, or lists the checkpoints.
One is taken before each edit if general.checkpointing.enabled is true in the
settings, and before each rewind. Files that git ignores are neither kept nor
changed. The current state is saved as a checkpoint first. The conversation
stays as it is: minigem --resume continues it, and /restore in the chat restores
it too.`,
		Example: "  minigem sessions restore\n  minigem sessions restore 2026-01-02T10-30-00_000Z-main.go-replace",
		Args:    withUsage(cobra.MaximumNArgs(1), "takes the name of one checkpoint, or none to list them"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return saved.Restore(contextOf(cmd), sys, &app.Options{}, strings.Join(args, ""))
		},
	}
}

func contextOf(cmd *cobra.Command) context.Context {
	if ctx := cmd.Context(); ctx != nil {
		return ctx
	}
	return context.Background()
}
