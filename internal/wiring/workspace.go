package wiring

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"minigem/internal/atomicfile"
	"minigem/internal/undo"
	"minigem/internal/worktrees"
	"minigem/session"
	"minigem/tools/policy"
)

func (r *Runtime) wireWorkspace(_ context.Context) error {
	ws, err := r.Config.OpenWorkspace(r.Flags.IncludeDirs)
	if err != nil {
		return err
	}
	r.Workspace = ws
	for _, dir := range ws.Dirs()[1:] {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			r.warn(fmt.Sprintf("%s is to be included and is not a folder: tools find nothing in it until it is one", dir))
		}
	}
	for _, fault := range ws.IgnoreFaults(r.ignore()) {
		r.warn(fault.Error())
	}
	r.Project, err = session.OpenProject(r.Config.DotGemini, r.Config.Dir)
	if err != nil {
		r.Config.Notices = append(r.Config.Notices, err.Error())
	}
	r.Plans.Place, r.Plans.Temp, r.Plans.Workspace = r.Config.Place, r.Project.Temp, r.Workspace
	r.Plans.Custom = func() string { return r.Config.Settings.General.Plan.Directory }
	r.Plans.Session, r.Plans.Refused = r.sessionID, func(m policy.Mode) error { return refusedMode(r.Config, m) }
	if r.Config.Trust.Trusted { // killed runs may have been making worktrees
		worktrees.Settle(r.Config.ProjectDir, "", r.Config.Env)
	}
	r.closers = append(r.closers, func() error {
		// Sweep again, because a program that was starting when its run was killed holds
		// that run's lock until it has started.
		atomicfile.SweepJournals(os.TempDir())
		return nil
	})
	r.Workspace.Announce = atomicfile.Announce
	// Tools must not change sessions and checkpoints.
	if err := ws.AddReadable(filepath.Join(r.Project.Temp, "chats"), undo.Store{Project: r.Project}.Dir()); err != nil {
		return err
	}
	r.ReadContext()
	return ws.AddTemp(r.Project.Temp)
}
