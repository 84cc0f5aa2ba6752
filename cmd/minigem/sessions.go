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
	"minigem/internal/undo"
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

// savedSessions are the sessions of the working directory.
type savedSessions struct {
	config  *app.Configuration
	sys     *app.System
	project session.Project
}

func (s *savedSessions) undoStore() (undo.Store, error) {
	ws, err := s.config.OpenWorkspace(nil)
	if err != nil {
		return undo.Store{}, err
	}
	return s.config.UndoStore(s.project, ws, s.sys.Now), nil
}

// openSaved finds where they are kept. Looking must not fail because nothing
// can be written.
func openSaved(sys *app.System, f *app.Options) (*savedSessions, error) {
	c, err := app.Configure(sys, f)
	if err != nil {
		return nil, err
	}
	p, err := session.OpenProject(c.DotGemini, c.Dir)
	if err != nil {
		fmt.Fprintf(sys.Stderr, "[WARNING] %v\n", err)
	}
	return &savedSessions{c, sys, p}, nil
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
		_, err := fmt.Fprintf(s.sys.Stdout, "No session is saved for %s yet.\n", s.config.Dir)
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nSessions of %s (%d):\n", s.config.Dir, len(infos))
	for _, i := range infos {
		fmt.Fprintf(&b, "  %d. %s (%s) [%s]\n", i.Index, listing.TitleOf(i), output.Ago(s.sys.Now().Sub(i.Updated)), i.ID)
	}
	_, err := io.WriteString(s.sys.Stdout, b.String())
	return err
}

func (s *savedSessions) listJSON() error {
	out := struct {
		Folder   string                  `json:"folder"`
		Sessions []listing.ListedSession `json:"sessions"`
	}{s.config.Dir, []listing.ListedSession{}}
	for _, i := range s.all() {
		out.Sessions = append(out.Sessions, listing.ListedSession{
			Index: i.Index, ID: i.ID, Title: i.Title, Started: i.Started, Updated: i.Updated, Messages: i.Messages, File: i.Path,
		})
	}
	return output.WriteJSON(s.sys.Stdout, out)
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
			return s.delete(args)
		},
	}
}

func (s *savedSessions) delete(which []string) error {
	var found []session.Info
	for _, w := range which {
		info, err := session.Find(s.project, w)
		if err != nil {
			return exit.Errorf(exit.Input, "deleting session: %w", err)
		}
		found = append(found, info)
	}
	for _, info := range found {
		if _, err := session.Delete(s.project, info.ID, ""); err != nil {
			return exit.With(exit.Input, err)
		}
		fmt.Fprintf(s.sys.Stdout, "Deleted session: %s [%s]\n", listing.TitleOf(info), info.ID)
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
		return true, listExtensions(s.config, sys)
	case f.ListSessions:
		s.config.TitleLatest(s.project, f)
		return true, s.list()
	}
	// As with Gemini CLI the exit code is 0 whatever comes of it
	// (cli/utils/sessions.ts); minigem sessions delete is stricter.
	if err := s.delete([]string{f.DeleteSession}); err != nil {
		fmt.Fprintf(sys.Stderr, "minigem: %v\n", err)
	}
	return true, nil
}
