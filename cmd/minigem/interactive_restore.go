package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func (t *chat) checkpointNames() []string {
	var out []string
	for _, path := range checkpointFiles(t.project) {
		out = append(out, strings.TrimSuffix(filepath.Base(path), ".json"))
	}
	return out
}

// restoreCheckpoint brings the files back to a checkpoint, and the conversation
// to what it was before the edit was asked for. Without a name it lists what
// there is.
func (t *chat) restoreCheckpoint(_ context.Context, name string) error {
	saved := func(sys *system) *savedSessions { return &savedSessions{t.configuration, sys, t.project} }
	if name == "" {
		return t.captured(func(sys *system) error { return saved(sys).listCheckpoints() })
	}
	var err error
	t.work("going back to "+name, func(ctx context.Context) {
		err = t.captured(func(sys *system) error { return saved(sys).restore(ctx, name) })
	})
	if err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(checkpointDir(t.project), strings.TrimSuffix(name, ".json")+".json"))
	var p checkpoint
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err != nil {
		return fmt.Errorf("reading the conversation of checkpoint %s: %w", name, err)
	}
	history := p.ClientHistory
	if n := len(history); n > 0 && len(history[n-1].Calls()) > 0 {
		history = history[:n-1] // its edit was not made now
	}
	if len(history) > 0 {
		t.goOnWith(history)
	}
	return nil
}
