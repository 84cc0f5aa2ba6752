package app

import (
	"path/filepath"

	"minigem/internal/atomicfile"
)

// keepTidy removes the temporary files that killed runs left, in our own
// folders and in the project's, and records those that this run is about to
// make.
func (r *Runtime) keepTidy() {
	temp := r.Project.Temp
	atomicfile.Sweep(r.Config.DotGemini, filepath.Join(r.Config.DotGemini, "policies"), temp,
		filepath.Join(temp, "checkpoints"))
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
