//go:build !unix

package proc

import "context"

// RunInTerminal is [ErrNoTerminal] here.
func RunInTerminal(context.Context, Session) (Result, error) { return Result{}, ErrNoTerminal }
