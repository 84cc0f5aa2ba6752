package llm

import "time"

// Retry announces that an attempt at a request failed and another one follows. Clients
// report it before they wait.
type Retry struct {
	// Attempt is the one that failed, from 1.
	Attempt int
	// Max is how many attempts there are at most.
	Max int
	// Delay is how long the client waits now.
	Delay time.Duration
	// Reason says what happened, in one sentence without a trailing period.
	Reason string
}
