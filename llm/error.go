package llm

import (
	"fmt"
	"time"
)

// ErrorKind classifies failures of model calls by what the caller can do about
// them.
type ErrorKind string

const (
	ErrAuth       ErrorKind = "auth"       // no key, an invalid key, or no access to the model
	ErrQuota      ErrorKind = "quota"      // used up for the day: waiting does not help
	ErrRateLimit  ErrorKind = "rate_limit" // too fast: waiting helps
	ErrNotFound   ErrorKind = "not_found"  // no such model
	ErrOverloaded ErrorKind = "overloaded" // 5xx
	ErrOffline    ErrorKind = "offline"    // no connection
	ErrInvalid    ErrorKind = "invalid"    // the request was refused: 400
	ErrStream     ErrorKind = "stream"     // the answer broke off or is not readable
	ErrScript     ErrorKind = "script"     // a scripted model has no matching answer
	ErrUnknown    ErrorKind = "unknown"
)

// Error is a failure of a model call, in words for people: Message says what
// happened, Hint what to do about it.
type Error struct {
	Kind       ErrorKind
	Status     int           // HTTP status; 0: no answer
	Message    string        // one sentence, no trailing period
	Hint       string        // what to do next; may be empty
	RetryAfter time.Duration // the wait that the server asked for; 0: none
	Opened     bool          // the server had begun to answer; the call was not repeated
	Err        error         // the cause; may be nil
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return fmt.Sprintf("%s: %s", e.Message, e.Hint)
}

func (e *Error) Unwrap() error { return e.Err }
