package undo

import (
	"context"
	"slices"
	"sync"
	"time"

	"minigem/llm"
	"minigem/session"
)

// checkpointTimeout is how long git may take before an edit proceeds without a
// checkpoint.
const checkpointTimeout = 15 * time.Second

// checkpointed lists the tools that get a checkpoint before they run.
var checkpointed = []string{"write_file", "replace"}

// BeforeEdits returns a step that runs before each call of a session, and takes a checkpoint if
// the call is an edit: the edit waits for it. If the context is cancelled meanwhile, no
// checkpoint is taken and the edit is not made. After a failure, which warn tells, no
// more are taken.
func (s Store) BeforeEdits(of *session.Session, warn func(string)) func(context.Context, llm.ToolCall) {
	var mu sync.Mutex
	off := false
	return func(ctx context.Context, call llm.ToolCall) {
		mu.Lock()
		defer mu.Unlock()
		if off || !slices.Contains(checkpointed, call.Name) {
			return
		}
		short, cancel := context.WithTimeout(ctx, checkpointTimeout)
		defer cancel()
		if err := s.BeforeEdit(short, call, of.ID(), of.Messages()); err != nil && ctx.Err() == nil {
			off = true
			warn("checkpoints are no longer taken: " + err.Error())
		}
	}
}
