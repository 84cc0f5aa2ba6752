package wiring

import (
	"context"

	"minigem/session"
)

// cleanSessions deletes sessions that general.sessionRetention no longer keeps, in the
// background while the session starts. Nothing waits for it: what a short run does not
// finish is left to the next one.
func (r *Runtime) cleanSessions() {
	s := r.Config.Settings.General.SessionRetention
	keep := session.Retention{Enabled: &s.Enabled, MaxAge: s.MaxAge, MaxCount: s.MaxCount, MinRetention: s.MinRetention}
	if !s.Enabled {
		return
	}
	if err := keep.Check(); err != nil {
		r.warn(err.Error() + "; no session is deleted")
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.closers = append(r.closers, func() error { cancel(); return nil })
	project, current, now := r.Project, r.Session.ID(), r.now()
	go func() {
		// If deleting fails, the next start tries again.
		if _, err := session.Clean(ctx, project, keep, current, now); err == nil {
			_ = session.CleanOutputs(project, current)
		}
	}()
}
