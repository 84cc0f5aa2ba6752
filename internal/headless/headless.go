package headless

import (
	"context"
	"errors"

	"minigem/agent"
	"minigem/internal/exit"
	"minigem/llm"
)

// EndingError converts the ending of a run to an error with its exit code.
func EndingError(ctx context.Context, res agent.Result) error {
	var fatal *fatalToolError
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, exit.ErrStdoutClosed):
		return nil // the reader stopped reading
	case errors.As(cause, &fatal):
		return exit.With(exit.Tool, fatal)
	case cause != nil:
		return exit.Ended(ctx)
	}
	switch res.Ending {
	case agent.MaxTurns:
		return exit.Errorf(
			exit.TurnLimit, "the limit of turns for this session is reached: raise model.maxSessionTurns in the settings")
	case agent.MaxRounds:
		return exit.Errorf(exit.TurnLimit, "%s: go on with --resume", res.Reason)
	case agent.Loop:
		return exit.Errorf(
			exit.TurnLimit,
			"the model repeated itself and was stopped (%s): state more exactly what you want, or set "+
				"model.disableLoopDetection in the settings", res.Reason)
	case agent.Failed, agent.InvalidStream:
		var e *llm.Error
		if errors.As(res.Err, &e) && e.Kind == llm.ErrAuth {
			return exit.With(exit.Auth, res.Err)
		}
		return exit.With(exit.Failed, res.Err)
	case agent.Cancelled:
		return exit.Errorf(exit.Interrupted, "cancelled")
	}
	return nil
}

// Blocked returns an error with exit code code if a run was blocked or stopped by a
// hook. It returns nil if code is 0, or if no hook did so.
func Blocked(res agent.Result, code int) error {
	if code == 0 || res.Ending != agent.Blocked && res.Ending != agent.Stopped {
		return nil
	}
	return exit.Silent(code)
}
