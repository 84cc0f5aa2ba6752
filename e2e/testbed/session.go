package testbed

import (
	"context"
	"errors"
	"fmt"

	"minigem/hooks"
)

// open starts a session, if there is none.
func (r *runner) open(resume bool) error {
	if r.session != nil {
		return nil
	}
	s := r.setup
	s.Resume, s.Model, s.Sink, s.Report, s.Notice = resume, r.rec.model, r.rec, r.rec.report, r.rec.notice
	s.Stdout, s.Stderr, s.Rounds, s.Request = &r.rec.out, &r.rec.err, r.c.Rounds, r.rec.model.note
	s.Env, s.Prompt = r.place.environment(r.o.Lookup, r.env), r.c.firstPrompt()
	if r.muted != "" {
		s.Muted = func(h hooks.Hook) bool { return keyOf(&r.rec.r, h) == r.muted }
	}
	if s.Mode == "" {
		s.Mode = "yolo"
		if r.ask || r.columns > 0 {
			s.Mode = "default"
		}
	}
	if r.ask {
		s.Approver = r
	}
	open := r.o.Driver
	if r.columns > 0 {
		open = r.openChat
	}
	session, err := open(r.ctx, s)
	if err != nil {
		return r.notOpened(err)
	}
	r.session = session
	r.rec.r.other, _ = session.(Other)
	r.firer, _ = session.(Firer)
	r.look(Command{})
	return nil
}

// notOpened records that the session was refused with an exit code, so that assertions can
// test it. It returns other errors.
func (r *runner) notOpened(err error) error {
	var coder ExitCoder
	if !errors.As(err, &coder) {
		return fmt.Errorf("opening the session: %w", err)
	}
	r.rec.mu.Lock()
	r.rec.r.opening = err
	r.rec.r.Outcomes = append(r.rec.r.Outcomes, Outcome{Exit: coder.ExitCode()})
	r.rec.mu.Unlock()
	fmt.Fprintln(&r.rec.err, err)
	return nil
}

func (r *runner) close() {
	if r.session == nil {
		return
	}
	r.session.End(context.WithoutCancel(r.ctx))
	r.look(Command{})
	r.session = nil
}
