package main

import (
	"errors"
	"fmt"
	"io"
)

// The exit codes of the contract (core/utils/errors.ts). Everything not named
// is 1.
const (
	exitOK        = 0
	exitGeneric   = 1
	exitAuth      = 41
	exitInput     = 42
	exitConfig    = 52
	exitTurnLimit = 53
	exitTool      = 54
	exitUntrusted = 55
	exitInterrupt = 130
	exitTerminate = 143
)

// exitError ends the program with a code. A nil err was already told.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

func exitf(code int, format string, args ...any) error {
	return &exitError{code: code, err: fmt.Errorf(format, args...)}
}

// withCode ends the program with code, err being why.
func withCode(code int, err error) error { return &exitError{code: code, err: err} }

// silent ends the program with code and says nothing more.
func silent(code int) error { return &exitError{code: code} }

// report says on w what went wrong, once, and returns the exit code.
func report(w io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	var e *exitError
	if !errors.As(err, &e) {
		fmt.Fprintf(w, "minigem: %v\n", err)
		return exitGeneric
	}
	if e.err != nil {
		fmt.Fprintf(w, "minigem: %v\n", e.err)
	}
	return e.code
}
