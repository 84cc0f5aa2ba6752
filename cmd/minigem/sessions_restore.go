package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"minigem/internal/app"
	"minigem/internal/output"
	"minigem/internal/trust"
	"minigem/llm"
)

func sessionsRestoreCommand(sys *app.System) *cobra.Command {
	return &cobra.Command{
		Use:   "restore [CHECKPOINT]",
		Short: "Bring files back to how they were before an edit",
		Long: `Brings the files of this folder back to how they were at a checkpoint, or lists
the checkpoints. One is taken before each edit where general.checkpointing.enabled
is true in the settings, and before each rewinding. Files that git ignores are
neither kept nor changed. The present state is kept as a checkpoint first. The
conversation is not touched: minigem --resume goes on with it, and /restore in
the chat brings it back too.`,
		Example: "  minigem sessions restore\n  minigem sessions restore 2026-01-02T10-30-00_000Z-main.go-replace",
		Args:    withUsage(sys, cobra.MaximumNArgs(1), "takes the name of one checkpoint, or none to list them"),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := openSaved(sys, &app.Options{})
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return listCheckpoints(s)
			}
			p, err := s.Checkpoint(args[0])
			if err != nil {
				return err
			}
			return s.Restore(contextOf(cmd), p, []llm.Message{})
		},
	}
}

func contextOf(cmd *cobra.Command) context.Context {
	if ctx := cmd.Context(); ctx != nil {
		return ctx
	}
	return context.Background()
}

// listCheckpoints prints names and ages, oldest first.
func listCheckpoints(s *app.SavedSessions) error {
	rows := [][]string{}
	for _, path := range app.CheckpointFiles(s.Project) {
		p := app.Checkpoint{Name: strings.TrimSuffix(filepath.Base(path), ".json")}
		rows = append(rows, []string{trust.Printable(p.Name), s.Age(p)})
	}
	if len(rows) == 0 {
		fmt.Fprintln(s.Sys.Stdout, "No checkpoint was taken; general.checkpointing.enabled in the settings turns them on.")
	}
	output.Align(rows)
	for _, row := range rows {
		fmt.Fprintln(s.Sys.Stdout, strings.TrimRight(strings.Join(row, "  "), " "))
	}
	return nil
}
