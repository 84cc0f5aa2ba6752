package app

import (
	"context"
	"slices"
	"sync"
	"time"

	"minigem/internal/undo"
	"minigem/llm"
	"minigem/session"
	"minigem/tools/workspace"
)

// checkpointTimeout is how long git may take before an edit proceeds without a
// checkpoint.
const checkpointTimeout = 15 * time.Second

// checkpointed lists the tools that get a checkpoint before they run.
var checkpointed = []string{"write_file", "replace"}

// UndoStore returns the store of a project's undo information.
func (c *Configuration) UndoStore(p session.Project, ws *workspace.Workspace, now func() time.Time) undo.Store {
	env := System{Env: c.Env}
	return undo.Store{Project: p, Workspace: ws, Path: env.Getenv("PATH"), Mask: c.Mask, Now: now}
}

// checkpointer takes a checkpoint before each edit. The edit waits for it.
type checkpointer struct {
	store   undo.Store
	session *session.Session
	warn    func(string)

	mu  sync.Mutex
	off bool
}

// checkpointing returns the step that runs before each call, or nil unless
// general.checkpointing.enabled is set.
func (r *Runtime) checkpointing() func(context.Context, llm.ToolCall) {
	store := r.Config.UndoStore(r.Project, r.Workspace, r.now)
	store.Prune()
	if !r.Config.Settings.General.Checkpointing.Enabled {
		return nil
	}
	c := &checkpointer{store: store, session: r.Session, warn: r.warn}
	return c.before
}

// before takes a checkpoint if call is an edit. If ctx is cancelled meanwhile, no
// checkpoint is taken and the edit is not made.
func (c *checkpointer) before(ctx context.Context, call llm.ToolCall) {
	if !slices.Contains(checkpointed, call.Name) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.off {
		return
	}
	if err := c.take(ctx, call); err != nil && ctx.Err() == nil {
		c.off = true
		c.warn("checkpoints are no longer taken: " + err.Error())
	}
}

func (c *checkpointer) take(ctx context.Context, call llm.ToolCall) error {
	ctx, cancel := context.WithTimeout(ctx, checkpointTimeout)
	defer cancel()
	return c.store.BeforeEdit(ctx, call, c.session.ID(), c.session.Messages())
}
