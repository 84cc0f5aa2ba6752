package trials

import (
	"context"
	"slices"
	"time"

	"minigem/hooks"
	"minigem/hooks/agents"
	"minigem/hooks/author/inspect"
	"minigem/hooks/command"
	"minigem/internal/app"
	"minigem/internal/exit"
	"minigem/internal/inspection"
	"minigem/internal/output"
)

// ExitDenied is the exit code of hooks fire if a hook denied, stopped or asked. A hook
// itself says so with 2.
const ExitDenied = 2

// Fire holds the options of hooks fire.
type Fire struct {
	Timeout time.Duration   // the maximum timeout of any hook; 0 means the hook's own
	Agents  []*agents.Agent // agents whose reading of the answers is shown, too
	JSON    bool            // print the engine's report as JSON
}

// Run fires payload at the hooks of c, and reports. It returns [ExitDenied] if a hook
// denied, stopped or asked, and exit.Failed if one failed.
func (f Fire) Run(ctx context.Context, c *app.Configuration, sys *app.System, payload []byte) error {
	s := inspection.Of(c)
	if f.Timeout > 0 {
		s.Config.Hooks = slices.Clone(s.Config.Hooks)
		for i := range s.Config.Hooks {
			if h := &s.Config.Hooks[i]; h.Timeout <= 0 || h.Timeout > f.Timeout {
				h.Timeout = f.Timeout
			}
		}
	}
	children := &command.Children{}
	defer children.Close() // it always returns nil
	e := c.HookEngine(s.Config.Config, children)
	r, err := inspect.Fire(ctx, e, payload)
	switch {
	case ctx.Err() != nil:
		return exit.Ended(ctx)
	case err != nil:
		return exit.With(exit.Input, err)
	}
	if f.JSON {
		err = output.WriteJSON(sys.Stdout, r)
	} else {
		_, err = sys.Stdout.Write(c.Mask([]byte(inspection.Text(c).Report(r) + inspect.Elsewhere(r, f.Agents))))
	}
	switch {
	case err != nil:
		return err
	case r.Verdict.Decision != hooks.Proceed:
		return exit.Silent(ExitDenied)
	case slices.ContainsFunc(r.Runs, func(run hooks.Run) bool { return run.Failed != "" }):
		return exit.Silent(exit.Failed)
	}
	return nil
}
