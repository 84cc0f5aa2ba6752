package headless

import (
	"context"
	"errors"

	"minigem/agent"
	"minigem/internal/exit"
	"minigem/llm"
)

// EndingError converts the ending of a run to the error with its exit code.
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
			"the model repeated itself and was stopped (%s): say more exactly what is wanted, or set "+
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

// Blocked is the error of a run that succeeded except that a hook blocked or
// stopped it: it exits with code. nil: code is 0, or no hook did.
func Blocked(res agent.Result, code int) error {
	if code == 0 || res.Ending != agent.Blocked && res.Ending != agent.Stopped {
		return nil
	}
	return exit.Silent(code)
}
