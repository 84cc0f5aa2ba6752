package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"minigem/agent/event"
	"minigem/internal/atomicfile"
	"minigem/internal/snapshot"
	"minigem/llm"
	"minigem/session"
)

const (
	checkpointPatience = 15 * time.Second // for git, before an edit goes on without a checkpoint
	checkpointsKept    = 100
)

// checkpointed are the tools that a checkpoint is taken before.
var checkpointed = []string{"write_file", "replace"}

// A Checkpoint is what can be gone back to, in the form of Gemini CLI
// (core/utils/checkpointUtils.ts).
type Checkpoint struct {
	History       []any         `json:"history"` // of Gemini CLI's screen; empty here
	ClientHistory []llm.Message `json:"clientHistory"`
	ToolCall      struct {
		Name string         `json:"name"`
		Args map[string]any `json:"args"`
	} `json:"toolCall"`
	Commit string `json:"commitHash"` // empty: Files alone

	// SessionID and Files are minigem's own. Files are contents by absolute path,
	// null for one that was not there: of files that the snapshot has not, because
	// git ignores them or nobody asked for snapshots.
	SessionID string            `json:"sessionId,omitempty"`
	Files     map[string][]byte `json:"files,omitempty"`

	Name string
}

// at is when it was taken, as the name says; zero: the name says nothing.
func (p Checkpoint) at() time.Time {
	at, err := time.Parse(CheckpointStampForm, strings.Replace(p.Name[:min(len(p.Name), len(CheckpointStampForm))], "_", ".", 1))
	if err != nil {
		return time.Time{}
	}
	return at
}

const CheckpointStampForm = "2006-01-02T15-04-05.000Z"

// checkpointer takes a checkpoint before each edit. It listens: the event comes
// before the tool runs, and the tool waits for it.
type checkpointer struct {
	runtime *Runtime
	warn    func(string)
	now     func() time.Time

	mu  sync.Mutex
	off bool
}

// checkpointing is nil where general.checkpointing.enabled does not ask for it.
func (r *Runtime) checkpointing(sys *System, w *Frontend) event.Sink {
	if old := CheckpointFiles(r.Project); len(old) > checkpointsKept {
		for _, path := range old[:len(old)-checkpointsKept] {
			_ = os.Remove(path) // the next start tries again
		}
	}
	if !r.Config.Settings.General.Checkpointing.Enabled {
		return nil
	}
	return &checkpointer{runtime: r, warn: w.Warn, now: sys.Now}
}

// Emit implements event.Sink.
func (c *checkpointer) Emit(e event.Event) {
	started, ok := e.(event.ToolStarted)
	if !ok || !slices.Contains(checkpointed, started.Call.Name) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.off {
		return
	}
	if err := c.take(started.Call); err != nil {
		c.off = true
		c.warn("no checkpoints are taken any more: " + err.Error())
	}
}

func (c *checkpointer) take(call llm.ToolCall) error {
	ctx, cancel := context.WithTimeout(context.Background(), checkpointPatience)
	defer cancel()
	path, _ := call.Args["file_path"].(string)
	var p Checkpoint
	p.Name = fmt.Sprintf("%s-%s-%s", checkpointStamp(c.now()), filepath.Base(cmp.Or(path, "unknown")), call.Name)
	id, err := snapshotsOf(c.runtime.Config, c.runtime.Project).Take(ctx, "before "+p.Name)
	if err != nil {
		return err
	}
	p.History, p.ClientHistory, p.Commit = []any{}, c.runtime.Session.Messages(), id
	p.SessionID = c.runtime.Session.ID()
	p.ToolCall.Name, p.ToolCall.Args = call.Name, call.Args
	return p.save(c.runtime.Config, c.runtime.Project)
}

func checkpointStamp(at time.Time) string {
	return strings.Replace(at.UTC().Format(CheckpointStampForm), ".", "_", 1)
}

func (p Checkpoint) save(c *Configuration, project session.Project) error {
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return fmt.Errorf("writing checkpoint: %w", err)
	}
	dir := CheckpointDir(project)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("writing checkpoint: %w", err)
	}
	return atomicfile.WriteFile(filepath.Join(dir, p.Name+".json"), c.Mask(data), 0o600)
}

func CheckpointDir(p session.Project) string { return filepath.Join(p.Temp, "checkpoints") }

// CheckpointFiles are those of the project, oldest first.
func CheckpointFiles(p session.Project) []string {
	entries, _ := os.ReadDir(CheckpointDir(p)) // sorted; none where there is no directory
	var paths []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".json" && e.Type().IsRegular() {
			paths = append(paths, filepath.Join(CheckpointDir(p), e.Name()))
		}
	}
	return paths
}

func snapshotsOf(c *Configuration, p session.Project) snapshot.Store {
	s := System{Env: c.Env}
	return snapshot.Store{Dir: p.History, Root: p.Root, Env: []string{"PATH=" + s.Getenv("PATH")}}
}
