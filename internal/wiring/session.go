package wiring

import (
	"errors"
	"strings"

	"minigem/internal/exit"
	"minigem/session"
)

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
