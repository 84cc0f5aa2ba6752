package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"minigem/agent/event"
	"minigem/internal/atomicfile"
	"minigem/internal/snapshot"
	"minigem/internal/trust"
	"minigem/llm"
	"minigem/session"
)

const (
	checkpointPatience = 15 * time.Second // for git, before an edit goes on without a checkpoint
	checkpointsKept    = 100
)

// checkpointed are the tools that a checkpoint is taken before.
var checkpointed = []string{"write_file", "replace"}

// A checkpoint is what can be gone back to, in the form of Gemini CLI
// (spec/agent.md 5.7).
type checkpoint struct {
	History       []any         `json:"history"` // of Gemini CLI's screen; empty here
	ClientHistory []llm.Message `json:"clientHistory"`
	ToolCall      struct {
		Name string         `json:"name"`
		Args map[string]any `json:"args"`
	} `json:"toolCall"`
	Commit string `json:"commitHash"`

	name string
}

// checkpointer takes a checkpoint before each edit. It listens: the event comes
// before the tool runs, and the tool waits for it.
type checkpointer struct {
	*rig
	warn func(string)
	now  func() time.Time

	mu  sync.Mutex
	off bool
}

// checkpointing is nil where general.checkpointing.enabled does not ask for it.
func (r *rig) checkpointing(sys *system, w *wiring) event.Sink {
	if !r.settings.General.Checkpointing.Enabled {
		return nil
	}
	if old := checkpointFiles(r.project); len(old) > checkpointsKept {
		for _, path := range old[:len(old)-checkpointsKept] {
			_ = os.Remove(path) // the next start tries again
		}
	}
	return &checkpointer{rig: r, warn: w.warn, now: sys.Now}
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
	var p checkpoint
	p.name = fmt.Sprintf("%s-%s-%s", checkpointStamp(c.now()), filepath.Base(cmp.Or(path, "unknown")), call.Name)
	id, err := snapshotsOf(c.configuration, c.project).Take(ctx, "before "+p.name)
	if err != nil {
		return err
	}
	p.History, p.ClientHistory, p.Commit = []any{}, c.session.Messages(), id
	p.ToolCall.Name, p.ToolCall.Args = call.Name, call.Args
	return p.save(c.configuration, c.project)
}

func checkpointStamp(at time.Time) string {
	return strings.NewReplacer(":", "-", ".", "_").Replace(at.UTC().Format("2006-01-02T15:04:05.000Z"))
}

func (p checkpoint) save(c *configuration, project session.Project) error {
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return fmt.Errorf("writing checkpoint: %w", err)
	}
	dir := checkpointDir(project)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("writing checkpoint: %w", err)
	}
	return atomicfile.WriteFile(filepath.Join(dir, p.name+".json"), c.mask(data), 0o600)
}

func checkpointDir(p session.Project) string { return filepath.Join(p.Temp, "checkpoints") }

// checkpointFiles are those of the project, oldest first.
func checkpointFiles(p session.Project) []string {
	entries, _ := os.ReadDir(checkpointDir(p)) // sorted; none where there is no directory
	var paths []string
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".json" && e.Type().IsRegular() {
			paths = append(paths, filepath.Join(checkpointDir(p), e.Name()))
		}
	}
	return paths
}

func snapshotsOf(c *configuration, p session.Project) snapshot.Store {
	s := system{Env: c.env}
	return snapshot.Store{Dir: p.History, Root: p.Root, Env: []string{"PATH=" + s.Getenv("PATH")}}
}

func sessionsRestoreCommand(sys *system) *cobra.Command {
	return &cobra.Command{
		Use:   "restore [CHECKPOINT]",
		Short: "Bring files back to how they were before an edit",
		Long: `Brings the files of this folder back to how they were at a checkpoint, or lists
the checkpoints. One is taken before each edit where general.checkpointing.enabled
is true in the settings. Files that git ignores are neither kept nor changed. The
present state is kept as a checkpoint first. The conversation is not touched:
minigem --resume goes on with it.`,
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
			ctx := cmd.Context()
			if ctx == nil {
				ctx = context.Background()
			}
			return s.restore(ctx, args[0])
		},
	}
}

func (s *savedSessions) listCheckpoints() error {
	files := checkpointFiles(s.project)
	for _, path := range files {
		fmt.Fprintln(s.sys.Stdout, trust.Printable(strings.TrimSuffix(filepath.Base(path), ".json")))
	}
	if len(files) == 0 {
		fmt.Fprintln(s.sys.Stdout, "No checkpoint was taken; general.checkpointing.enabled in the settings turns them on.")
	}
	return nil
}

func (s *savedSessions) restore(ctx context.Context, name string) error {
	name = strings.TrimSuffix(name, ".json")
	if filepath.Base(name) != name {
		return exitf(exitInput, "the name of a checkpoint has no slashes: %q", name)
	}
	data, err := os.ReadFile(filepath.Join(checkpointDir(s.project), name+".json"))
	if errors.Is(err, fs.ErrNotExist) {
		return exitf(exitInput, "there is no checkpoint %q: minigem sessions restore lists them", name)
	}
	var p checkpoint
	if err == nil {
		err = json.Unmarshal(data, &p)
	}
	if err != nil {
		return fmt.Errorf("reading checkpoint %s: %w", name, err)
	}
	before := checkpoint{History: []any{}, ClientHistory: []llm.Message{}, name: checkpointStamp(s.sys.Now()) + "-before-restore"}
	if before.Commit, err = snapshotsOf(s.configuration, s.project).Restore(ctx, p.Commit); err != nil {
		return fmt.Errorf("going back to checkpoint %s: %w", name, err)
	}
	fmt.Fprintf(s.sys.Stdout, "The files of %s are as they were at %s.\n", s.dir, name)
	if err := before.save(s.configuration, s.project); err != nil {
		return err
	}
	fmt.Fprintf(s.sys.Stdout, "To undo this: minigem sessions restore %s\n", before.name)
	return nil
}
