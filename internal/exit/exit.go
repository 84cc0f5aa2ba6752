package exit

import (
	"errors"
	"fmt"
	"io"
)

// Exit codes (core/utils/errors.ts). Every other failure is 1.
const (
	OK          = 0
	Failed      = 1
	Auth        = 41
	Input       = 42
	Config      = 52
	TurnLimit   = 53
	Tool        = 54
	Untrusted   = 55
	Interrupted = 130
	Terminated  = 143
)

// Error ends the program with an exit code. A nil Err has already been reported.
type Error struct {
	Code int
	Err  error
}

func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit status %d", e.Code)
	}
	return e.Err.Error()
}

func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an error with an exit code, and a message formatted by fmt.Errorf.
func Errorf(code int, format string, args ...any) error {
	return &Error{Code: code, Err: fmt.Errorf(format, args...)}
}

// With returns err with an exit code.
func With(code int, err error) error { return &Error{Code: code, Err: err} }

// Silent returns an error with an exit code and without a message.
func Silent(code int) error { return &Error{Code: code} }

// Report prints the error to w, once, and returns the exit code.
func Report(w io.Writer, err error) int {
	if err == nil {
		return OK
	}
	var e *Error
	if !errors.As(err, &e) {
		fmt.Fprintf(w, "minigem: %v\n", err)
		return Failed
	}
	if e.Err != nil {
		fmt.Fprintf(w, "minigem: %v\n", e.Err)
	}
	return e.Code
}

// Causes of a run's context that come from outside.
var (
	ErrInterrupted  = errors.New("interrupted")
	ErrTerminated   = errors.New("terminated")
	ErrStdoutClosed = errors.New("standard output was closed")
)

// ExitCode implements testbed.ExitCoder.
func (e *Error) ExitCode() int { return e.Code }
