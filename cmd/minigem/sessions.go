package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/listing"
	"minigem/internal/output"
	"minigem/session"
)

// sessionsCommand looks after the saved conversations of this folder.
func sessionsCommand(sys *app.System) *cobra.Command {
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

// openSaved finds where they are kept. Looking must not fail because nothing
// can be written.
func openSaved(sys *app.System, f *app.Options) (*app.SavedSessions, error) {
	c, err := app.Configure(sys, f)
	if err != nil {
		return nil, err
	}
	p, err := session.OpenProject(c.DotGemini, c.Dir)
	if err != nil {
		fmt.Fprintf(sys.Stderr, "[WARNING] %v\n", err)
	}
	return &app.SavedSessions{Config: c, Sys: sys, Project: p}, nil
}

func sessionsListCommand(sys *app.System) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the sessions of this folder, oldest first",
		Example: "  minigem sessions list\n  minigem sessions list --json | jq -r '.sessions[-1].file'",
		Args:    withUsage(sys, cobra.NoArgs, "takes no arguments"),
		RunE: func(*cobra.Command, []string) error {
			s, err := openSaved(sys, &app.Options{})
			if err != nil {
				return err
			}
			if asJSON {
				return listSessionsJSON(s)
			}
			return listSessions(s)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "for programs")
	return cmd
}

// allSessions lists the sessions; files that cannot be read are told on stderr.
func allSessions(s *app.SavedSessions) []session.Info {
	infos, err := session.List(s.Project)
	if err != nil {
		fmt.Fprintf(s.Sys.Stderr, "[WARNING] %v\n", err)
	}
	return infos
}

// listSessions is what --list-sessions prints too (cli/utils/sessions.ts).
func listSessions(s *app.SavedSessions) error {
	infos := allSessions(s)
	if len(infos) == 0 {
		_, err := fmt.Fprintf(s.Sys.Stdout, "No session is saved for %s yet.\n", s.Config.Dir)
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nSessions of %s (%d):\n", s.Config.Dir, len(infos))
	for _, i := range infos {
		fmt.Fprintf(&b, "  %d. %s (%s) [%s]\n", i.Index, listing.TitleOf(i), output.Ago(s.Sys.Now().Sub(i.Updated)), i.ID)
	}
	_, err := io.WriteString(s.Sys.Stdout, b.String())
	return err
}

func listSessionsJSON(s *app.SavedSessions) error {
	out := struct {
		Folder   string                  `json:"folder"`
		Sessions []listing.ListedSession `json:"sessions"`
	}{s.Config.Dir, []listing.ListedSession{}}
	for _, i := range allSessions(s) {
		out.Sessions = append(out.Sessions, listing.ListedSession{
			Index: i.Index, ID: i.ID, Title: i.Title, Started: i.Started, Updated: i.Updated, Messages: i.Messages, File: i.Path,
		})
	}
	return output.WriteJSON(s.Sys.Stdout, out)
}

func sessionsDeleteCommand(sys *app.System) *cobra.Command {
	return &cobra.Command{
		Use:   "delete SESSION...",
		Short: "Delete sessions, with the outputs of their tools",
		Long: `Deletes sessions, each with the outputs of its tools. A session that is open in
another process is left alone. All are looked up before the first one goes, so
that numbers mean what the list showed.`,
		Example: "  minigem sessions delete 3\n  minigem sessions delete 1 2 4f5a1c9e-0b1c-4d5e-8f90-1a2b3c4d5e6f",
		Args:    withUsage(sys, cobra.MinimumNArgs(1), "needs the numbers or ids of sessions"),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := openSaved(sys, &app.Options{})
			if err != nil {
				return err
			}
			return deleteSessions(s, args)
		},
	}
}

func deleteSessions(s *app.SavedSessions, which []string) error {
	var found []session.Info
	for _, w := range which {
		info, err := session.Find(s.Project, w)
		if err != nil {
			return exit.Errorf(exit.Input, "deleting session: %w", err)
		}
		found = append(found, info)
	}
	for _, info := range found {
		if _, err := session.Delete(s.Project, info.ID, ""); err != nil {
			return exit.With(exit.Input, err)
		}
		fmt.Fprintf(s.Sys.Stdout, "Deleted session: %s [%s]\n", listing.TitleOf(info), info.ID)
	}
	return nil
}

// runInstead acts on the flags that look after what is kept, in place of a run
// of the agent; false: none of them is given.
func runInstead(sys *app.System, f *app.Options) (done bool, err error) {
	if !f.ListSessions && f.DeleteSession == "" && !f.ListExtensions {
		return false, nil
	}
	s, err := openSaved(sys, f)
	switch {
	case err != nil:
		return true, err
	case f.ListExtensions:
		return true, listExtensions(s.Config, sys)
	case f.ListSessions:
		s.TitleLatest(f)
		return true, listSessions(s)
	}
	// As with Gemini CLI the exit code is 0 whatever comes of it
	// (cli/utils/sessions.ts); minigem sessions delete is stricter.
	if err := deleteSessions(s, []string{f.DeleteSession}); err != nil {
		fmt.Fprintf(sys.Stderr, "minigem: %v\n", err)
	}
	return true, nil
}
