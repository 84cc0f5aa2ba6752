// Package saved lists, shows and deletes the saved sessions of a folder, and undoes
// their edits, for the commands of cmd/minigem; the chat uses internal/undo itself.
package saved

import (
	"fmt"
	"io"
	"strings"

	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/listing"
	"minigem/internal/output"
	"minigem/session"
	"minigem/transcript"
)

// Sessions manages the saved sessions of the working directory.
type Sessions struct {
	Config  *app.Configuration
	sys     *app.System
	project session.Project
}

// Open finds where the sessions are stored. Reading must not fail just because nothing
// can be written.
func Open(sys *app.System, f *app.Options) (*Sessions, error) {
	c, err := app.Configure(sys, f)
	if err != nil {
		return nil, err
	}
	p, err := session.OpenProject(c.DotGemini, c.Dir)
	if err != nil {
		fmt.Fprintf(sys.Stderr, "[WARNING] %v\n", err)
	}
	return &Sessions{c, sys, p}, nil
}

// all lists the sessions, and names files that cannot be read on stderr.
func (s *Sessions) all() []session.Info {
	infos, err := session.List(s.project)
	if err != nil {
		fmt.Fprintf(s.sys.Stderr, "[WARNING] %v\n", err)
	}
	return infos
}

// List prints the list. It also serves --list-sessions (cli/utils/sessions.ts).
func (s *Sessions) List() error {
	infos := s.all()
	if len(infos) == 0 {
		_, err := fmt.Fprintf(s.sys.Stdout, "No session is saved for %s yet.\n", s.Config.Dir)
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nSessions of %s (%d):\n", s.Config.Dir, len(infos))
	for _, i := range infos {
		fmt.Fprintf(&b, "  %d. %s (%s) [%s]\n", i.Index, listing.TitleOf(i), output.Ago(s.sys.Now().Sub(i.Updated)), i.ID)
	}
	_, err := io.WriteString(s.sys.Stdout, b.String())
	return err
}

// ListJSON lists the sessions for programs.
func (s *Sessions) ListJSON() error {
	out := struct {
		Folder   string                  `json:"folder"`
		Sessions []listing.ListedSession `json:"sessions"`
	}{s.Config.Dir, []listing.ListedSession{}}
	for _, i := range s.all() {
		out.Sessions = append(out.Sessions, listing.ListedSession{
			Index: i.Index, ID: i.ID, Title: i.Title, Started: i.Started, Updated: i.Updated, Messages: i.Messages, File: i.Path,
		})
	}
	return output.WriteJSON(s.sys.Stdout, out)
}

// Show prints one session.
func (s *Sessions) Show(which string, asJSON bool) error {
	info, f, err := s.read("showing", which)
	if err != nil {
		return err
	}
	shown := listing.ShowSession(info, f)
	for _, w := range f.Warnings {
		fmt.Fprintf(s.sys.Stderr, "[WARNING] %s\n", w)
	}
	if asJSON {
		return output.WriteJSON(s.sys.Stdout, shown)
	}
	return listing.WriteSession(s.sys.Stdout, s.Config, s.sys.Now(), shown)
}

// read finds a session and reads its file. doing is the verb for the error.
func (s *Sessions) read(doing, which string) (session.Info, *transcript.File, error) {
	info, err := session.Find(s.project, which)
	if err != nil {
		return info, nil, exit.Errorf(exit.Input, "%s session: %w", doing, err)
	}
	f, err := transcript.Read(info.Path)
	if err != nil {
		return info, nil, fmt.Errorf("%s session %s: %w", doing, info.ID, err)
	}
	return info, f, nil
}

// Delete deletes all the named sessions, or none if one is not found.
func (s *Sessions) Delete(which []string) error {
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
