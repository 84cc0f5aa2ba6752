package app

import (
	"os"

	"minigem/internal/atomicfile"
	"minigem/internal/worktrees"
)

// keepTidy removes the worktrees that killed runs were making, and records the files
// that this run is about to make in the user's folders.
func (r *Runtime) keepTidy() {
	if r.Config.Trust.Trusted {
		worktrees.Settle(r.Config.ProjectDir, "", r.Config.Env)
	}
	r.closers = append(r.closers, func() error {
		// Sweep again, because a program that was starting when its run was killed holds
		// that run's lock until it has started.
		atomicfile.SweepJournals(os.TempDir())
		return nil
	})
	r.Workspace.Announce = atomicfile.Announce
}
