package saved

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/listing"
	"minigem/internal/output"
	"minigem/internal/text"
	"minigem/internal/undo"
	"minigem/session"
	"minigem/transcript"
)

func (s *Sessions) store() (undo.Store, error) {
	ws, err := s.Config.OpenWorkspace(nil)
	if err != nil {
		return undo.Store{}, err
	}
	return app.UndoStore(s.Config, s.project, ws, s.sys.Now), nil
}

// Prompts lists the prompts of a session that can be undone.
func (s *Sessions) Prompts(which string, asJSON bool) error {
	info, f, err := s.read("rewinding", which)
	if err != nil {
		return err
	}
	prompts := undo.Prompts(f)
	if asJSON {
		return output.WriteJSON(s.sys.Stdout, struct {
			Session string                 `json:"session"`
			Prompts []listing.ListedPrompt `json:"prompts"`
		}{info.ID, listing.Prompts(prompts)})
	}
	rows := [][]string{}
	for i, p := range slices.Backward(prompts) {
		text, more := listing.Prompt(p, s.sys.Now())
		rows = append(rows, []string{fmt.Sprintf("%3d.", len(prompts)-i), text, more})
	}
	text.Align(rows)
	for _, row := range rows {
		fmt.Fprintf(s.sys.Stdout, "%s %s  (%s)\n", row[0], row[1], row[2])
	}
	return nil
}

// Rewind goes back to before the prompt with number n, where 1 is the newest. With
// force, files that something else has changed since go back, too.
func (s *Sessions) Rewind(ctx context.Context, which string, n int, what undo.What, force bool) error {
	info, f, err := s.read("rewinding", which)
	if err != nil {
		return err
	}
	store, err := s.store()
	if err != nil {
		return err
	}
	plan, err := store.Before(ctx, info.ID, undo.Prompts(f), n)
	if err != nil {
		return exit.Errorf(exit.Input, "rewinding session %s: %w", info.ID, err)
	}
	if what != undo.Conversation {
		fmt.Fprint(s.sys.Stdout, listing.Changes(s.Config, plan.Changes))
		if k := plan.Conflicts(); k > 0 && !force {
			return exit.Errorf(
				exit.Input, "nothing was done: %s changed in other ways too, which would be lost from the folder (see above). "+
					"--force goes back all the same, and saves the current state as a checkpoint; --only conversation leaves the "+
					"files alone", text.Plural(k, "file"))
		}
	}
	if err := s.goBack(ctx, info.ID, store, plan, what); err != nil {
		return err
	}
	text, _ := listing.Prompt(plan.Prompt, s.sys.Now())
	fmt.Fprintf(s.sys.Stdout, "Back to before: %s\n", text)
	return nil
}

// goBack locks the session, so that no other process writes to it meanwhile.
func (s *Sessions) goBack(ctx context.Context, id string, store undo.Store, plan undo.Plan, what undo.What) error {
	if what == undo.Files {
		kept, err := store.Apply(ctx, plan, what, nil)
		return s.printUndo(kept, err)
	}
	conversation, err := session.Resume(session.Options{
		Project: s.project, Mask: s.Config.Mask, Now: s.sys.Now,
		Warn: func(err error) { fmt.Fprintf(s.sys.Stderr, "[WARNING] %v\n", err) },
	}, id)
	if errors.Is(err, transcript.ErrInUse) {
		return exit.Errorf(exit.Input, "%w: use /rewind there, or --only files here", err)
	}
	if err != nil {
		return err
	}
	defer conversation.End(ctx, "other")
	kept, err := store.Apply(ctx, plan, what, conversation.Messages())
	if err := s.printUndo(kept, err); err != nil {
		return err
	}
	if !conversation.RollbackTo(plan.Prompt.ID) {
		return fmt.Errorf("the conversation of session %s does not have this prompt any more", id)
	}
	return nil
}

func (s *Sessions) printUndo(kept string, err error) error {
	if err == nil {
		fmt.Fprintf(s.sys.Stdout, "To undo this: minigem sessions restore %s (in the chat /restore brings the "+
			"conversation back too)\n", kept)
	}
	return err
}

// checkpoints lists names and ages, oldest first.
func (s *Sessions) checkpoints(all []undo.Checkpoint) {
	rows := [][]string{}
	for _, c := range all {
		rows = append(rows, []string{text.VisibleLine(c.Name), listing.Age(c, s.sys.Now())})
	}
	if len(rows) == 0 {
		fmt.Fprintln(s.sys.Stdout, "No checkpoint was taken; general.checkpointing.enabled in the settings turns them on.")
	}
	text.Align(rows)
	for _, row := range rows {
		fmt.Fprintln(s.sys.Stdout, strings.TrimRight(strings.Join(row, "  "), " "))
	}
}

// Restore restores the files of a checkpoint. Without a name it lists the checkpoints.
func Restore(ctx context.Context, sys *app.System, f *app.Options, name string) error {
	s, err := Open(sys, f)
	if err != nil {
		return err
	}
	store, err := s.store()
	if err != nil {
		return err
	}
	if name == "" {
		s.checkpoints(store.Checkpoints())
		return nil
	}
	c, err := store.Checkpoint(name)
	if errors.Is(err, undo.ErrNoCheckpoint) {
		return exit.Errorf(exit.Input, "%w: minigem sessions restore lists them", err)
	}
	if err != nil {
		return err
	}
	if !c.HasFiles() {
		return exit.Errorf(exit.Input, "checkpoint %s has no files, only a conversation: /restore in the chat brings it back",
			c.Name)
	}
	plan, err := store.To(c)
	if err != nil {
		return err
	}
	kept, err := store.Apply(ctx, plan, undo.Files, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.sys.Stdout, "The files of %s are as they were %s.\n", s.Config.Dir, plan.When)
	fmt.Fprintf(s.sys.Stdout, "To undo this: minigem sessions restore %s\n", kept)
	return nil
}
