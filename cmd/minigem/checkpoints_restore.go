package main

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

	"github.com/spf13/cobra"

	"minigem/internal/boundedfile"
	"minigem/internal/rewind"
	"minigem/internal/trust"
	"minigem/llm"
	"minigem/tools/workspace"
)

func sessionsRestoreCommand(sys *system) *cobra.Command {
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
			s, err := openSaved(sys, &flags{})
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return s.listCheckpoints()
			}
			p, err := s.checkpoint(args[0])
			if err != nil {
				return err
			}
			return s.restore(contextOf(cmd), p, []llm.Message{})
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
func (s *savedSessions) listCheckpoints() error {
	rows := [][]string{}
	for _, path := range checkpointFiles(s.project) {
		p := checkpoint{name: strings.TrimSuffix(filepath.Base(path), ".json")}
		rows = append(rows, []string{trust.Printable(p.name), s.age(p)})
	}
	if len(rows) == 0 {
		fmt.Fprintln(s.sys.Stdout, "No checkpoint was taken; general.checkpointing.enabled in the settings turns them on.")
	}
	align(rows)
	for _, row := range rows {
		fmt.Fprintln(s.sys.Stdout, strings.TrimRight(strings.Join(row, "  "), " "))
	}
	return nil
}

func (s *savedSessions) age(p checkpoint) string {
	if p.at().IsZero() {
		return ""
	}
	return ago(s.sys.Now().Sub(p.at()))
}

// checkpoint reads one.
func (s *savedSessions) checkpoint(name string) (checkpoint, error) {
	p := checkpoint{name: strings.TrimSuffix(name, ".json")}
	if filepath.Base(p.name) != p.name {
		return p, exitf(exitInput, "the name of a checkpoint has no slashes: %q", p.name)
	}
	data, err := boundedfile.Read(filepath.Join(checkpointDir(s.project), p.name+".json"), boundedfile.Recorded)
	if errors.Is(err, fs.ErrNotExist) {
		return p, exitf(exitInput, "there is no checkpoint %q: minigem sessions restore lists them", p.name)
	}
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err != nil {
		return p, fmt.Errorf("reading checkpoint %s: %w", p.name, err)
	}
	return p, nil
}

// restore brings back the files of p. What they are now is kept, with history
// as the conversation.
func (s *savedSessions) restore(ctx context.Context, p checkpoint, history []llm.Message) error {
	if p.Commit == "" && len(p.Files) == 0 {
		return exitf(exitInput, "checkpoint %s has no files, only a conversation: /restore in the chat brings it back", p.name)
	}
	before := checkpoint{History: []any{}, ClientHistory: history, SessionID: p.SessionID, name: checkpointStamp(s.sys.Now()) + "-before-restore"}
	failed := func(err error) error { return fmt.Errorf("going back to checkpoint %s: %w", p.name, err) }
	ws, files, err := s.filesOf(p)
	if err != nil {
		return failed(err)
	}
	before.keep(files)
	if p.Commit != "" {
		if before.Commit, err = snapshotsOf(s.configuration, s.project).Restore(ctx, p.Commit); err != nil {
			return failed(err)
		}
	}
	if err := before.save(s.configuration, s.project); err != nil {
		return err
	}
	if err := rewind.Apply(ws, files); err != nil {
		return failed(err)
	}
	fmt.Fprintf(s.sys.Stdout, "The files of %s are as they were at %s.\n", s.dir, p.name)
	fmt.Fprintf(s.sys.Stdout, "To undo this: minigem sessions restore %s\n", before.name)
	return nil
}

// filesOf plans what makes of p.Files what they were.
func (s *savedSessions) filesOf(p checkpoint) (*workspace.Workspace, []rewind.File, error) {
	ws, err := s.openWorkspace(nil)
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
func (p *checkpoint) keep(files []rewind.File) {
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
