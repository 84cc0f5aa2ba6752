package cases

import (
	"context"
	"strings"

	"minigem/agent"
	"minigem/e2e/agents/played"
	"minigem/e2e/testbed"
	"minigem/hooks"
	"minigem/hooks/config"
	"minigem/internal/app"
	"minigem/internal/wiring"
)

// playedSession is a session in which minigem plays another agent.
type playedSession struct {
	*caseSession
	played.Judge
	player *played.Player
}

// As returns the testbed.Driver that plays an agent. Nothing else sets an engine's
// RulesAt, and As only opens sessions of cases.
func As(a played.Agent) testbed.Driver {
	return func(ctx context.Context, s testbed.Setup) (testbed.Session, error) {
		if s.Trust != testbed.TrustOn || s.Resume || s.Approver != nil {
			return nil, &testbed.CannotError{
				Why: "only one prompt in a trusted folder, with nobody to ask, was measured of " + a.Agent.Name}
		}
		p, err := played.New(a, s)
		if err != nil {
			return nil, err
		}
		return openPlayed(ctx, s, p, nil)
	}
}

// openPlayed opens a session in which p plays. change, if not nil, makes further
// changes.
func openPlayed(ctx context.Context, s testbed.Setup, p *played.Player,
	change func(*app.Configuration, *wiring.Frontend)) (testbed.Session, error) {
	s.Model, s.Sink, s.Mode = p.Model(s.Model), p.Sink(s.Sink), p.Mode()
	session, err := open(ctx, s, func(c *app.Configuration, w *wiring.Frontend) {
		play(p, c, w)
		if change != nil {
			change(c, w)
		}
	})
	if err != nil {
		return nil, err
	}
	return &playedSession{caseSession: session, player: p, Judge: played.Judge{Player: p}}, nil
}

// Prompt implements testbed.Session.
func (s *playedSession) Prompt(ctx context.Context, text string) testbed.Outcome {
	o := s.caseSession.Prompt(ctx, text)
	o.Exit = s.player.Exit(o.Exit, o.Ending == agent.Blocked)
	if why := s.player.Cannots(); len(why) > 0 {
		o.Err = &testbed.CannotError{Why: strings.Join(why, "; ")}
	}
	return o
}

// play configures a session for the player.
func play(p *played.Player, c *app.Configuration, w *wiring.Frontend) {
	c.Hooks = config.Loaded{Config: hooks.Config{Hooks: p.Hooks(), MaxRetries: p.Retries()}}
	c.Protects = p.Protects
	w.Configure = func(e *hooks.Engine) { e.ReportIdle, e.RulesAt, e.Watch = true, p.Rules(), nil }
}
