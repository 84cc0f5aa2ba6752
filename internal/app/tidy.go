package app

import (
	"os"
	"path/filepath"

	"minigem/internal/atomicfile"
	"minigem/internal/stage"
	"minigem/internal/worktrees"
)

// keepTidy removes the temporary files that killed runs left, in our own
// folders and in the project's, and records those that this run is about to
// make.
func (r *Runtime) keepTidy() {
	temp := r.Project.Temp
	own := filepath.Join(r.Config.Dir, ".gemini")
	atomicfile.Sweep(filepath.Join(r.Config.DotGemini, "policies"), temp, filepath.Join(temp, "checkpoints"),
		own, filepath.Join(own, "worktrees"))
	worktrees.Settle(r.Config.Dir, "", r.Config.Env)
	stage.SettleTemp(os.TempDir())
	atomicfile.SweepJournals(temp)
	journal := atomicfile.NewJournal(temp)
	r.closers = append(r.closers, func() error {
		// Again later: a program that was starting when its run was killed
		// holds that run's lock until it has begun.
		atomicfile.SweepJournals(temp)
		return journal.Close()
	})
	r.Workspace.Announce(func(path string) {
		_ = journal.Add(path) // at worst a temporary file remains
	})
}
