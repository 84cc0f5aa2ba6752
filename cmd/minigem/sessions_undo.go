package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/listing"
	"minigem/internal/output"
	"minigem/internal/text"
	"minigem/internal/undo"
	"minigem/session"
	"minigem/transcript"
)

func sessionsRewindCommand(sys *app.System) *cobra.Command {
	var only string
	var force, asJSON bool
	cmd := &cobra.Command{
		Use:   "rewind SESSION [PROMPT]",
		Short: "Go back to before a prompt: files, conversation or both",
		Long: `Goes back to before a prompt of a session: the conversation forgets it and what
came after it, and the files that the session changed since are what they were.
Without PROMPT it lists the prompts, the newest being 1, with what changed after
each.

Files come from the checkpoint taken before the first edit, where there is one,
else from what the session's file tells of its edits; what shell commands did is
not known then. A file that was changed by something else since stops it, unless
--force is given. What is overwritten is kept as a checkpoint in any case:
minigem sessions restore brings it back.`,
		Example: "  minigem sessions rewind latest\n  minigem sessions rewind latest 1\n  minigem sessions rewind 3 2 --only files",
		Args:    withUsage(sys, cobra.RangeArgs(1, 2), "needs the number or id of a session, or latest, and the number of a prompt"),
		RunE: func(cmd *cobra.Command, args []string) error {
			what, ok := undo.ParseWhat(only)
			if !ok {
				return exit.Errorf(exit.Input, "--only takes files or conversation, not %q", only)
			}
			s, err := openSaved(sys, &app.Options{})
			if err != nil {
				return err
			}
			r, err := s.rewinding(args[0])
			if err != nil {
				return err
			}
			if len(args) == 1 {
				return r.list(asJSON)
			}
			n, err := strconv.Atoi(args[1])
			if err != nil {
				return exit.Errorf(exit.Input, "%q is not the number of a prompt: minigem sessions rewind %s lists them", args[1], args[0])
			}
			return r.rewind(contextOf(cmd), n, what, force)
		},
	}
	cmd.Flags().StringVar(&only, "only", string(undo.Both), "files or conversation")
	cmd.Flags().BoolVar(&force, "force", false, "also take back what something else changed since")
	cmd.Flags().BoolVar(&asJSON, "json", false, "list the prompts for programs")
	return cmd
}

// rewinding is a saved session that is gone back in.
type rewinding struct {
	saved   *savedSessions
	id      string
	prompts []undo.Prompt
}

func (s *savedSessions) rewinding(which string) (*rewinding, error) {
	info, err := session.Find(s.project, which)
	if err != nil {
		return nil, exit.Errorf(exit.Input, "rewinding session: %w", err)
	}
	f, err := transcript.Read(info.Path)
	if err != nil {
		return nil, fmt.Errorf("rewinding session %s: %w", info.ID, err)
	}
	return &rewinding{s, info.ID, undo.Prompts(f)}, nil
}

func (r *rewinding) list(asJSON bool) error {
	if asJSON {
		return output.WriteJSON(r.saved.sys.Stdout, struct {
			Session string                 `json:"session"`
			Prompts []listing.ListedPrompt `json:"prompts"`
		}{r.id, listing.Prompts(r.prompts)})
	}
	rows := [][]string{}
	for i, p := range slices.Backward(r.prompts) {
		text, more := listing.Prompt(p, r.saved.sys.Now())
		rows = append(rows, []string{fmt.Sprintf("%3d.", len(r.prompts)-i), text, more})
	}
	text.Align(rows)
	for _, row := range rows {
		fmt.Fprintf(r.saved.sys.Stdout, "%s %s  (%s)\n", row[0], row[1], row[2])
	}
	return nil
}

