//go:build !unix

package proc

import "context"

// RunInTerminal always returns [ErrNoTerminal] on this system.
func RunInTerminal(context.Context, Session) (Result, error) { return Result{}, ErrNoTerminal }
