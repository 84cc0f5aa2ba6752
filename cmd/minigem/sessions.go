package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"minigem/internal/trust"
	"minigem/session"
)

// sessionsCommand looks after the saved conversations of this folder.
func sessionsCommand(sys *system) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "sessions",
		Aliases: []string{"session"},
		Short:   "List, show and delete this folder's sessions, undo their edits",
		Long: `Looks after the conversations that were saved in this folder. A session is named
by its number in the list, by its id, or as latest.`,
		Example:                    "  minigem sessions list\n  minigem sessions show latest\n  minigem sessions delete 3\n  minigem --resume 3",
		Args:                       noSuchSubcommand(sys),
		SuggestionsMinimumDistance: 2,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(sessionsListCommand(sys), sessionsShowCommand(sys), sessionsDeleteCommand(sys), sessionsRewindCommand(sys), sessionsRestoreCommand(sys))
	return cmd
}

// savedSessions are the sessions of the working directory.
type savedSessions struct {
	*configuration
	sys     *system
	project session.Project
}

// openSaved finds where they are kept. Looking must not fail because nothing
// can be written.
func openSaved(sys *system, f *flags) (*savedSessions, error) {
	c, err := configure(sys, f)
	if err != nil {
		return nil, err
	}
	p, err := session.OpenProject(c.dotGemini, c.dir)
	if err != nil {
		fmt.Fprintf(sys.Stderr, "[WARNING] %v\n", err)
	}
	return &savedSessions{c, sys, p}, nil
}

func sessionsListCommand(sys *system) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the sessions of this folder, oldest first",
		Example: "  minigem sessions list\n  minigem sessions list --json | jq -r '.sessions[-1].file'",
		Args:    withUsage(sys, cobra.NoArgs, "takes no arguments"),
		RunE: func(*cobra.Command, []string) error {
			s, err := openSaved(sys, &flags{})
			if err != nil {
				return err
			}
			if asJSON {
				return s.listJSON()
			}
			return s.list()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "for programs")
	return cmd
}

// all lists the sessions; files that cannot be read are told on stderr.
func (s *savedSessions) all() []session.Info {
	infos, err := session.List(s.project)
	if err != nil {
		fmt.Fprintf(s.sys.Stderr, "[WARNING] %v\n", err)
	}
	return infos
}

// list is what --list-sessions prints too (cli/utils/sessions.ts).
func (s *savedSessions) list() error {
	infos := s.all()
	if len(infos) == 0 {
		_, err := fmt.Fprintf(s.sys.Stdout, "No session is saved for %s yet.\n", s.dir)
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nSessions of %s (%d):\n", s.dir, len(infos))
	for _, i := range infos {
		fmt.Fprintf(&b, "  %d. %s (%s) [%s]\n", i.Index, titleOf(i), ago(s.sys.Now().Sub(i.Updated)), i.ID)
	}
	_, err := io.WriteString(s.sys.Stdout, b.String())
	return err
}

type listedSession struct {
	Index    int       `json:"index"`
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	Started  time.Time `json:"started"`
	Updated  time.Time `json:"updated"`
	Messages int       `json:"messages"`
	File     string    `json:"file"`
}

func (s *savedSessions) listJSON() error {
	out := struct {
		Folder   string          `json:"folder"`
		Sessions []listedSession `json:"sessions"`
	}{s.dir, []listedSession{}}
	for _, i := range s.all() {
		out.Sessions = append(out.Sessions, listedSession{i.Index, i.ID, i.Title, i.Started, i.Updated, i.Messages, i.Path})
	}
	return writeJSON(s.sys.Stdout, out)
}

func sessionsDeleteCommand(sys *system) *cobra.Command {
	return &cobra.Command{
		Use:   "delete SESSION...",
		Short: "Delete sessions, with the outputs of their tools",
		Long: `Deletes sessions, each with the outputs of its tools. A session that is open in
another process is left alone. All are looked up before the first one goes, so
that numbers mean what the list showed.`,
		Example: "  minigem sessions delete 3\n  minigem sessions delete 1 2 4f5a1c9e-0b1c-4d5e-8f90-1a2b3c4d5e6f",
		Args:    withUsage(sys, cobra.MinimumNArgs(1), "needs the numbers or ids of sessions"),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := openSaved(sys, &flags{})
			if err != nil {
				return err
			}
			return s.delete(args)
		},
	}
}

func (s *savedSessions) delete(which []string) error {
	var found []session.Info
	for _, w := range which {
		info, err := session.Find(s.project, w)
		if err != nil {
			return exitf(exitInput, "deleting session: %w", err)
		}
		found = append(found, info)
	}
	for _, info := range found {
		if _, err := session.Delete(s.project, info.ID, ""); err != nil {
			return withCode(exitInput, err)
		}
		fmt.Fprintf(s.sys.Stdout, "Deleted session: %s [%s]\n", titleOf(info), info.ID)
	}
	return nil
}

// runInstead acts on the flags that look after what is kept, in place of a run
// of the agent; false: none of them is given.
func runInstead(sys *system, f *flags) (done bool, err error) {
	if !f.listSessions && f.deleteSession == "" && !f.listExtensions {
		return false, nil
	}
	s, err := openSaved(sys, f)
	switch {
	case err != nil:
		return true, err
	case f.listExtensions:
		return true, s.listExtensions(sys)
	case f.listSessions:
		s.title(f)
		return true, s.list()
	}
	// As with Gemini CLI the exit code is 0 whatever comes of it
	// (cli/utils/sessions.ts); minigem sessions delete is stricter.
	if err := s.delete([]string{f.deleteSession}); err != nil {
		fmt.Fprintf(sys.Stderr, "minigem: %v\n", err)
	}
	return true, nil
}

func titleOf(i session.Info) string { return trust.Printable(cmp.Or(i.Title, "(no text)")) }

// ago is a duration in the words of a list.
func ago(d time.Duration) string {
	const day = 24 * time.Hour
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{365 * day, "year"}, {30 * day, "month"}, {day, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		switch n := d / unit.size; {
		case n == 1:
			return "1 " + unit.name + " ago"
		case n > 1:
			return fmt.Sprintf("%d %ss ago", n, unit.name)
		}
	}
	return "just now"
}

// sessionError is the end of a run whose session cannot be had.
func sessionError(err error) error {
	var absent *session.NotFoundError
	switch {
	case errors.Is(err, session.ErrIDTaken):
		return exitf(exitInput, "%w: choose another --session-id, or go on with it by --resume", err)
	case errors.As(err, &absent) && strings.Trim(absent.Which, "0123456789") == "":
		return exitf(exitInput, "opening the session: %w; minigem --list-sessions shows those of this folder", err)
	}
	return exitf(exitInput, "opening the session: %w", err)
}
