package app

import (
	"slices"
	"time"

	"minigem/internal/exit"
	"minigem/internal/text"
	"minigem/internal/undo"
	"minigem/session"
	"minigem/tools/workspace"
)

// OpenWorkspace opens the working directory and the directories that flags and settings
// add.
func (c *Configuration) OpenWorkspace(flagged []string) (*workspace.Workspace, error) {
	dirs := slices.Concat(flagged, c.Settings.Context.IncludeDirectories)
	for i, d := range dirs {
		dirs[i] = text.Abs(c.Dir, d)
	}
	ws, err := workspace.New(c.Dir, dirs...)
	if err != nil {
		return nil, exit.Errorf(exit.Input, "opening the workspace: %w", err)
	}
	ws.Protects = c.Protects
	return ws, nil
}

// UndoStore returns the store of a project's undo information.
func UndoStore(c *Configuration, p session.Project, ws *workspace.Workspace, now func() time.Time) undo.Store {
	return undo.Store{Project: p, Workspace: ws, Path: c.Lookup("PATH"), Mask: c.Mask, Now: now}
}
