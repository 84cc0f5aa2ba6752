package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/output"
	"minigem/llm"
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
			what := only
			if what == "" {
				what = app.BackBoth
			}
			if !slices.Contains([]string{app.BackBoth, app.BackFiles, app.BackConversation}, what) {
				return exit.Errorf(exit.Input, "--only takes files or conversation, not %q", only)
			}
			s, err := openSaved(sys, &app.Options{})
			if err != nil {
				return err
			}
			r, err := rewinderOf(s, args[0])
			if err != nil {
				return err
			}
			if len(args) == 1 {
				return listPrompts(s, r, asJSON)
			}
			n, err := strconv.Atoi(args[1])
			if err != nil {
				return exit.Errorf(exit.Input, "%q is no number of a prompt: minigem sessions rewind %s lists them", args[1], args[0])
			}
			return rewindSession(s, contextOf(cmd), r, n, what, force)
		},
	}
	cmd.Flags().StringVar(&only, "only", "", "files or conversation; both without it")
	cmd.Flags().BoolVar(&force, "force", false, "also take back what something else changed since")
	cmd.Flags().BoolVar(&asJSON, "json", false, "list the prompts for programs")
	return cmd
}

// rewinderOf is that of the session that which names.
func rewinderOf(s *app.SavedSessions, which string) (*app.Rewinder, error) {
	info, err := session.Find(s.Project, which)
	if err != nil {
		return nil, exit.Errorf(exit.Input, "rewinding session: %w", err)
	}
	f, err := transcript.Read(info.Path)
	if err != nil {
		return nil, fmt.Errorf("rewinding session %s: %w", info.ID, err)
	}
	ws, err := s.Config.OpenWorkspace(nil)
	if err != nil {
		return nil, err
	}
	return app.NewRewinder(s.Config, s.Project, ws, info.ID, f, s.Sys.Now()), nil
}

type listedPrompt struct {
	Number int                `json:"number"`
	Text   string             `json:"text"`
	Time   time.Time          `json:"timestamp"`
	Files  []app.RetreatShown `json:"files"` // what its edits changed
}

func listPrompts(s *app.SavedSessions, r *app.Rewinder, asJSON bool) error {
	listed := []listedPrompt{}
	rows := [][]string{}
	for i, p := range slices.Backward(r.Prompts) {
		number := len(r.Prompts) - i
		text, more := r.Summary(p)
		rows = append(rows, []string{fmt.Sprintf("%3d.", number), text, more})
		one := listedPrompt{number, p.Text, p.At, []app.RetreatShown{}}
		for _, e := range p.Edits {
			at := slices.IndexFunc(one.Files, func(f app.RetreatShown) bool { return f.Path == e.Path })
			if at < 0 {
				at, one.Files = len(one.Files), append(one.Files, app.RetreatShown{Path: e.Path})
			}
			one.Files[at].Added += e.Added
			one.Files[at].Removed += e.Removed
		}
		listed = append(listed, one)
	}
	if asJSON {
		return output.WriteJSON(s.Sys.Stdout, struct {
			Session string         `json:"session"`
			Prompts []listedPrompt `json:"prompts"`
		}{r.ID, listed})
	}
	output.Align(rows)
	for _, row := range rows {
		fmt.Fprintf(s.Sys.Stdout, "%s %s  (%s)\n", row[0], row[1], row[2])
	}
	return nil
}

func rewindSession(s *app.SavedSessions, ctx context.Context, r *app.Rewinder, n int, what string, force bool) error {
	back, err := r.Plan(ctx, n)
	if err != nil {
		return exit.Errorf(exit.Input, "rewinding session %s: %w", r.ID, err)
	}
	if what != app.BackConversation {
		fmt.Fprint(s.Sys.Stdout, back.Describe(s.Config))
		if k := back.Conflicts(); k > 0 && !force {
			return exit.Errorf(exit.Input, "nothing was done: %s changed in other ways too, which would be lost from the folder (see above). --force goes back all the same, and keeps what is there as a checkpoint; --only conversation leaves the files alone", output.Count(k, "file"))
		}
	}
	if err := goBackIn(s, ctx, r, back, what); err != nil {
		return err
	}
	text, _ := r.Summary(back.Prompt)
	fmt.Fprintf(s.Sys.Stdout, "Back to before: %s\n", text)
	return nil
}

// goBackIn holds the session while it does it, so that nobody else writes there.
func goBackIn(s *app.SavedSessions, ctx context.Context, r *app.Rewinder, back app.Retreat, what string) error {
	history := []llm.Message{}
	var conversation *session.Session
	if what != app.BackFiles {
		var err error
		conversation, err = session.Resume(session.Options{
			Project: s.Project, Secrets: s.Config.Secrets, Now: s.Sys.Now,
			Warn: func(err error) { fmt.Fprintf(s.Sys.Stderr, "[WARNING] %v\n", err) },
		}, r.ID)
		if errors.Is(err, transcript.ErrInUse) {
			return exit.Errorf(exit.Input, "%w: use /rewind there, or --only files here", err)
		}
		if err != nil {
			return err
		}
		defer conversation.End(ctx, "other")
		history = conversation.Messages()
	}
	undo, err := r.Apply(ctx, back, what != app.BackConversation, history)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Sys.Stdout, "To undo this: minigem sessions restore %s (in the chat /restore brings the conversation back too)\n", undo)
	if conversation != nil && !conversation.RollbackTo(back.Prompt.ID) {
		return fmt.Errorf("the conversation of session %s does not have this prompt any more", r.ID)
	}
	return nil
}
