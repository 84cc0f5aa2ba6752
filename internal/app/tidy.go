package app

import (
	"path/filepath"

	"minigem/internal/atomicfile"
	"minigem/internal/stage"
	"minigem/internal/worktrees"
)

// keepTidy removes the temporary files left by killed runs, in our own folders and the
// user's, and records those that this run is about to make. The records of all projects
// are in one folder, so the next start finds them whatever project it is in.
func (r *Runtime) keepTidy() {
	temp, own := r.Project.Temp, filepath.Join(r.Config.Dir, ".gemini")
	atomicfile.Sweep(filepath.Join(r.Config.DotGemini, "policies"), temp, filepath.Join(temp, "checkpoints"),
		own, filepath.Join(own, "worktrees"))
	if r.Config.Trust.Trusted {
		worktrees.Settle(r.Config.ProjectDir, "", r.Config.Env)
	}
	stage.SettleTemp()
	journals := filepath.Dir(temp)
	atomicfile.SweepJournals(journals)
	journal := atomicfile.NewJournal(journals)
	r.closers = append(r.closers, func() error {
		// Sweep again at the end: a program that was starting when its run was killed
		// holds that run's lock until it has begun.
		atomicfile.SweepJournals(journals)
		return journal.Close()
	})
	r.Workspace.Announce(func(path string) {
		_ = journal.Add(path) // at worst a temporary file remains
	})
}
