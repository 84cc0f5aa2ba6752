package llm

import (
	"fmt"
	"time"
)

// ErrorKind says what went wrong between us and a model, as far as it matters
// to what happens next.
type ErrorKind string

const (
	ErrAuth       ErrorKind = "auth"       // no key, a bad key, no right to use the model
	ErrQuota      ErrorKind = "quota"      // used up for the day: waiting does not help
	ErrRateLimit  ErrorKind = "rate_limit" // too fast: waiting helps
	ErrNotFound   ErrorKind = "not_found"  // no such model
	ErrOverloaded ErrorKind = "overloaded" // 5xx
	ErrOffline    ErrorKind = "offline"    // no connection
	ErrInvalid    ErrorKind = "invalid"    // the request was refused: 400
	ErrStream     ErrorKind = "stream"     // the answer broke off or cannot be read
	ErrScript     ErrorKind = "script"     // a scripted model has no fitting answer
	ErrUnknown    ErrorKind = "unknown"
)

// Error is a failure of a model call, in words for people: Message says what
// happened, Hint what to do about it.
type Error struct {
	Kind       ErrorKind
	Status     int           // HTTP status; 0: there was none
	Message    string        // one sentence, no trailing period
	Hint       string        // what to do next; may be empty
	RetryAfter time.Duration // what the server asked for; 0: nothing
	Opened     bool          // the server had begun to answer: no attempt was made to call again
	Err        error         // the cause; may be nil
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return fmt.Sprintf("%s: %s", e.Message, e.Hint)
}

func (e *Error) Unwrap() error { return e.Err }
