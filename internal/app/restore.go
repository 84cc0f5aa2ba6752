package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"minigem/internal/boundedfile"
	"minigem/internal/exit"
	"minigem/internal/output"
	"minigem/internal/rewind"
	"minigem/llm"
	"minigem/session"
	"minigem/tools/workspace"
)

func (s *SavedSessions) Age(p Checkpoint) string {
	if p.at().IsZero() {
		return ""
	}
	return output.Ago(s.Sys.Now().Sub(p.at()))
}

// Checkpoint reads one.
func (s *SavedSessions) Checkpoint(name string) (Checkpoint, error) {
	p := Checkpoint{Name: strings.TrimSuffix(name, ".json")}
	if filepath.Base(p.Name) != p.Name {
		return p, exit.Errorf(exit.Input, "the name of a checkpoint has no slashes: %q", p.Name)
	}
	data, err := boundedfile.Read(filepath.Join(CheckpointDir(s.Project), p.Name+".json"), boundedfile.Recorded)
	if errors.Is(err, fs.ErrNotExist) {
		return p, exit.Errorf(exit.Input, "there is no checkpoint %q: minigem sessions restore lists them", p.Name)
	}
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err != nil {
		return p, fmt.Errorf("reading checkpoint %s: %w", p.Name, err)
	}
	return p, nil
}

// Restore brings back the files of p. What they are now is kept, with history
// as the conversation.
func (s *SavedSessions) Restore(ctx context.Context, p Checkpoint, history []llm.Message) error {
	if p.Commit == "" && len(p.Files) == 0 {
		return exit.Errorf(exit.Input, "checkpoint %s has no files, only a conversation: /restore in the chat brings it back", p.Name)
	}
	before := Checkpoint{History: []any{}, ClientHistory: history, SessionID: p.SessionID, Name: checkpointStamp(s.Sys.Now()) + "-before-restore"}
	failed := func(err error) error { return fmt.Errorf("going back to checkpoint %s: %w", p.Name, err) }
	ws, files, err := s.filesOf(p)
	if err != nil {
		return failed(err)
	}
	before.keep(files)
	if p.Commit != "" {
		if before.Commit, err = snapshotsOf(s.Config, s.Project).Restore(ctx, p.Commit); err != nil {
			return failed(err)
		}
	}
	if err := before.save(s.Config, s.Project); err != nil {
		return err
	}
	if err := rewind.Apply(ws, files); err != nil {
		return failed(err)
	}
	fmt.Fprintf(s.Sys.Stdout, "The files of %s are as they were at %s.\n", s.Config.Dir, p.Name)
	fmt.Fprintf(s.Sys.Stdout, "To undo this: minigem sessions restore %s\n", before.Name)
	return nil
}

// filesOf plans what makes of p.Files what they were.
func (s *SavedSessions) filesOf(p Checkpoint) (*workspace.Workspace, []rewind.File, error) {
	ws, err := s.Config.OpenWorkspace(nil)
	if err != nil {
		return nil, nil, err
	}
	var files []rewind.File
	for _, path := range slices.Sorted(maps.Keys(p.Files)) {
		f, err := rewind.Of(ws, path, p.Files[path])
		if err != nil {
			return nil, nil, err
		}
		files = append(files, f)
	}
	return ws, files, nil
}

// keep notes what files hold now.
func (p *Checkpoint) keep(files []rewind.File) {
	for _, f := range files {
		if f.Refused != "" {
			continue
		}
		if p.Files == nil {
			p.Files = map[string][]byte{}
		}
		p.Files[f.Path] = f.Was()
	}
}

// SavedSessions are the sessions of the working directory.
type SavedSessions struct {
	Config  *Configuration
	Sys     *System
	Project session.Project
}
