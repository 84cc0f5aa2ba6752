package wiring

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"minigem/agent/event"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/session"
)

func (r *Runtime) wireSession(_ context.Context) error {
	o := session.Options{
		Project:     r.Project,
		Directories: r.Workspace.Dirs()[1:],
		Preamble:    r.preamble,
		Mask:        r.Config.Mask,
		Hooks:       r.Engine,
		Warn:        func(err error) { r.warn(err.Error()) },
		Read:        r.Skills.Read,
		Changed:     r.identify,
		Now:         r.now,
	}
	s, err := openSession(o, r.Flags, r.warn)
	if err != nil {
		return err
	}
	r.Session = s
	if s.Source() == session.SourceResume {
		r.Engine.Resumed = r.now().UTC().Format(time.RFC3339Nano) + " "
	}
	r.cleanSessions()
	r.sink = event.Tee(s, r.front.Sink, r.telemetry)
	r.identify(s.ID(), s.Path())
	return nil
}

// identify tells the engine which session hooks are in.
func (r *Runtime) identify(id, path string) {
	r.forClaude.begin(r.Project, id, path, r.Config.Dir)
	plansDir, _ := r.Plans.Dir(id)
	o := r.Config.Origin()
	o.SessionID, o.TranscriptPath, o.PlansDir = id, path, plansDir
	r.Engine.SetOrigin(o)
}

// openSession starts, resumes or imports a session, depending on the flags.
func openSession(o session.Options, f *app.Options, warn func(string)) (*session.Session, error) {
	var s *session.Session
	var err error
	switch {
	case f.Resume != "":
		s, err = session.Resume(o, f.Resume)
		if f.Resume == session.Latest && errors.Is(err, session.ErrNoSessions) {
			warn("there is no session to resume in this folder: a new one begins")
			s, err = session.Start(o)
		}
	case f.SessionFile != "":
		if s, err = session.Import(o, f.SessionFile); err != nil {
			err = fmt.Errorf("%w; --session-file takes the .jsonl file of a session", err)
		}
	default:
		o.ID = f.SessionID
		s, err = session.Start(o)
	}
	if err != nil {
		return nil, sessionError(err)
	}
	return s, nil
}

// sessionError converts the error from opening a session to the error of the run.
func sessionError(err error) error {
	var absent *session.NotFoundError
	switch {
	case errors.Is(err, session.ErrIDTaken):
		return exit.Errorf(exit.Input, "%w: choose another --session-id, or go on with it by --resume", err)
	case errors.As(err, &absent) && strings.Trim(absent.Which, "0123456789") == "":
		return exit.Errorf(exit.Input, "opening the session: %w; minigem --list-sessions shows those of this folder", err)
	}
	return exit.Errorf(exit.Input, "opening the session: %w", err)
}

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
