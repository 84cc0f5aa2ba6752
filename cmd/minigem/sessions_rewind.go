package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"minigem/llm"
	"minigem/session"
	"minigem/transcript"
)

func sessionsRewindCommand(sys *system) *cobra.Command {
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
				what = backBoth
			}
			if !slices.Contains([]string{backBoth, backFiles, backConversation}, what) {
				return exitf(exitInput, "--only takes files or conversation, not %q", only)
			}
			s, err := openSaved(sys, &flags{})
			if err != nil {
				return err
			}
			r, err := s.rewinder(args[0])
			if err != nil {
				return err
			}
			if len(args) == 1 {
				return s.listPrompts(r, asJSON)
			}
			n, err := strconv.Atoi(args[1])
			if err != nil {
				return exitf(exitInput, "%q is no number of a prompt: minigem sessions rewind %s lists them", args[1], args[0])
			}
			return s.rewind(contextOf(cmd), r, n, what, force)
		},
	}
	cmd.Flags().StringVar(&only, "only", "", "files or conversation; both without it")
	cmd.Flags().BoolVar(&force, "force", false, "also take back what something else changed since")
	cmd.Flags().BoolVar(&asJSON, "json", false, "list the prompts for programs")
	return cmd
}

// rewinder is that of the session that which names.
func (s *savedSessions) rewinder(which string) (*rewinder, error) {
	info, err := session.Find(s.project, which)
	if err != nil {
		return nil, exitf(exitInput, "rewinding session: %w", err)
	}
	f, err := transcript.Read(info.Path)
	if err != nil {
		return nil, fmt.Errorf("rewinding session %s: %w", info.ID, err)
	}
	ws, err := s.openWorkspace(nil)
	if err != nil {
		return nil, err
	}
	return newRewinder(s.configuration, s.project, ws, info.ID, f, s.sys.Now()), nil
}

type listedPrompt struct {
	Number int            `json:"number"`
	Text   string         `json:"text"`
	Time   time.Time      `json:"timestamp"`
	Files  []retreatShown `json:"files"` // what its edits changed
}

func (s *savedSessions) listPrompts(r *rewinder, asJSON bool) error {
	listed := []listedPrompt{}
	rows := [][]string{}
	for i, p := range slices.Backward(r.prompts) {
		number := len(r.prompts) - i
		text, more := r.summary(p)
		rows = append(rows, []string{fmt.Sprintf("%3d.", number), text, more})
		one := listedPrompt{number, p.Text, p.At, []retreatShown{}}
		for _, e := range p.Edits {
			at := slices.IndexFunc(one.Files, func(f retreatShown) bool { return f.Path == e.Path })
			if at < 0 {
				at, one.Files = len(one.Files), append(one.Files, retreatShown{Path: e.Path})
			}
			one.Files[at].Added += e.Added
			one.Files[at].Removed += e.Removed
		}
		listed = append(listed, one)
	}
	if asJSON {
		return writeJSON(s.sys.Stdout, struct {
			Session string         `json:"session"`
			Prompts []listedPrompt `json:"prompts"`
		}{r.id, listed})
	}
	align(rows)
	for _, row := range rows {
		fmt.Fprintf(s.sys.Stdout, "%s %s  (%s)\n", row[0], row[1], row[2])
	}
	return nil
}

func (s *savedSessions) rewind(ctx context.Context, r *rewinder, n int, what string, force bool) error {
	back, err := r.plan(ctx, n)
	if err != nil {
		return exitf(exitInput, "rewinding session %s: %w", r.id, err)
	}
	if what != backConversation {
		fmt.Fprint(s.sys.Stdout, back.describe(s.configuration))
		if k := back.conflicts(); k > 0 && !force {
			return exitf(exitInput, "nothing was done: %s changed in other ways too, which would be lost from the folder (see above). --force goes back all the same, and keeps what is there as a checkpoint; --only conversation leaves the files alone", count(k, "file"))
		}
	}
	if err := s.goBack(ctx, r, back, what); err != nil {
		return err
	}
	text, _ := r.summary(back.prompt)
	fmt.Fprintf(s.sys.Stdout, "Back to before: %s\n", text)
	return nil
}

// goBack holds the session while it does it, so that nobody else writes there.
func (s *savedSessions) goBack(ctx context.Context, r *rewinder, back retreat, what string) error {
	history := []llm.Message{}
	var conversation *session.Session
	if what != backFiles {
		var err error
		conversation, err = session.Resume(session.Options{
			Project: s.project, Secrets: s.secrets, Now: s.sys.Now,
			Warn: func(err error) { fmt.Fprintf(s.sys.Stderr, "[WARNING] %v\n", err) },
		}, r.id)
		if errors.Is(err, transcript.ErrInUse) {
			return exitf(exitInput, "%w: use /rewind there, or --only files here", err)
		}
		if err != nil {
			return err
		}
		defer conversation.End(ctx, "other")
		history = conversation.Messages()
	}
	undo, err := r.apply(ctx, back, what != backConversation, history)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.sys.Stdout, "To undo this: minigem sessions restore %s (in the chat /restore brings the conversation back too)\n", undo)
	if conversation != nil && !conversation.RollbackTo(back.prompt.ID) {
		return fmt.Errorf("the conversation of session %s does not have this prompt any more", r.id)
	}
	return nil
}
