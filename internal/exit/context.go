package exit

import (
	"context"
	"errors"
)

// Context is the context of a command that signals end: see [OnSignals]. stop
// ends the watching. [Ended] tells the end as an error.
func Context() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	unwatch := OnSignals(cancel, nil)
	return ctx, func() { unwatch(); cancel(nil) }
}

// Ended is the error of a run whose context has ended, with the code of the
// signal; nil if it has not ended.
func Ended(ctx context.Context) error {
	switch {
	case ctx.Err() == nil:
		return nil
	case errors.Is(context.Cause(ctx), ErrTerminated):
		return With(Terminated, ErrTerminated)
	}
	return With(Interrupted, ErrInterrupted)
}
