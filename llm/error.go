package llm

import (
	"fmt"
	"time"
)

// ErrorKind classifies failures of model calls by what the caller can do about them.
type ErrorKind string

// The kinds of an [Error]. Waiting helps against [ErrRateLimit], [ErrOverloaded] and
// [ErrOffline]; for the others the request, the key or the model has to change.
const (
	// There is no key, it is invalid, or it has no access to the model.
	ErrAuth ErrorKind = "auth"
	// The quota is used up, for the day or for good. Waiting a little does not help.
	ErrQuota ErrorKind = "quota"
	// Requests came too fast. Waiting helps; see [Error.RetryAfter].
	ErrRateLimit ErrorKind = "rate_limit"
	// The server has no such model.
	ErrNotFound ErrorKind = "not_found"
	// The server has trouble: a status of 500 or more, or 499.
	ErrOverloaded ErrorKind = "overloaded"
	// no connection, or the server was silent
	ErrOffline ErrorKind = "offline"
	// The server refused the request, or it could not be written at all. Repeating it
	// does not help.
	ErrInvalid ErrorKind = "invalid"
	// The answer broke off or is not readable. Another attempt may help.
	ErrStream ErrorKind = "stream"
	// A scripted model has no answer for the request.
	ErrScript ErrorKind = "script"
	// none of the above
	ErrUnknown ErrorKind = "unknown"
)

// Error is a failure of a model call, in words for people. Every [Model] of this module
// returns it for failures of the provider; find it with errors.As. The cause is reached
// with errors.Is through Unwrap.
type Error struct {
	// Kind says what can be done about it.
	Kind ErrorKind
	// Status is the HTTP status; 0 if the server did not answer.
	Status int
	// Message says what happened in one sentence without a trailing period.
	Message string
	// Hint says what to do next. May be empty.
	Hint string
	// RetryAfter is how long the server asked to wait; 0 if it did not say.
	RetryAfter time.Duration
	// Opened says that the server had begun to answer. Clients do not repeat such a
	// request, because chunks of it may have been shown; the agent may.
	Opened bool
	// Err is the cause; may be nil.
	Err error
}

// Error returns "message: hint", or the message alone if there is no hint.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return fmt.Sprintf("%s: %s", e.Message, e.Hint)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }
