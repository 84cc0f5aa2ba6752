package exit

import (
	"context"
	"errors"
)

// Context returns the context of a command, which ends with a signal: see [OnSignals].
// stop stops watching for signals. [Ended] converts the end to an error.
func Context() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	unwatch := OnSignals(cancel, nil)
	return ctx, func() { unwatch(); cancel(nil) }
}

// Ended returns the error of a run whose context has ended, with the exit code of the
// signal. It returns nil if the context has not ended.
func Ended(ctx context.Context) error {
	switch {
	case ctx.Err() == nil:
		return nil
	case errors.Is(context.Cause(ctx), ErrTerminated):
		return With(Terminated, ErrTerminated)
	}
	return With(Interrupted, ErrInterrupted)
}