func (r *rewinding) rewind(ctx context.Context, n int, what undo.What, force bool) error {
	store, err := r.saved.undoStore()
	if err != nil {
		return err
	}
	plan, err := store.Before(ctx, r.id, r.prompts, n)
	if err != nil {
		return exit.Errorf(exit.Input, "rewinding session %s: %w", r.id, err)
	}
	if what != undo.Conversation {
		fmt.Fprint(r.saved.sys.Stdout, listing.Changes(r.saved.config, plan.Changes))
		if k := plan.Conflicts(); k > 0 && !force {
			return exit.Errorf(exit.Input, "nothing was done: %s changed in other ways too, which would be lost from the folder (see above). --force goes back all the same, and keeps what is there as a checkpoint; --only conversation leaves the files alone", text.Plural(k, "file"))
		}
	}
	if err := r.goBack(ctx, store, plan, what); err != nil {
		return err
	}
	text, _ := listing.Prompt(plan.Prompt, r.saved.sys.Now())
	fmt.Fprintf(r.saved.sys.Stdout, "Back to before: %s\n", text)
	return nil
}

// goBack holds the session while it does it, so that nobody else writes there.
func (r *rewinding) goBack(ctx context.Context, store undo.Store, plan undo.Plan, what undo.What) error {
	sys := r.saved.sys
	if what == undo.Files {
		kept, err := store.Apply(ctx, plan, what, nil)
		return r.tellKept(kept, err)
	}
	conversation, err := session.Resume(session.Options{
		Project: r.saved.project, Secrets: r.saved.config.Secrets, Now: sys.Now,
		Warn: func(err error) { fmt.Fprintf(sys.Stderr, "[WARNING] %v\n", err) },
	}, r.id)
	if errors.Is(err, transcript.ErrInUse) {
		return exit.Errorf(exit.Input, "%w: use /rewind there, or --only files here", err)
	}
	if err != nil {
		return err
	}
	defer conversation.End(ctx, "other")
	kept, err := store.Apply(ctx, plan, what, conversation.Messages())
	if err := r.tellKept(kept, err); err != nil {
		return err
	}
	if !conversation.RollbackTo(plan.Prompt.ID) {
		return fmt.Errorf("the conversation of session %s does not have this prompt any more", r.id)
	}
	return nil
}

func (r *rewinding) tellKept(kept string, err error) error {
	if err == nil {
		fmt.Fprintf(r.saved.sys.Stdout, "To undo this: minigem sessions restore %s (in the chat /restore brings the conversation back too)\n", kept)
	}
	return err
}

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
			store, err := s.undoStore()
			switch {
			case err != nil:
				return err
			case len(args) == 0:
				return listCheckpoints(sys, store)
			}
			return s.restore(contextOf(cmd), store, args[0])
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
func listCheckpoints(sys *app.System, store undo.Store) error {
	rows := [][]string{}
	for _, c := range store.Checkpoints() {
		rows = append(rows, []string{text.VisibleLine(c.Name), listing.Age(c, sys.Now())})
	}
	if len(rows) == 0 {
		fmt.Fprintln(sys.Stdout, "No checkpoint was taken; general.checkpointing.enabled in the settings turns them on.")
	}
	text.Align(rows)
	for _, row := range rows {
		fmt.Fprintln(sys.Stdout, strings.TrimRight(strings.Join(row, "  "), " "))
	}
	return nil
}

// restore brings back the files of a checkpoint.
func (s *savedSessions) restore(ctx context.Context, store undo.Store, name string) error {
	c, err := store.Checkpoint(name)
	if errors.Is(err, undo.ErrNoCheckpoint) {
		return exit.Errorf(exit.Input, "%w: minigem sessions restore lists them", err)
	}
	if err != nil {
		return err
	}
	if !c.HasFiles() {
		return exit.Errorf(exit.Input, "checkpoint %s has no files, only a conversation: /restore in the chat brings it back", c.Name)
	}
	plan, err := store.To(c)
	if err != nil {
		return err
	}
	kept, err := store.Apply(ctx, plan, undo.Files, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.sys.Stdout, "The files of %s are as they were %s.\n", s.config.Dir, plan.When)
	fmt.Fprintf(s.sys.Stdout, "To undo this: minigem sessions restore %s\n", kept)
	return nil
}
